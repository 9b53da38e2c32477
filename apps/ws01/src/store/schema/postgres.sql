-- The schema on PostgreSQL; sqlite.sql is the same for SQLite. A new database is made from this
-- file and views.ts. What columns mean stands beside their types in ../tables. Texts are compared
-- bytewise, instants are ms since 1970, flags are 0 or 1.


-- Users, and the credentials of programs and of people

-- Whoever is named by a call or registered by an operator.
create table users (
  id text collate "C" not null primary key,
  registered smallint not null check (registered in (0, 1)),
  name text collate "C",
  email text collate "C",
  first_name text collate "C",
  last_name text collate "C",
  zip_code text collate "C",
  state text collate "C",
  city text collate "C",
  address text collate "C",
  address2 text collate "C",
  cell_phone text collate "C",
  cell_phone_verified_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  blocked_at bigint
);
create index users_by_creation on users (created_at, id);
create index users_registered on users (created_at, id) where registered = 1;
create index users_by_email on users (lower(email), created_at, id) where email is not null;
create index users_by_phone on users (cell_phone, created_at, id) where cell_phone is not null;
create index users_blocked on users (created_at, id) where blocked_at is not null;
-- PostgreSQL has no statistics of lower(email), since the index above is partial, so lists in the
-- order of ids need each filter in that order too.
create index users_by_email_and_id on users (lower(email), id) where email is not null;
create index users_by_phone_and_id on users (cell_phone, id) where cell_phone is not null;
create index users_blocked_by_id on users (id) where blocked_at is not null;
create index users_registered_by_id on users (id) where registered = 1;

-- Users whose data must be kept: a court, an authority or a dispute wants it.
create table legal_holds (
  user_id text collate "C" not null primary key,
  reason text collate "C" not null,
  set_by text collate "C" not null,
  set_at bigint not null,
  until bigint
);

-- Credentials of programs; `hash` is the SHA-256 of the text, which is not stored.
create table tokens (
  id text collate "C" not null primary key,
  hash bytea not null unique,
  label text collate "C" not null,
  kind text collate "C" not null check (kind in ('service', 'user', 'admin')),
  user_id text collate "C",
  scopes text collate "C" not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint
);
create index tokens_of_user on tokens (user_id) where user_id is not null;

-- The networks that tokens are used from, which are not slowed down by others who guess.
create table token_networks (
  token_id text collate "C" not null,
  network text collate "C" not null,
  used_at bigint not null,
  constraint token_networks_key primary key (token_id, network)
);
create index token_networks_by_use on token_networks (used_at);

-- People who may use the console.
create table admins (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  name_key text collate "C" not null unique,
  role text collate "C" not null,
  password text collate "C",
  created_at bigint not null,
  signed_in_at bigint
);

-- Links by which a person sets up a way to sign in: used once, then removed.
create table admin_links (
  admin_id text collate "C" not null primary key,
  hash bytea not null unique,
  created_at bigint not null,
  expires_at bigint not null
);

create table admin_sessions (
  hash bytea not null primary key,
  admin_id text collate "C" not null,
  created_at bigint not null,
  seen_at bigint not null,
  address text collate "C" not null,
  agent text collate "C" not null,
  confirmed_at bigint
);
create index admin_sessions_by_admin on admin_sessions (admin_id);

create table admin_passkeys (
  id text collate "C" not null primary key,
  admin_id text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  transports text collate "C" not null,
  created_at bigint not null,
  used_at bigint
);
create index admin_passkeys_by_admin on admin_passkeys (admin_id);

-- What an admin looks for again and again in a list of the console.
create table saved_filters (
  admin_id text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  query text collate "C" not null,
  created_at bigint not null,
  primary key (admin_id, kind, name)
);

-- Challenges of WebAuthn that were used, until they expire.
create table admin_challenges (
  challenge text collate "C" not null primary key,
  expires_at bigint not null
);


-- Articles

-- They exist from first use.
create table categories (
  key text collate "C" not null primary key,
  created_at bigint not null
);

