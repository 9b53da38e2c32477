-- The schema on SQLite; postgres.sql is the same for PostgreSQL. A new database is made from this
-- file and views.ts. What columns mean stands beside their types in ../tables. Texts are compared
-- bytewise, instants are ms since 1970, flags are 0 or 1. Only strict tables enforce types.


-- Users, and the credentials of programs and of people

-- Whoever is named by a call or registered by an operator.
create table users (
  id text not null primary key,
  registered integer not null check (registered in (0, 1)),
  name text,
  email text,
  first_name text,
  last_name text,
  zip_code text,
  state text,
  city text,
  address text,
  address2 text,
  cell_phone text,
  cell_phone_verified_at integer,
  created_at integer not null,
  updated_at integer not null,
  blocked_at integer
) strict;
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
  user_id text not null primary key,
  reason text not null,
  set_by text not null,
  set_at integer not null,
  until integer
) strict;

-- Credentials of programs; `hash` is the SHA-256 of the text, which is not stored.
create table tokens (
  id text not null primary key,
  hash blob not null unique,
  label text not null,
  kind text not null check (kind in ('service', 'user', 'admin')),
  user_id text,
  scopes text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  last_used_at integer
) strict;
create index tokens_of_user on tokens (user_id) where user_id is not null;

-- The networks that tokens are used from, which are not slowed down by others who guess.
create table token_networks (
  token_id text not null,
  network text not null,
  used_at integer not null,
  constraint token_networks_key primary key (token_id, network)
) strict;
create index token_networks_by_use on token_networks (used_at);

-- People who may use the console.
create table admins (
  id text not null primary key,
  name text not null,
  name_key text not null unique,
  role text not null,
  password text,
  created_at integer not null,
  signed_in_at integer
) strict;

-- Links by which a person sets up a way to sign in: used once, then removed.
create table admin_links (
  admin_id text not null primary key,
  hash blob not null unique,
  created_at integer not null,
  expires_at integer not null
) strict;

create table admin_sessions (
  hash blob not null primary key,
  admin_id text not null,
  created_at integer not null,
  seen_at integer not null,
  address text not null,
  agent text not null,
  confirmed_at integer
) strict;
create index admin_sessions_by_admin on admin_sessions (admin_id);

create table admin_passkeys (
  id text not null primary key,
  admin_id text not null,
  public_key blob not null,
  counter integer not null,
  transports text not null,
  created_at integer not null,
  used_at integer
) strict;
create index admin_passkeys_by_admin on admin_passkeys (admin_id);

-- What an admin looks for again and again in a list of the console.
create table saved_filters (
  admin_id text not null,
  kind text not null,
  name text not null,
  query text not null,
  created_at integer not null,
  primary key (admin_id, kind, name)
) strict;

-- Challenges of WebAuthn that were used, until they expire.
create table admin_challenges (
  challenge text not null primary key,
  expires_at integer not null
) strict;


-- Articles

-- They exist from first use.
create table categories (
  key text not null primary key,
  created_at integer not null
) strict;

-- In the trash since `deleted_at`; a moderator holds (`held_at`) and removes (`removed_at`).
-- `revision_bytes` is what its revisions take at most; null when that has not been counted.
create table articles (
  guid text not null primary key,
  owner text,
  caption text not null,
  content text not null,
  category_key text,
  contact_phone text not null,
  pinned_until integer,
  icon_guid text,
  status integer not null,
  from_url text not null,
  ip text,
  claimed_ip text,
  token_id text,
  created_at integer not null,
  updated_at integer not null,
  deleted_at integer,
  revision integer not null,
  held_at integer,
  removed_at integer,
  revision_bytes integer
) strict;
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
  article_guid text not null references articles (guid) on delete cascade,
  revision integer not null,
  caption text not null,
  content text not null,
  category_key text,
  contact_phone text not null,
  pinned_until integer,
  icon_guid text,
  status integer not null,
  from_url text not null,
  ip text,
  claimed_ip text,
  token_id text,
  recorded_at integer not null,
  constraint article_revisions_key primary key (article_guid, revision)
) strict;
create index article_revisions_by_time on article_revisions (recorded_at);


-- Adverts

-- The long texts come last, so that a sort by the short ones does not read past them.
create table adverts (
  guid text not null primary key,
  owner text,
  created_at integer not null,
  title text not null,
  title_key text not null,
  deadline integer,
  category_key text,
  link_txt text not null,
  link_url text not null,
  is_image integer not null check (is_image in (0, 1)),
  img_guid text,
  ip text not null,
  retry_key blob,
  detail text not null,
  search_text text not null,
  held_at integer,
  removed_at integer,
  updated_at integer default 0 not null,
  search_id integer
) strict;
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

-- The terms of texts (../text-index.ts).
create virtual table advert_search
  using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');