-- In the trash since `deleted_at`; a moderator holds (`held_at`) and removes (`removed_at`).
-- `revision_bytes` is what its revisions take at most; null when that has not been counted.
create table articles (
  guid text collate "C" not null primary key,
  owner text collate "C",
  caption text collate "C" not null,
  content text collate "C" not null,
  category_key text collate "C",
  contact_phone text collate "C" not null,
  pinned_until bigint,
  icon_guid text collate "C",
  status integer not null,
  from_url text collate "C" not null,
  ip text collate "C",
  claimed_ip text collate "C",
  token_id text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  revision integer not null,
  held_at bigint,
  removed_at bigint,
  revision_bytes bigint
);
create index articles_in_trash on articles (deleted_at) where deleted_at is not null;
create index articles_by_creation on articles (created_at, guid);
create index articles_of_owner on articles (owner, created_at, guid);
create index articles_by_revision_bytes on articles (owner, revision_bytes) where revision_bytes > 0;
create index articles_of_category on articles (category_key, created_at, guid);
create index articles_by_status on articles (status, created_at, guid) where status <> 0;
create index articles_trashed on articles (created_at, guid) where deleted_at is not null;
create index articles_held on articles (created_at, guid) where held_at is not null;
create index articles_removed on articles (created_at, guid) where removed_at is not null;

-- Revision n is what the article was, and who wrote it, when its `revision` was n.
create table article_revisions (
  article_guid text collate "C" not null references articles (guid) on delete cascade,
  revision integer not null,
  caption text collate "C" not null,
  content text collate "C" not null,
  category_key text collate "C",
  contact_phone text collate "C" not null,
  pinned_until bigint,
  icon_guid text collate "C",
  status integer not null,
  from_url text collate "C" not null,
  ip text collate "C",
  claimed_ip text collate "C",
  token_id text collate "C",
  recorded_at bigint not null,
  constraint article_revisions_key primary key (article_guid, revision)
);
create index article_revisions_by_time on article_revisions (recorded_at);


-- Adverts

-- The long texts come last, so that a sort by the short ones does not read past them.
create table adverts (
  guid text collate "C" not null primary key,
  owner text collate "C",
  created_at bigint not null,
  title text collate "C" not null,
  title_key text collate "C" not null,
  deadline bigint,
  category_key text collate "C",
  link_txt text collate "C" not null,
  link_url text collate "C" not null,
  is_image smallint not null check (is_image in (0, 1)),
  img_guid text collate "C",
  ip text collate "C" not null,
  retry_key bytea,
  detail text collate "C" not null,
  search_text text collate "C" not null,
  held_at bigint,
  removed_at bigint,
  updated_at bigint default 0 not null,
  search_id bigint
);
create unique index adverts_by_retry_key on adverts (retry_key) where retry_key is not null;
create index adverts_by_owner on adverts (owner, created_at, guid)
  where held_at is null and removed_at is null;
-- With what lists sort by, so that no row is read to sort.
create index adverts_by_title on adverts (owner, title_key, guid, deadline, category_key)
  where held_at is null and removed_at is null;
create index adverts_by_creation on adverts (created_at, guid);
create index adverts_of_owner on adverts (owner, created_at, guid);
create index adverts_of_category on adverts (category_key, created_at, guid);
create index adverts_held on adverts (created_at, guid) where held_at is not null;
create index adverts_removed on adverts (created_at, guid) where removed_at is not null;
create index adverts_by_search on adverts (owner, search_id)
  where held_at is null and removed_at is null;
create unique index adverts_by_search_id on adverts (search_id) where search_id is not null;
-- What a count by the index of terms takes off.
create index adverts_hidden_by_search on adverts (owner, search_id)
  where search_id is not null and (held_at is not null or removed_at is not null);

-- The terms of texts (../text-index.ts). What waits to be merged into the index is read by every search, so
-- it is kept short.
create table advert_search (rowid bigint primary key, terms text[] collate "C" not null);
create index advert_search_by_term on advert_search using gin (terms)
  with (gin_pending_list_limit = 256);


-- Images

-- A file by its SHA-256; however many records have it, it is stored once.
create table image_files (
  hash text collate "C" not null primary key,
  stored_as text collate "C" not null unique,
  format text collate "C" not null,
  width integer not null,
  height integer not null,
  frames integer not null,
  bytes bigint not null,
  stored_at bigint not null,
  deleted_at bigint,
  served_format text
);