-- Images

-- A file by its SHA-256; however many records have it, it is stored once.
create table image_files (
  hash text not null primary key,
  stored_as text not null unique,
  format text not null,
  width integer not null,
  height integer not null,
  frames integer not null,
  bytes integer not null,
  stored_at integer not null,
  deleted_at integer,
  served_format text
) strict;

-- `visibility`: 0 listed, 1 for whoever has the URL, 2 withdrawn.
create table images (
  id integer not null primary key,
  guid text not null unique,
  owner text,
  hash text not null references image_files (hash),
  bytes integer not null,
  link_guid text,
  linked_category text,
  category text not null,
  category_key text,
  category_order text not null,
  is_icon integer not null,
  created_at integer not null,
  updated_at integer not null,
  ip text,
  claimed_ip text,
  token_id text,
  search_text text not null,
  held_at integer,
  removed_at integer,
  visibility integer default 0 not null,
  icon_at integer
) strict;
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
) strict;

-- The terms of texts (../text-index.ts).
create virtual table image_search
  using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');


-- Reviews

-- One row for each voter and subject.
create table reviews (
  id text not null primary key,
  subject text not null,
  voter text not null,
  positive integer check (positive in (0, 1)),
  rating integer,
  remark text,
  ip text not null,
  claimed_ip text,
  created_at integer not null,
  updated_at integer not null,
  held_at integer,
  removed_at integer,
  constraint reviews_once unique (subject, voter)
) strict;
create index reviews_held on reviews (id) where held_at is not null;
create index reviews_removed on reviews (id) where removed_at is not null;
create index reviews_of_subject on reviews (subject, id);
create index reviews_of_voter on reviews (voter, id);

-- What readers report of published records.
create table reports (
  id text not null primary key,
  target_kind text not null,
  target_key text not null,
  reporter text not null,
  reason text not null,
  detail text not null,
  created_at integer not null,
  closed_at integer,
  constraint reports_once unique (target_key, target_kind, reporter)
) strict;
create index reports_open on reports (id) where closed_at is null;
create index reports_of_record on reports (target_key, id);
create index reports_by_age on reports (created_at);

-- What they add up to, so that a review costs the same however many there are.
create table review_tallies (
  subject text not null primary key,
  votes integer not null,
  positive integer not null,
  marks integer not null,
  ratings integer not null
) strict;


-- Phone numbers

-- The secrets that codes are hashed with, one for each period of rotation.
create table code_keys (
  id integer not null primary key,
  secret blob not null
) strict;

-- The newest code of each user and number; the code itself is not stored.
create table phone_codes (
  user_id text not null,
  phone text not null,
  id text not null,
  key_id integer not null,
  hash blob not null,
  attempts integer not null,
  expires_at integer not null,
  constraint phone_codes_key primary key (user_id, phone)
) strict;
create index phone_codes_by_expiry on phone_codes (expires_at);
create index phone_codes_by_phone on phone_codes (phone);
create index phone_codes_by_end on phone_codes (substr(phone, length(phone) - 3));

-- Codes that were used up, as long as their caller may not know.
create table used_codes (
  id text not null primary key,
  user_id text not null,
  phone text not null,
  token_id text,
  key_id integer not null,
  hash blob not null,
  attempts integer not null,
  used_at integer not null
) strict;
create index used_codes_by_holder on used_codes (user_id, phone);
create index used_codes_by_time on used_codes (used_at);

-- When a user last proved to have a number.
create table phone_verifications (
  user_id text not null,
  phone text not null,
  verified_at integer not null,
  constraint phone_verifications_key primary key (user_id, phone)
) strict;
create index phone_verifications_by_time on phone_verifications (verified_at);
create index phone_verifications_by_phone on phone_verifications (phone, verified_at, user_id);
create index phone_verifications_by_end on phone_verifications (substr(phone, length(phone) - 3));

-- Numbers that back ends verified before there was a user.
create table number_verifications (
  token_id text not null,
  phone text not null,
  verified_at integer not null,
  constraint number_verifications_key primary key (token_id, phone)
) strict;
create index number_verifications_by_time on number_verifications (verified_at);


-- Short links

-- Rows stay for ever, so that no code gets another target.
create table links (
  code text not null primary key,
  target text not null,
  user_id text,
  user_email text,
  deadline integer,
  request_hash blob not null,
  created_at integer not null,
  disabled_at integer
) strict;
create unique index links_live_once on links (request_hash) where disabled_at is null;
create index links_by_age on links (created_at, code);
create index links_disabled on links (created_at, code) where disabled_at is not null;
create index links_of_user on links (user_id, created_at, code);

-- In numbers by day only.
create table link_visits (
  code text not null,
  day text not null,
  visits integer not null,
  bots integer not null,
  heads integer not null,
  constraint link_visits_key primary key (code, day)
) strict;
-- Days that are not summed up into their month yet.
create index link_visits_by_day on link_visits (day) where substr(day, 9, 2) <> '01';

-- Where visits came from: hosts, countries and languages, in numbers by day.
create table link_visit_sources (
  code text not null,
  day text not null,
  kind text not null,
  name text not null,
  visits integer not null,
  constraint link_visit_sources_key primary key (code, day, kind, name)
) strict;


-- What goes out

-- Work that leaves the process, committed with the row that asked for it.
create table outbox (
  id text not null primary key,
  kind text not null,
  state text not null,
  attempts integer not null,
  deferrals integer not null,
  created_at integer not null,
  due_at integer,
  give_up_at integer not null,
  lease text,
  last_reply text,
  finished_at integer,
  queue text
) strict;
create index outbox_due on outbox (kind, due_at, id) where due_at is not null;
create index outbox_by_state on outbox (kind, state, id);
create index outbox_by_end on outbox (kind, finished_at);
create index outbox_of_queue on outbox (queue, state, id) where queue is not null;

create table mails (
  id text not null primary key,
  sender text not null,
  token_id text,
  ip text not null,
  receiver_name text not null,
  receiver_email text not null,
  receiver_key text not null,
  subject text not null,
  body text not null,
  reply_name text,
  reply_to text,
  message_id text not null,
  created_at integer not null,
  request_id text,
  notice_key text
) strict;
create index mails_by_sender on mails (sender, created_at, id);
create index mails_of_sender on mails (sender, id);
create index mails_by_receiver on mails (receiver_key, sender, created_at, id);
create index mails_to_receiver on mails (receiver_key, id);
create index mails_by_request on mails (request_id, id) where request_id is not null;

-- Calls that are recognised when they come again.
create table mail_repeats (
  hash blob not null primary key,
  mail_id text not null,
  until integer not null
) strict;
create index mail_repeats_by_end on mail_repeats (until);

-- Addresses that nothing is sent to.
create table mail_suppressions (
  address text not null primary key,
  reason text not null,
  detail text not null,
  mail_id text,
  created_at integer not null
) strict;

-- `sealed` is the code, encrypted; null as soon as it is not needed.
create table sms (
  id text not null primary key,
  user_id text not null,
  phone text not null,
  key_id integer not null,
  sealed blob,
  expires_at integer not null,
  created_at integer not null,
  request_id text,
  traceparent text
) strict;
-- Finds the codes to forget, twice a minute.
create index sms_sealed on sms (expires_at) where sealed is not null;
create index sms_of_user on sms (user_id, id);
create index sms_to_phone on sms (phone, id);
create index sms_by_request on sms (request_id, id) where request_id is not null;


-- What happened

-- The ledger of creations that counts are made from; nothing leaves it with a record.
create table postings (
  id integer not null primary key,
  kind integer not null,
  record_key text not null,
  user_id text,
  network text not null,
  at integer not null
) strict;
-- Counts of every kind use these: `kind in (1, 2, 3, 4)` is one range of the index for each.
create index postings_by_user_id on postings (user_id, kind, at);
create index postings_by_network on postings (network, kind, at);
create index postings_by_record on postings (kind, record_key, id);

-- Rows are added and never changed.
create table audit (
  id text not null primary key,
  at integer not null,
  token_id text,
  action text not null,
  target_kind text not null,
  target_key text,
  address text,
  details text not null,
  request_id text
) strict;
create index audit_by_target on audit (target_key, id);
-- What is done so often that it is found without an index is left out: each write would pay.
create index audit_of_few on audit (action, id)
  where action not in ('article.create', 'article.replace', 'advert.create', 'image.create');
create index audit_codes on audit (id) where substr(action, 1, 5) = 'code.';
create index audit_by_request on audit (request_id, id) where request_id is not null;

-- `seq` is the place in the order of delivery.
create table events (
  id text not null primary key,
  seq integer,
  at integer not null,
  type text not null,
  kind text not null,
  key text,
  data text not null,
  request_id text
) strict;
create unique index events_by_seq on events (seq);

-- The number of the last event that was taken for webhooks: one row.
create table event_sequence (
  id integer not null primary key,
  last integer not null
) strict;
insert into event_sequence (id, last) values (1, 0);

create table webhooks (
  id text not null primary key,
  url text not null,
  label text not null,
  types text not null,
  secrets text not null,
  created_at integer not null,
  disabled_at integer,
  disabled_reason text,
  retried_at integer
) strict;

-- Events on their way to a webhook; how far they are is in `outbox`.
create table webhook_deliveries (
  id text not null primary key,
  webhook_id text not null,
  event_id text not null,
  tries text
) strict;
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);