-- `visibility`: 0 listed, 1 for whoever has the URL, 2 withdrawn.
create table images (
  id bigint generated by default as identity not null primary key,
  guid text collate "C" not null unique,
  owner text collate "C",
  hash text collate "C" not null references image_files (hash),
  bytes bigint not null,
  link_guid text collate "C",
  linked_category text collate "C",
  category text collate "C" not null,
  category_key text collate "C",
  category_order text collate "C" not null,
  is_icon smallint not null,
  created_at bigint not null,
  updated_at bigint not null,
  ip text collate "C",
  claimed_ip text collate "C",
  token_id text collate "C",
  search_text text collate "C" not null,
  held_at bigint,
  removed_at bigint,
  visibility smallint default 0 not null,
  icon_at bigint
);
create index images_by_hash on images (hash);
create index images_by_link on images (link_guid, created_at, guid);
create index images_by_creation on images (created_at, guid) where visibility = 0;
create index images_by_time on images (created_at, guid);
create index images_by_icon on images (is_icon, created_at, guid) where visibility = 0;
create index images_by_size on images (bytes, guid) where visibility = 0;
create index images_in_category_order on images (category_order, guid) where visibility = 0;
-- With `bytes`, so that the index alone sorts by size; the same for the linked category.
create index images_by_category on images (category_key, created_at, guid, bytes)
  where visibility = 0;
create index images_by_linked_category
  on images (linked_category, created_at, guid, bytes, category_key) where visibility = 0;
create index images_by_marking on images (icon_at, guid) where visibility = 0 and is_icon = 1;
create index images_of_owner on images (owner, id);
create index images_of_owner_by_time on images (owner, created_at, guid);
create index images_icons_of_record on images (link_guid, icon_at, guid)
  where visibility = 0 and is_icon = 1;
create index images_of_record on images (link_guid, id);
create index images_held on images (id) where held_at is not null;
create index images_held_by_creation on images (created_at, guid) where held_at is not null;
create index images_removed on images (id) where removed_at is not null;
create index images_removed_by_creation on images (created_at, guid)
  where removed_at is not null;
create index images_removed_by_time on images (removed_at) where removed_at is not null;

-- Counts over shards, so that uploads do not wait for one another.
create table image_totals (
  shard integer not null primary key,
  images integer not null,
  icons integer not null
);

-- The terms of texts (../text-index.ts). What waits to be merged into the index is read by every search, so
-- it is kept short.
create table image_search (rowid bigint primary key, terms text[] collate "C" not null);
create index image_search_by_term on image_search using gin (terms)
  with (gin_pending_list_limit = 256);


-- Reviews

-- One row for each voter and subject.
create table reviews (
  id text collate "C" not null primary key,
  subject text collate "C" not null,
  voter text collate "C" not null,
  positive smallint check (positive in (0, 1)),
  rating integer,
  remark text collate "C",
  ip text collate "C" not null,
  claimed_ip text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  held_at bigint,
  removed_at bigint,
  constraint reviews_once unique (subject, voter)
);
create index reviews_held on reviews (id) where held_at is not null;
create index reviews_removed on reviews (id) where removed_at is not null;
create index reviews_of_subject on reviews (subject, id);
create index reviews_of_voter on reviews (voter, id);

-- What readers report of published records.
create table reports (
  id text collate "C" not null primary key,
  target_kind text collate "C" not null,
  target_key text collate "C" not null,
  reporter text collate "C" not null,
  reason text collate "C" not null,
  detail text collate "C" not null,
  created_at bigint not null,
  closed_at bigint,
  constraint reports_once unique (target_key, target_kind, reporter)
);
create index reports_open on reports (id) where closed_at is null;
create index reports_of_record on reports (target_key, id);
create index reports_by_age on reports (created_at);

-- What they add up to, so that a review costs the same however many there are.
create table review_tallies (
  subject text collate "C" not null primary key,
  votes integer not null,
  positive integer not null,
  marks integer not null,
  ratings bigint not null
);


-- Phone numbers

-- The secrets that codes are hashed with, one for each period of rotation.
create table code_keys (
  id integer not null primary key,
  secret bytea not null
);

-- The newest code of each user and number; the code itself is not stored.
create table phone_codes (
  user_id text collate "C" not null,
  phone text collate "C" not null,
  id text collate "C" not null,
  key_id integer not null,
  hash bytea not null,
  attempts integer not null,
  expires_at bigint not null,
  constraint phone_codes_key primary key (user_id, phone)
);
create index phone_codes_by_expiry on phone_codes (expires_at);
create index phone_codes_by_phone on phone_codes (phone);
create index phone_codes_by_end on phone_codes (substr(phone, length(phone) - 3));

-- Codes that were used up, as long as their caller may not know.
create table used_codes (
  id text collate "C" not null primary key,
  user_id text collate "C" not null,
  phone text collate "C" not null,
  token_id text collate "C",
  key_id integer not null,
  hash bytea not null,
  attempts integer not null,
  used_at bigint not null
);
create index used_codes_by_holder on used_codes (user_id, phone);
create index used_codes_by_time on used_codes (used_at);

-- When a user last proved to have a number.
create table phone_verifications (
  user_id text collate "C" not null,
  phone text collate "C" not null,
  verified_at bigint not null,
  constraint phone_verifications_key primary key (user_id, phone)
);
create index phone_verifications_by_time on phone_verifications (verified_at);
create index phone_verifications_by_phone on phone_verifications (phone, verified_at, user_id);
create index phone_verifications_by_end on phone_verifications (substr(phone, length(phone) - 3));

-- Numbers that back ends verified before there was a user.
create table number_verifications (
  token_id text collate "C" not null,
  phone text collate "C" not null,
  verified_at bigint not null,
  constraint number_verifications_key primary key (token_id, phone)
);
create index number_verifications_by_time on number_verifications (verified_at);


-- Short links

-- Rows stay for ever, so that no code gets another target.
create table links (
  code text collate "C" not null primary key,
  target text collate "C" not null,
  user_id text collate "C",
  user_email text collate "C",
  deadline bigint,
  request_hash bytea not null,
  created_at bigint not null,
  disabled_at bigint
);
create unique index links_live_once on links (request_hash) where disabled_at is null;
create index links_by_age on links (created_at, code);
create index links_disabled on links (created_at, code) where disabled_at is not null;
create index links_of_user on links (user_id, created_at, code);

-- In numbers by day only.
create table link_visits (
  code text collate "C" not null,
  day text collate "C" not null,
  visits integer not null,
  bots integer not null,
  heads integer not null,
  constraint link_visits_key primary key (code, day)
);
-- Days that are not summed up into their month yet.
create index link_visits_by_day on link_visits (day) where substr(day, 9, 2) <> '01';

-- Where visits came from: hosts, countries and languages, in numbers by day.
create table link_visit_sources (
  code text collate "C" not null,
  day text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  visits integer not null,
  constraint link_visit_sources_key primary key (code, day, kind, name)
);


-- What goes out

-- Work that leaves the process, committed with the row that asked for it.
create table outbox (
  id text collate "C" not null primary key,
  kind text collate "C" not null,
  state text collate "C" not null,
  attempts integer not null,
  deferrals integer not null,
  created_at bigint not null,
  due_at bigint,
  give_up_at bigint not null,
  lease text collate "C",
  last_reply text collate "C",
  finished_at bigint,
  queue text collate "C"
);
create index outbox_due on outbox (kind, due_at, id) where due_at is not null;
create index outbox_by_state on outbox (kind, state, id);
create index outbox_by_end on outbox (kind, finished_at);
create index outbox_of_queue on outbox (queue, state, id) where queue is not null;

create table mails (
  id text collate "C" not null primary key,
  sender text collate "C" not null,
  token_id text collate "C",
  ip text collate "C" not null,
  receiver_name text collate "C" not null,
  receiver_email text collate "C" not null,
  receiver_key text collate "C" not null,
  subject text collate "C" not null,
  body text collate "C" not null,
  reply_name text collate "C",
  reply_to text collate "C",
  message_id text collate "C" not null,
  created_at bigint not null,
  request_id text collate "C",
  notice_key text collate "C"
);
create index mails_by_sender on mails (sender, created_at, id);
create index mails_of_sender on mails (sender, id);
create index mails_by_receiver on mails (receiver_key, sender, created_at, id);
create index mails_to_receiver on mails (receiver_key, id);
create index mails_by_request on mails (request_id, id) where request_id is not null;

-- Calls that are recognised when they come again.
create table mail_repeats (
  hash bytea not null primary key,
  mail_id text collate "C" not null,
  until bigint not null
);
create index mail_repeats_by_end on mail_repeats (until);