-- Searches by words

-- The words of records, by which the lists of the API and the console find them. A record has a row
-- in `search_records`, and its terms under the id of that (../record-index.ts). Terms begin with the slice
-- of their record: some thousand neighbours in the order of the list, from `first` to `last`. The triggers
-- of search.ts note in `search_changes` what is not indexed yet, one letter a table.
create table search_records (
  id integer not null primary key,
  kind text not null,
  key text not null,
  slice text not null,
  constraint search_records_once unique (kind, key)
) strict;
create index search_records_by_slice on search_records (kind, slice);
create table search_slices (
  kind text not null,
  slice text not null,
  first text not null,
  last text not null,
  primary key (kind, slice)
) strict;
create table search_changes (
  id integer not null primary key,
  kind text not null,
  key text not null
) strict;
create virtual table record_search
  using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
-- Its terms, as it keeps them.
create virtual table record_search_terms using fts5vocab(record_search, instance);


-- views.ts
-- makes what other programs read, here. SQLite's integrity check leaves out the free pages of a schema
-- that ends with views.


-- The service itself

-- What is used up of each budget in its present window.
create table budgets (
  name text not null,
  key text not null,
  used integer not null,
  resets_at integer not null,
  constraint budgets_key primary key (name, key)
) strict;
create index budgets_by_reset on budgets (resets_at);

-- Settings that were changed while the service ran.
create table settings (
  variable text not null primary key,
  value text not null,
  changed_at integer not null,
  changed_by text
) strict;

-- What an operator has switched off; what is on has no row.
create table switches (
  name text not null,
  off_since integer not null,
  constraint switches_key primary key (name)
) strict;

create table backups (
  id text not null primary key,
  slot integer,
  target text not null,
  name text not null,
  started_at integer not null,
  finished_at integer,
  verified_at integer,
  bytes integer,
  images integer,
  error text,
  step text,
  done integer,
  total integer,
  seen_at integer,
  check_started_at integer,
  check_started_by text,
  checked_at integer,
  checked_by text,
  verdict text,
  fault text
) strict;
create unique index backups_by_slot on backups (slot);
create index backups_by_verified on backups (verified_at);

-- The answered calls of all nodes, by minute and by hour; `ms_…` are how many took at most so long.
create table call_counts (
  step text not null,
  at integer not null,
  operation text not null,
  binding text not null,
  error text not null,
  calls integer not null,
  us integer not null,
  ms_1 integer not null,
  ms_2 integer not null,
  ms_5 integer not null,
  ms_10 integer not null,
  ms_20 integer not null,
  ms_50 integer not null,
  ms_100 integer not null,
  ms_200 integer not null,
  ms_500 integer not null,
  ms_1000 integer not null,
  ms_2000 integer not null,
  ms_5000 integer not null,
  ms_10000 integer not null,
  ms_more integer not null,
  constraint call_counts_key primary key (step, at, operation, binding, error)
) strict;

-- Calls that were answered with an error.
create table failed_calls (
  id text not null primary key,
  at integer not null,
  request_id text not null,
  operation text,
  binding text not null,
  status integer not null,
  error text not null,
  parameter text,
  reason text,
  us integer not null,
  address text not null,
  token_id text,
  user_id text,
  target_kind text,
  target_key text,
  more_alike integer
) strict;
create index failed_calls_by_request on failed_calls (request_id, id);
create index failed_calls_by_operation on failed_calls (operation, id);
create index failed_calls_by_error on failed_calls (error, id);
create index failed_calls_by_user on failed_calls (user_id, id);
create index failed_calls_by_target on failed_calls (target_key, id);

-- How far an import is, so that it goes on where it was interrupted.
create table imports (
  id text not null,
  kind text not null,
  offset_bytes integer not null,
  line integer not null,
  added integer not null,
  present integer not null,
  refused integer not null,
  refused_bytes integer not null,
  updated_at integer not null,
  changed integer,
  constraint imports_key primary key (id, kind)
) strict;

-- Indexes that an import took away; the next start makes them again.
create table absent_indexes (
  name text not null primary key,
  sql text not null
) strict;

-- One row: the latest time that is known, and what decides whether anything is deleted.
create table service_time (
  id integer not null primary key check (id = 1),
  at integer not null,
  purge_at integer,
  purge_held_since integer,
  files_id text,
  sweep_held_for text,
  sweep_held_since integer,
  lost_commits integer,
  lost_since integer,
  lost_mark integer,
  folding integer
) strict;

-- One row, written by the readiness check.
create table store_probe (
  id integer not null primary key check (id = 1),
  at integer not null
) strict;

-- The changes of the schema that the database has (changes.ts).
create table schema_migrations (
  name text not null primary key,
  applied_at integer not null
) strict;