-- Addresses that nothing is sent to.
create table mail_suppressions (
  address text collate "C" not null primary key,
  reason text collate "C" not null,
  detail text collate "C" not null,
  mail_id text collate "C",
  created_at bigint not null
);

-- `sealed` is the code, encrypted; null as soon as it is not needed.
create table sms (
  id text collate "C" not null primary key,
  user_id text collate "C" not null,
  phone text collate "C" not null,
  key_id integer not null,
  sealed bytea,
  expires_at bigint not null,
  created_at bigint not null,
  request_id text collate "C",
  traceparent text collate "C"
);
-- Finds the codes to forget, twice a minute.
create index sms_sealed on sms (expires_at) where sealed is not null;
create index sms_of_user on sms (user_id, id);
create index sms_to_phone on sms (phone, id);
create index sms_by_request on sms (request_id, id) where request_id is not null;


-- What happened

-- The ledger of creations that counts are made from; nothing leaves it with a record.
create table postings (
  id bigint generated by default as identity not null primary key,
  kind smallint not null,
  record_key text collate "C" not null,
  user_id text collate "C",
  network text collate "C" not null,
  at bigint not null
);
-- Counts of every kind use these: `kind in (1, 2, 3, 4)` is one range of the index for each.
create index postings_by_user_id on postings (user_id, kind, at);
create index postings_by_network on postings (network, kind, at);
create index postings_by_record on postings (kind, record_key, id);

-- Rows are added and never changed.
-- Divided by month, by the times that its ids begin with (../partitions.ts).
create table audit (
  id text collate "C" not null primary key,
  at bigint not null,
  token_id text collate "C",
  action text collate "C" not null,
  target_kind text collate "C" not null,
  target_key text collate "C",
  address text collate "C",
  details text collate "C" not null,
  request_id text collate "C"
) partition by range (id);
create table audit_other partition of audit default;
create index audit_by_target on audit (target_key, id);
-- What is done so often that it is found without an index is left out: each write would pay.
create index audit_of_few on audit (action, id)
  where action not in ('article.create', 'article.replace', 'advert.create', 'image.create');
create index audit_codes on audit (id) where substr(action, 1, 5) = 'code.';
create index audit_by_request on audit (request_id, id) where request_id is not null;

-- `seq` is the place in the order of delivery.
create table events (
  id text collate "C" not null primary key,
  seq bigint,
  at bigint not null,
  type text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C",
  data text collate "C" not null,
  request_id text collate "C"
);
create unique index events_by_seq on events (seq);

-- The number of the last event that was taken for webhooks: one row.
create table event_sequence (
  id integer not null primary key,
  last bigint not null
);
insert into event_sequence (id, last) values (1, 0);

create table webhooks (
  id text collate "C" not null primary key,
  url text collate "C" not null,
  label text collate "C" not null,
  types text collate "C" not null,
  secrets text collate "C" not null,
  created_at bigint not null,
  disabled_at bigint,
  disabled_reason text collate "C",
  retried_at bigint
);

-- Events on their way to a webhook; how far they are is in `outbox`.
create table webhook_deliveries (
  id text collate "C" not null primary key,
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  tries text collate "C"
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);


-- Searches by words

-- The words of records, by which the lists of the API and the console find them. A record has a row
-- in `search_records`, and its terms under the id of that (../record-index.ts). Terms begin with the slice
-- of their record: some thousand neighbours in the order of the list, from `first` to `last`. The triggers
-- of search.ts note in `search_changes` what is not indexed yet, one letter a table.
create table search_records (
  id bigint generated by default as identity not null primary key,
  kind text collate "C" not null,
  key text collate "C" not null,
  slice text collate "C" not null,
  constraint search_records_once unique (kind, key)
);
create index search_records_by_slice on search_records (kind, slice);
create table search_slices (
  kind text collate "C" not null,
  slice text collate "C" not null,
  first text collate "C" not null,
  last text collate "C" not null,
  primary key (kind, slice)
);
create table search_changes (
  id bigint generated by default as identity not null primary key,
  kind text collate "C" not null,
  key text collate "C" not null
);
create table record_search (rowid bigint primary key, terms tsvector not null);
create index record_search_by_term on record_search using gin (terms)
  with (gin_pending_list_limit = 256);


-- views.ts
-- makes what other programs read, here.


-- The service itself

-- What is used up of each budget in its present window.
create table budgets (
  name text collate "C" not null,
  key text collate "C" not null,
  used integer not null,
  resets_at bigint not null,
  constraint budgets_key primary key (name, key)
);
create index budgets_by_reset on budgets (resets_at);

-- Settings that were changed while the service ran.
create table settings (
  variable text collate "C" not null primary key,
  value text collate "C" not null,
  changed_at bigint not null,
  changed_by text collate "C"
);

-- What an operator has switched off; what is on has no row.
create table switches (
  name text collate "C" not null,
  off_since bigint not null,
  constraint switches_key primary key (name)
);

create table backups (
  id text collate "C" not null primary key,
  slot bigint,
  target text collate "C" not null,
  name text collate "C" not null,
  started_at bigint not null,
  finished_at bigint,
  verified_at bigint,
  bytes bigint,
  images integer,
  error text collate "C",
  step text collate "C",
  done integer,
  total integer,
  seen_at bigint,
  check_started_at bigint,
  check_started_by text collate "C",
  checked_at bigint,
  checked_by text collate "C",
  verdict text collate "C",
  fault text collate "C"
);
create unique index backups_by_slot on backups (slot);
create index backups_by_verified on backups (verified_at);

-- The answered calls of all nodes, by minute and by hour; `ms_…` are how many took at most so long.
create table call_counts (
  step text collate "C" not null,
  at bigint not null,
  operation text collate "C" not null,
  binding text collate "C" not null,
  error text collate "C" not null,
  calls bigint not null,
  us bigint not null,
  ms_1 bigint not null,
  ms_2 bigint not null,
  ms_5 bigint not null,
  ms_10 bigint not null,
  ms_20 bigint not null,
  ms_50 bigint not null,
  ms_100 bigint not null,
  ms_200 bigint not null,
  ms_500 bigint not null,
  ms_1000 bigint not null,
  ms_2000 bigint not null,
  ms_5000 bigint not null,
  ms_10000 bigint not null,
  ms_more bigint not null,
  constraint call_counts_key primary key (step, at, operation, binding, error)
);

-- Calls that were answered with an error.
create table failed_calls (
  id text collate "C" not null primary key,
  at bigint not null,
  request_id text collate "C" not null,
  operation text collate "C",
  binding text collate "C" not null,
  status integer not null,
  error text collate "C" not null,
  parameter text collate "C",
  reason text collate "C",
  us bigint not null,
  address text collate "C" not null,
  token_id text collate "C",
  user_id text collate "C",
  target_kind text collate "C",
  target_key text collate "C",
  more_alike integer
);
create index failed_calls_by_request on failed_calls (request_id, id);
create index failed_calls_by_operation on failed_calls (operation, id);
create index failed_calls_by_error on failed_calls (error, id);
create index failed_calls_by_user on failed_calls (user_id, id);
create index failed_calls_by_target on failed_calls (target_key, id);

-- How far an import is, so that it goes on where it was interrupted.
create table imports (
  id text collate "C" not null,
  kind text collate "C" not null,
  offset_bytes bigint not null,
  line bigint not null,
  added integer not null,
  present integer not null,
  refused integer not null,
  refused_bytes bigint not null,
  updated_at bigint not null,
  changed integer,
  constraint imports_key primary key (id, kind)
);

-- Indexes that an import took away; the next start makes them again.
create table absent_indexes (
  name text collate "C" not null primary key,
  sql text collate "C" not null
);

-- One row: the latest time that is known, and what decides whether anything is deleted.
create table service_time (
  id integer not null primary key check (id = 1),
  at bigint not null,
  purge_at bigint,
  purge_held_since bigint,
  files_id text collate "C",
  sweep_held_for text collate "C",
  sweep_held_since bigint,
  lost_commits integer,
  lost_since bigint,
  lost_mark integer,
  folding integer
);

-- One row, written by the readiness check.
create table store_probe (
  id integer not null primary key check (id = 1),
  at bigint not null
);

-- Always empty: the readiness check lets it grow and undoes that.
create table store_room (
  filler text collate "C" not null
);

-- The changes of the schema that the database has (changes.ts).
create table schema_migrations (
  name text collate "C" not null primary key,
  applied_at bigint not null
);
