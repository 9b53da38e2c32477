create table "schema_migrations" ("name" text not null primary key, "applied_at" integer not null) strict;
create table "users" ("id" text not null primary key, "registered" integer not null check (registered in (0, 1)), "name" text, "email" text, "first_name" text, "last_name" text, "zip_code" text, "state" text, "city" text, "address" text, "address2" text, "cell_phone" text, "cell_phone_verified_at" integer, "created_at" integer not null, "updated_at" integer not null, "blocked_at" integer) strict;
create table "tokens" ("id" text not null primary key, "hash" blob not null unique, "label" text not null, "kind" text not null check (kind in ('service', 'user', 'admin')), "user_id" text, "scopes" text not null, "created_at" integer not null, "expires_at" integer, "revoked_at" integer, "last_used_at" integer) strict;
create table "categories" ("key" text not null primary key, "created_at" integer not null) strict;
create table "articles" ("guid" text not null primary key, "owner" text, "caption" text not null, "content" text not null, "category_key" text, "contact_phone" text not null, "pinned_until" integer, "icon_guid" text, "status" integer not null, "from_url" text not null, "ip" text, "claimed_ip" text, "token_id" text, "created_at" integer not null, "updated_at" integer not null, "deleted_at" integer, "revision" integer not null, "held_at" integer, "removed_at" integer) strict;
create index "articles_in_trash" on "articles" ("deleted_at") where "deleted_at" is not null;
create table "article_revisions" ("article_guid" text not null references "articles" ("guid") on delete cascade, "revision" integer not null, "caption" text not null, "content" text not null, "category_key" text, "contact_phone" text not null, "pinned_until" integer, "icon_guid" text, "status" integer not null, "from_url" text not null, "ip" text, "claimed_ip" text, "token_id" text, "recorded_at" integer not null, constraint "article_revisions_key" primary key ("article_guid", "revision")) strict;
create table "audit" ("id" text not null primary key, "at" integer not null, "token_id" text, "action" text not null, "target_kind" text not null, "target_key" text, "address" text, "details" text not null, "request_id" text) strict;
create table "store_probe" ("id" integer not null primary key check (id = 1), "at" integer not null) strict;
create table "adverts" ("guid" text not null primary key, "owner" text, "created_at" integer not null, "title" text not null, "title_key" text not null, "deadline" integer, "category_key" text, "link_txt" text not null, "link_url" text not null, "is_image" integer not null check (is_image in (0, 1)), "img_guid" text, "ip" text not null, "retry_key" blob, "detail" text not null, "search_text" text not null, "held_at" integer, "removed_at" integer, "updated_at" integer default 0 not null, "search_id" integer) strict;
create unique index "adverts_by_retry_key" on "adverts" ("retry_key") where "retry_key" is not null;
create table "code_keys" ("id" integer not null primary key, "secret" blob not null) strict;
create table "phone_codes" ("user_id" text not null, "phone" text not null, "id" text not null, "key_id" integer not null, "hash" blob not null, "attempts" integer not null, "expires_at" integer not null, constraint "phone_codes_key" primary key ("user_id", "phone")) strict;
create index "phone_codes_by_expiry" on "phone_codes" ("expires_at");
create table "phone_verifications" ("user_id" text not null, "phone" text not null, "verified_at" integer not null, constraint "phone_verifications_key" primary key ("user_id", "phone")) strict;
create table "links" ("code" text not null primary key, "target" text not null, "user_id" text, "user_email" text, "deadline" integer, "request_hash" blob not null, "created_at" integer not null, "disabled_at" integer) strict;
create unique index "links_live_once" on "links" ("request_hash") where "disabled_at" is null;
create index "links_by_age" on "links" ("created_at", "code");
create table "link_visits" ("code" text not null, "day" text not null, "visits" integer not null, "bots" integer not null, "heads" integer not null, constraint "link_visits_key" primary key ("code", "day")) strict;
create table "budgets" ("name" text not null, "key" text not null, "used" integer not null, "resets_at" integer not null, constraint "budgets_key" primary key ("name", "key")) strict;
create index "budgets_by_reset" on "budgets" ("resets_at");
create table "image_files" ("hash" text not null primary key, "stored_as" text not null unique, "format" text not null, "width" integer not null, "height" integer not null, "frames" integer not null, "bytes" integer not null, "stored_at" integer not null, "deleted_at" integer, "served_format" text) strict;
create table "images" ("id" integer not null primary key, "guid" text not null unique, "owner" text, "hash" text not null references "image_files" ("hash"), "bytes" integer not null, "link_guid" text, "linked_category" text, "category" text not null, "category_key" text, "category_order" text not null, "is_icon" integer not null, "created_at" integer not null, "updated_at" integer not null, "ip" text, "claimed_ip" text, "token_id" text, "search_text" text not null, "held_at" integer, "removed_at" integer, "visibility" integer default 0 not null, "icon_at" integer) strict;
create index "images_by_hash" on "images" ("hash");
create index "images_by_link" on "images" ("link_guid", "created_at", "guid");
create table "image_totals" ("shard" integer not null primary key, "images" integer not null, "icons" integer not null) strict;
create virtual table "image_search" using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
create table "outbox" ("id" text not null primary key, "kind" text not null, "state" text not null, "attempts" integer not null, "deferrals" integer not null, "created_at" integer not null, "due_at" integer, "give_up_at" integer not null, "lease" text, "last_reply" text, "finished_at" integer) strict;
create index "outbox_due" on "outbox" ("kind", "due_at", "id") where "due_at" is not null;
create index "outbox_by_state" on "outbox" ("kind", "state", "id");
create index "outbox_by_end" on "outbox" ("kind", "finished_at");
create table "mails" ("id" text not null primary key, "sender" text not null, "token_id" text, "ip" text not null, "receiver_name" text not null, "receiver_email" text not null, "receiver_key" text not null, "subject" text not null, "body" text not null, "reply_name" text, "reply_to" text, "message_id" text not null, "created_at" integer not null, "request_id" text) strict;
create index "mails_by_sender" on "mails" ("sender", "created_at", "id");
create index "mails_by_receiver" on "mails" ("receiver_key", "sender", "created_at", "id");
create table "mail_repeats" ("hash" blob not null primary key, "mail_id" text not null, "until" integer not null) strict;
create index "mail_repeats_by_end" on "mail_repeats" ("until");
create table "mail_suppressions" ("address" text not null primary key, "reason" text not null, "detail" text not null, "mail_id" text, "created_at" integer not null) strict;
create table "sms" ("id" text not null primary key, "user_id" text not null, "phone" text not null, "key_id" integer not null, "sealed" blob, "expires_at" integer not null, "created_at" integer not null, "request_id" text, "traceparent" text) strict;
create table "review_tallies" ("subject" text not null primary key, "votes" integer not null, "positive" integer not null, "marks" integer not null, "ratings" integer not null) strict;
create index "sms_sealed" on "sms" ("expires_at") where "sealed" is not null;
create index "adverts_by_owner" on "adverts" ("owner", "created_at", "guid") where held_at is null and removed_at is null;
create index "adverts_by_title" on "adverts" ("owner", "title_key", "guid", "deadline", "category_key") where held_at is null and removed_at is null;
create index "images_by_creation" on "images" ("created_at", "guid") where visibility = 0;
create index "images_by_icon" on "images" ("is_icon", "created_at", "guid") where visibility = 0;
create index "images_by_size" on "images" ("bytes", "guid") where visibility = 0;
create index "images_in_category_order" on "images" ("category_order", "guid") where visibility = 0;
create index "images_by_category" on "images" ("category_key", "created_at", "guid", "bytes") where visibility = 0;
create index "images_by_linked_category" on "images" ("linked_category", "created_at", "guid", "bytes", "category_key") where visibility = 0;
create index "images_by_marking" on "images" ("icon_at", "guid") where visibility = 0 and is_icon = 1;
create index "audit_by_target" on "audit" ("target_key", "id");
create table "postings" ("id" integer not null primary key, "kind" integer not null, "record_key" text not null, "user_id" text, "network" text not null, "at" integer not null) strict;
create index "postings_by_user_id" on "postings" ("user_id", "kind", "at");
create index "postings_by_network" on "postings" ("network", "kind", "at");
create table "reviews" ("id" text not null primary key, "subject" text not null, "voter" text not null, "positive" integer check (positive in (0, 1)), "rating" integer, "remark" text, "ip" text not null, "claimed_ip" text, "created_at" integer not null, "updated_at" integer not null, "held_at" integer, "removed_at" integer, constraint "reviews_once" unique ("subject", "voter")) strict;
create index "postings_by_record" on "postings" ("kind", "record_key", "id");
create table "token_networks" ("token_id" text not null, "network" text not null, "used_at" integer not null, constraint "token_networks_key" primary key ("token_id", "network")) strict;
create index "token_networks_by_use" on "token_networks" ("used_at");
create table "number_verifications" ("token_id" text not null, "phone" text not null, "verified_at" integer not null, constraint "number_verifications_key" primary key ("token_id", "phone")) strict;
create index "number_verifications_by_time" on "number_verifications" ("verified_at");
create table "switches" ("name" text not null, "off_since" integer not null, constraint "switches_key" primary key ("name")) strict;
create view "v1_images" as select images.guid, images.owner, images.link_guid, images.category, images.is_icon, strftime('%Y-%m-%dT%H:%M:%S', (images.icon_at - ((images.icon_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((images.icon_at % 1000 + 1000) % 1000)) as marked_at, images.icon_at as marked_ms, '/media/' || images.hash || '.' || (case coalesce(files.served_format, files.format) when 'jpeg' then 'jpg' else coalesce(files.served_format, files.format) end) as path, '/media/' || images.hash || '-icon.' || (case case files.format when 'gif' then 'png' else files.format end when 'jpeg' then 'jpg' else case files.format when 'gif' then 'png' else files.format end end) as icon_path, 'image/' || coalesce(files.served_format, files.format) as content_type, files.width, files.height, images.bytes, strftime('%Y-%m-%dT%H:%M:%S', (images.created_at - ((images.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((images.created_at % 1000 + 1000) % 1000)) as created_at, images.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (images.updated_at - ((images.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((images.updated_at % 1000 + 1000) % 1000)) as updated_at, images.updated_at as updated_ms from images join image_files files on files.hash = images.hash where images.visibility = 0;
create view "v1_articles" as select articles.guid, articles.owner, articles.caption, articles.content, articles.category_key as category, articles.contact_phone, strftime('%Y-%m-%dT%H:%M:%S', (articles.pinned_until - ((articles.pinned_until % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.pinned_until % 1000 + 1000) % 1000)) as pinned_until, case when articles.pinned_until > cast(strftime('%s', 'now') as integer) * 1000 then 1 else 0 end as is_pinned, articles.icon_guid, coalesce( (select icon_path from v1_images where v1_images.link_guid = articles.guid and is_icon = 1 order by marked_ms desc, guid desc limit 1), (select icon_path from v1_images where v1_images.guid = articles.icon_guid)) as icon_path, articles.status, articles.from_url, articles.revision, strftime('%Y-%m-%dT%H:%M:%S', (articles.created_at - ((articles.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.created_at % 1000 + 1000) % 1000)) as created_at, articles.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (articles.updated_at - ((articles.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.updated_at % 1000 + 1000) % 1000)) as updated_at, articles.updated_at as updated_ms from articles where articles.deleted_at is null and articles.held_at is null and articles.removed_at is null and articles.status not in (1, 2, 3);
create view "v1_articles_all" as select articles.guid, articles.owner, articles.caption, articles.content, articles.category_key as category, articles.contact_phone, strftime('%Y-%m-%dT%H:%M:%S', (articles.pinned_until - ((articles.pinned_until % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.pinned_until % 1000 + 1000) % 1000)) as pinned_until, case when articles.pinned_until > cast(strftime('%s', 'now') as integer) * 1000 then 1 else 0 end as is_pinned, articles.icon_guid, coalesce( (select icon_path from v1_images where v1_images.link_guid = articles.guid and is_icon = 1 order by marked_ms desc, guid desc limit 1), (select icon_path from v1_images where v1_images.guid = articles.icon_guid)) as icon_path, articles.status, articles.from_url, articles.revision, strftime('%Y-%m-%dT%H:%M:%S', (articles.created_at - ((articles.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.created_at % 1000 + 1000) % 1000)) as created_at, articles.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (articles.updated_at - ((articles.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.updated_at % 1000 + 1000) % 1000)) as updated_at, articles.updated_at as updated_ms, case when articles.deleted_at is null and articles.held_at is null and articles.removed_at is null and articles.status not in (1, 2, 3) then 1 else 0 end as is_public, strftime('%Y-%m-%dT%H:%M:%S', (articles.deleted_at - ((articles.deleted_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.deleted_at % 1000 + 1000) % 1000)) as deleted_at, strftime('%Y-%m-%dT%H:%M:%S', (articles.held_at - ((articles.held_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.held_at % 1000 + 1000) % 1000)) as held_at, strftime('%Y-%m-%dT%H:%M:%S', (articles.removed_at - ((articles.removed_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((articles.removed_at % 1000 + 1000) % 1000)) as removed_at from articles;
create view "v1_revisions" as select article_guid, revision, caption, content, category_key as category, contact_phone, strftime('%Y-%m-%dT%H:%M:%S', (pinned_until - ((pinned_until % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((pinned_until % 1000 + 1000) % 1000)) as pinned_until, icon_guid, status, from_url, strftime('%Y-%m-%dT%H:%M:%S', (recorded_at - ((recorded_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((recorded_at % 1000 + 1000) % 1000)) as replaced_at, recorded_at as replaced_ms from article_revisions;
create view "v1_adverts" as select adverts.guid, adverts.owner, adverts.title, adverts.detail, adverts.link_txt as link_text, adverts.link_url, strftime('%Y-%m-%dT%H:%M:%S', (adverts.deadline - ((adverts.deadline % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((adverts.deadline % 1000 + 1000) % 1000)) as deadline, adverts.deadline as deadline_ms, case when adverts.deadline is null or adverts.deadline > cast(strftime('%s', 'now') as integer) * 1000 then 1 else 0 end as is_current, adverts.category_key as category, adverts.is_image, adverts.img_guid as image_guid, (select path from v1_images where v1_images.guid = adverts.img_guid) as image_path, strftime('%Y-%m-%dT%H:%M:%S', (adverts.created_at - ((adverts.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((adverts.created_at % 1000 + 1000) % 1000)) as created_at, adverts.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (adverts.updated_at - ((adverts.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((adverts.updated_at % 1000 + 1000) % 1000)) as updated_at, adverts.updated_at as updated_ms from adverts where held_at is null and removed_at is null;
create view "v1_users" as select id, registered as is_registered, name, email, first_name, last_name, zip_code, state, city, address, address2, cell_phone, strftime('%Y-%m-%dT%H:%M:%S', (cell_phone_verified_at - ((cell_phone_verified_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((cell_phone_verified_at % 1000 + 1000) % 1000)) as cell_phone_verified_at, strftime('%Y-%m-%dT%H:%M:%S', (users.created_at - ((users.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((users.created_at % 1000 + 1000) % 1000)) as created_at, users.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (users.updated_at - ((users.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((users.updated_at % 1000 + 1000) % 1000)) as updated_at, users.updated_at as updated_ms from users;
create view "v1_reviews" as select id, subject, case when voter like 'user:%' then substr(voter, 6) end as user_id, positive as is_positive, cast(rating as double precision) / 100 as mark, remark, strftime('%Y-%m-%dT%H:%M:%S', (reviews.created_at - ((reviews.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((reviews.created_at % 1000 + 1000) % 1000)) as created_at, reviews.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (reviews.updated_at - ((reviews.updated_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((reviews.updated_at % 1000 + 1000) % 1000)) as updated_at, reviews.updated_at as updated_ms from reviews where held_at is null and removed_at is null;
create view "v1_review_tallies" as select subject, positive, votes - positive as negative, marks, case when marks > 0 then cast(ratings as double precision) / 100 / marks end as average_mark, case when positive = 0 then 0.0 else ((cast(positive as double precision) / votes) + 3.841458820694124 / (2.0 * votes) - 1.959963984540054 * sqrt(((cast(positive as double precision) / votes) * (1 - (cast(positive as double precision) / votes)) + 3.841458820694124 / (4.0 * votes)) / votes)) / (1 + 3.841458820694124 / votes) end as score from review_tallies;
create view "v1_links" as select code, target, user_id, strftime('%Y-%m-%dT%H:%M:%S', (deadline - ((deadline % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((deadline % 1000 + 1000) % 1000)) as deadline, strftime('%Y-%m-%dT%H:%M:%S', (disabled_at - ((disabled_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((disabled_at % 1000 + 1000) % 1000)) as disabled_at, case when disabled_at is null and (deadline is null or deadline > cast(strftime('%s', 'now') as integer) * 1000) then 1 else 0 end as is_live, coalesce((select sum(visits) from link_visits where link_visits.code = links.code), 0) as visits, strftime('%Y-%m-%dT%H:%M:%S', (created_at - ((created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((created_at % 1000 + 1000) % 1000)) as created_at, created_at as created_ms from links;
create view "v1_mails" as select mails.id, mails.sender, mails.receiver_name, mails.receiver_email, mails.subject, outbox.state as status, outbox.attempts, strftime('%Y-%m-%dT%H:%M:%S', (mails.created_at - ((mails.created_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((mails.created_at % 1000 + 1000) % 1000)) as created_at, mails.created_at as created_ms, strftime('%Y-%m-%dT%H:%M:%S', (outbox.finished_at - ((outbox.finished_at % 1000 + 1000) % 1000)) / 1000, 'unixepoch') || printf('.%03dZ', ((outbox.finished_at % 1000 + 1000) % 1000)) as finished_at, outbox.last_reply from mails join outbox on outbox.id = mails.id;
create index articles_by_creation on articles (created_at, guid);
create index articles_of_owner on articles (owner, created_at, guid);
create index articles_of_category on articles (category_key, created_at, guid);
create index articles_by_status on articles (status, created_at, guid) where status <> 0;
create index articles_trashed on articles (created_at, guid) where deleted_at is not null;
create index adverts_by_creation on adverts (created_at, guid);
create index adverts_of_owner on adverts (owner, created_at, guid);
create index adverts_of_category on adverts (category_key, created_at, guid);
create index images_of_owner on images (owner, id);
create index images_icons_of_record on images (link_guid, icon_at, guid) where visibility = 0 and is_icon = 1;
create index images_of_record on images (link_guid, id);
create index articles_held on articles (created_at, guid) where held_at is not null;
create index articles_removed on articles (created_at, guid) where removed_at is not null;
create index adverts_held on adverts (created_at, guid) where held_at is not null;
create index adverts_removed on adverts (created_at, guid) where removed_at is not null;
create index images_held on images (id) where held_at is not null;
create index images_removed on images (id) where removed_at is not null;
create index reviews_held on reviews (id) where held_at is not null;
create index reviews_removed on reviews (id) where removed_at is not null;
create index reviews_of_subject on reviews (subject, id);
create index reviews_of_voter on reviews (voter, id);
create index users_by_creation on users (created_at, id);
create index users_registered on users (created_at, id) where registered = 1;
create index users_by_email on users (lower(email), created_at, id) where email is not null;
create index users_by_phone on users (cell_phone, created_at, id) where cell_phone is not null;
create index users_blocked on users (created_at, id) where blocked_at is not null;
create index links_disabled on links (created_at, code) where disabled_at is not null;
create index links_of_user on links (user_id, created_at, code);
create index sms_of_user on sms (user_id, id);
create index sms_to_phone on sms (phone, id);
create index mails_to_receiver on mails (receiver_key, id);
create index audit_of_few on audit (action, id) where action not in ('article.create', 'article.replace', 'advert.create', 'image.create');
create index audit_codes on audit (id) where substr(action, 1, 5) = 'code.';
create table "used_codes" ("id" text not null primary key, "user_id" text not null, "phone" text not null, "token_id" text, "key_id" integer not null, "hash" blob not null, "attempts" integer not null, "used_at" integer not null) strict;
create index "used_codes_by_holder" on "used_codes" ("user_id", "phone");
create index "used_codes_by_time" on "used_codes" ("used_at");
create table "admins" ("id" text not null primary key, "name" text not null, "name_key" text not null unique, "role" text not null, "password" text, "created_at" integer not null, "signed_in_at" integer) strict;
create table "admin_links" ("admin_id" text not null primary key, "hash" blob not null unique, "created_at" integer not null, "expires_at" integer not null) strict;
create table "admin_sessions" ("hash" blob not null primary key, "admin_id" text not null, "created_at" integer not null, "seen_at" integer not null, "address" text not null, "agent" text not null) strict;
create index "admin_sessions_by_admin" on "admin_sessions" ("admin_id");
create table "admin_passkeys" ("id" text not null primary key, "admin_id" text not null, "public_key" blob not null, "counter" integer not null, "transports" text not null, "created_at" integer not null, "used_at" integer) strict;
create index "admin_passkeys_by_admin" on "admin_passkeys" ("admin_id");
create table "admin_challenges" ("challenge" text not null primary key, "expires_at" integer not null) strict;
create table "backups" ("id" text not null primary key, "slot" integer, "target" text not null, "name" text not null, "started_at" integer not null, "finished_at" integer, "verified_at" integer, "bytes" integer, "images" integer, "error" text) strict;
create unique index "backups_by_slot" on "backups" ("slot");
create index "backups_by_verified" on "backups" ("verified_at");
create table "imports" ("id" text not null, "kind" text not null, "offset_bytes" integer not null, "line" integer not null, "added" integer not null, "present" integer not null, "refused" integer not null, "refused_bytes" integer not null, "updated_at" integer not null, constraint "imports_key" primary key ("id", "kind")) strict;
create index "article_revisions_by_time" on "article_revisions" ("recorded_at");
create index "phone_verifications_by_time" on "phone_verifications" ("verified_at");
create index "images_removed_by_time" on "images" ("removed_at") where removed_at is not null;
create index link_visits_by_day on link_visits (day) where substr(day, 9, 2) <> '01';
create table "absent_indexes" ("name" text not null primary key, "sql" text not null) strict;
create index "audit_by_request" on "audit" ("request_id", "id") where "request_id" is not null;
create index "mails_by_request" on "mails" ("request_id", "id") where "request_id" is not null;
create index "sms_by_request" on "sms" ("request_id", "id") where "request_id" is not null;
create table "legal_holds" ("user_id" text not null primary key, "reason" text not null, "set_by" text not null, "set_at" integer not null, "until" integer) strict;
create table "service_time" ("id" integer not null primary key check (id = 1), "at" integer not null, "purge_at" integer, "purge_held_since" integer) strict;
create table "events" ("id" text not null primary key, "seq" integer, "at" integer not null, "type" text not null, "kind" text not null, "key" text, "data" text not null, "request_id" text) strict;
create unique index "events_by_seq" on "events" ("seq");
create table "event_sequence" ("id" integer not null primary key, "last" integer not null) strict;
create table "webhooks" ("id" text not null primary key, "url" text not null, "label" text not null, "types" text not null, "secrets" text not null, "created_at" integer not null, "disabled_at" integer, "disabled_reason" text, "retried_at" integer) strict;
create table "webhook_deliveries" ("id" text not null primary key, "webhook_id" text not null, "event_id" text not null) strict;
create index "webhook_deliveries_by_webhook" on "webhook_deliveries" ("webhook_id", "id");
create index "webhook_deliveries_by_event" on "webhook_deliveries" ("event_id");
create table "link_visit_sources" ("code" text not null, "day" text not null, "kind" text not null, "name" text not null, "visits" integer not null, constraint "link_visit_sources_key" primary key ("code", "day", "kind", "name")) strict;
create virtual table "advert_search" using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii');
create index "adverts_by_search" on "adverts" ("owner", "search_id") where held_at is null and removed_at is null;
create unique index "adverts_by_search_id" on "adverts" ("search_id") where "search_id" is not null;
create index users_by_email_and_id on users (lower(email), id) where email is not null;
create index users_by_phone_and_id on users (cell_phone, id) where cell_phone is not null;
create index users_blocked_by_id on users (id) where blocked_at is not null;
create index users_registered_by_id on users (id) where registered = 1;
create index "phone_verifications_by_phone" on "phone_verifications" ("phone", "verified_at", "user_id");
insert into image_files (hash, stored_as, format, width, height, frames, bytes, stored_at, deleted_at, served_format) values
  ('584f8aa8b6282c1e6217117c140614461486b07f36c77ebaa9a61de927d4030f', '584f8aa8b6282c1e6217117c140614461486b07f36c77ebaa9a61de927d4030f-c40628b3-7712-4c03-96ac-f5ec6f305c13', 'png', 8, 8, 1, 68, 1795812688049, 1795812688897, null),
  ('dacd6b9183010f3e57b66fa26f5d3bd3bed30e5147a874bb29b34623e9ba0836', 'dacd6b9183010f3e57b66fa26f5d3bd3bed30e5147a874bb29b34623e9ba0836-5c5f125f-e97f-4423-ac4e-8caeb10a7986', 'png', 9, 9, 1, 68, 1795812688897, null, null);
insert into articles (guid, owner, caption, content, category_key, contact_phone, pinned_until, icon_guid, status, from_url, ip, claimed_ip, token_id, created_at, updated_at, deleted_at, revision, held_at, removed_at) values
  ('a', 'ada', 'with an image', '', null, '', 1896048000000, 'i', 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812687817, 1795812689512, 1795812689512, 4, null, null),
  ('b', null, 'back again', '', null, '', null, null, 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812687893, 1795812689508, null, 2, null, null);
insert into schema_migrations (name, applied_at) values
  ('0001_articles', 1795812686348),
  ('0002_adverts_and_reviews', 1795812686350),
  ('0003_phone_links_budgets', 1795812686373),
  ('0004_images', 1795812686385),
  ('0005_outbox_mail_sms', 1795812686402),
  ('0006_review_tallies', 1795812686425),
  ('0007_sealed_sms', 1795812686430),
  ('0008_images_by_linked_category', 1795812686431),
  ('0009_articles_by_key_alone', 1795812686431),
  ('0010_images_by_size_in_category', 1795812686432),
  ('0011_adverts_by_title', 1795812686432),
  ('0012_served_formats', 1795812686433),
  ('0013_moderation', 1795812686492),
  ('0014_every_creation', 1795812686509),
  ('0015_token_networks', 1795812686510),
  ('0016_number_verifications', 1795812686510),
  ('0017_switches', 1795812686510),
  ('0018_views_v1', 1795812686530),
  ('0019_lists', 1795812686550),
  ('0020_used_codes', 1795812686550),
  ('0021_admins', 1795812686551),
  ('0022_backups', 1795812686552),
  ('0023_imports', 1795812686552),
  ('0024_retention', 1795812686569),
  ('0025_absent_indexes', 1795812686569),
  ('0026_request_ids', 1795812686594),
  ('0027_store_room', 1795812686594),
  ('0028_legal_holds', 1795812686594),
  ('0029_audit_partitions', 1795812686594),
  ('0030_service_time', 1795812686607),
  ('0031_events', 1795812686608),
  ('0032_link_visit_sources', 1795812686608),
  ('0033_purge_hold', 1795812686624),
  ('0034_advert_search', 1795812686642),
  ('0035_users_by_id', 1795812686642),
  ('0036_verified_phones', 1795812686642);
insert into users (id, registered, name, email, first_name, last_name, zip_code, state, city, address, address2, cell_phone, cell_phone_verified_at, created_at, updated_at, blocked_at) values
  ('ws01', 1, null, null, null, null, null, null, null, null, null, null, null, 1795812687189, 1795812687189, null),
  ('ada', 0, null, null, 'Ada', null, null, null, 'London', null, null, '+12125550100', 1795812689544, 1795812687592, 1795812687796, null),
  ('bob', 1, 'Bob', 'bob@example.com', null, null, null, null, null, null, null, null, null, 1795812696392, 1795812696392, null);
insert into tokens (id, hash, label, kind, user_id, scopes, created_at, expires_at, revoked_at, last_used_at) values
  ('01a21ec6-fd57-7000-87c3-208d785a3948', x'be57db2f477efee5e29c619c235d478da99bafc764f789a1be09579592777fca', 'BOOTSTRAP_TOKEN', 'service', 'ws01', 'articles adverts users phone counts images mail read manage', 1795812687189, null, null, 1795812687591),
  ('01a21ec7-27c8-7000-9f94-884802dd7c3c', x'6679cae7d9e77ad795ff3bc872165f5dafc48aed7747298bd718dec3a7c1919c', '', 'service', 'bob', 'articles adverts users phone counts images mail', 1795812698051, null, null, null);
insert into categories (key, created_at) values
  ('c', 1795812687817),
  ('d', 1795812687847),
  ('jobs', 1795812687905);
insert into article_revisions (article_guid, revision, caption, content, category_key, contact_phone, pinned_until, icon_guid, status, from_url, ip, claimed_ip, token_id, recorded_at) values
  ('a', 1, 'one', 'two', 'c', '', null, null, 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812687847),
  ('a', 2, 'other', 'two', 'd', '', null, null, 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812687856),
  ('a', 3, 'third', 'two', 'jobs', '', 1896048000000, null, 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812688923),
  ('b', 1, 'new', '', 'c', '', null, null, 0, '', '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 1795812689508);
insert into audit (id, at, token_id, action, target_kind, target_key, address, details, request_id) values
  ('01a21ec6-fd59-7000-aafd-d43269613c73', 1795812687189, null, 'token.bootstrap', 'token', '01a21ec6-fd57-7000-87c3-208d785a3948', null, '{"kind":"service","scopes":"articles adverts users phone counts images mail read manage","operator":"root"}', null),
  ('01a21ec6-fee9-7000-88a7-a916ec093b13', 1795812687592, '01a21ec6-fd57-7000-87c3-208d785a3948', 'user.update', 'user', 'ada', '127.0.0.1', '{"firstName":null}', '00ed0401-6b01-4dc0-ae6e-e876cd21590c'),
  ('01a21ec6-ff27-7000-8ba4-59a271a57454', 1795812687655, '01a21ec6-fd57-7000-87c3-208d785a3948', 'user.update', 'user', 'ada', '127.0.0.1', '{"city":null}', 'dcc222da-a1ae-4ae8-981b-cc5a7cbb6c12'),
  ('01a21ec6-ffc1-7000-9937-e02fb10567b1', 1795812687796, '01a21ec6-fd57-7000-87c3-208d785a3948', 'user.phone', 'user', 'ada', '127.0.0.1', '{"cellPhone":null,"verified":false}', '98d50cd0-4156-4f6f-ae8d-68f0aae04e68'),
  ('01a21ec6-ffcc-7000-b201-b3dc922c0d1f', 1795812687817, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.create', 'article', 'a', '127.0.0.1', '{"revision":1}', 'f16565b9-fa61-4276-938b-b92bd961c010'),
  ('01a21ec6-ffe8-7000-8e9f-d61c32e2501f', 1795812687847, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.replace', 'article', 'a', '127.0.0.1', '{"revision":2}', '8b7a51cd-2f88-4319-98ca-bba355424e45'),
  ('01a21ec6-fff1-7000-8110-0cc907b057a0', 1795812687856, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.replace', 'article', 'a', '127.0.0.1', '{"revision":3}', 'a3d84238-dc63-4da3-bfa9-7b102bca9d86'),
  ('01a21ec7-0015-7000-94f7-84a021bc87d8', 1795812687893, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.create', 'article', 'b', '127.0.0.1', '{"revision":1}', 'ba807263-5be3-414f-8f5e-d9010b1974cc'),
  ('01a21ec7-001e-7000-bf6c-e78f3647270c', 1795812687901, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.pin', 'article', 'a', '127.0.0.1', '{"from":null,"to":"2030-01-31T00:00:00.000Z"}', '2a1fd7c7-173c-4d76-a5e9-7520b1c01f47'),
  ('01a21ec7-0022-7000-a15c-858a9347e898', 1795812687905, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.categorise', 'article', 'a', '127.0.0.1', '{"from":"d","to":"jobs"}', '8fde1b08-6048-4660-ad5f-7d6a3ad9364e'),
  ('01a21ec7-005a-7000-a040-a81db5b6f43a', 1795812687961, '01a21ec6-fd57-7000-87c3-208d785a3948', 'advert.create', 'advert', 'ad', '127.0.0.1', '{}', 'f8859d8f-e355-45bc-a267-a5526fa69917'),
  ('01a21ec7-007d-7001-8df0-af3a6afad8b4', 1795812687982, '01a21ec6-fd57-7000-87c3-208d785a3948', 'advert.create', 'advert', '01a21ec7-007d-7000-ae43-92ba5244c3b8', '127.0.0.1', '{}', 'da25de93-0f23-40a7-8791-a1db4a2f1f93'),
  ('01a21ec7-03fb-7000-90c5-f4a284e8022b', 1795812688049, '01a21ec6-fd57-7000-87c3-208d785a3948', 'image.create', 'image', 'i', '127.0.0.1', '{"hash":"584f8aa8b6282c1e6217117c140614461486b07f36c77ebaa9a61de927d4030f","linkGuid":"a"}', 'c879969f-9402-4d13-a749-7df886386df3'),
  ('01a21ec7-0415-7000-a72f-615fc34ef295', 1795812688897, '01a21ec6-fd57-7000-87c3-208d785a3948', 'image.replace', 'image', 'i', '127.0.0.1', '{"hash":"584f8aa8b6282c1e6217117c140614461486b07f36c77ebaa9a61de927d4030f","linkGuid":"a","isIcon":true,"writtenBy":"01a21ec6-fd57-7000-87c3-208d785a3948","writtenFrom":"127.0.0.1","writtenAt":1795812688049}', 'fed46328-2c60-4152-86df-ad958c0f574d'),
  ('01a21ec7-0419-7000-b3e5-4bd0c3c1c896', 1795812688921, '01a21ec6-fd57-7000-87c3-208d785a3948', 'image.create', 'image', 'j', '127.0.0.1', '{"hash":"dacd6b9183010f3e57b66fa26f5d3bd3bed30e5147a874bb29b34623e9ba0836","linkGuid":null}', '311305e5-aae0-4e4a-99ba-e3400c5a0015'),
  ('01a21ec7-041c-7000-98b9-6359543e3380', 1795812688923, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.replace', 'article', 'a', '127.0.0.1', '{"revision":4}', 'a07aa86c-f663-40bc-bd1e-110ea361b1e0'),
  ('01a21ec7-05af-7000-a3c3-df56f2ba9cc9', 1795812689317, null, 'review.create', 'review', 'a', '127.0.0.1', '{"claimedUser":"u-1"}', 'b1603d74-ebde-4393-9f96-0448c9988b5e'),
  ('01a21ec7-05c5-7001-b6fa-501e1b06e767', 1795812689338, null, 'review.replace', 'review', 'a', '127.0.0.1', '{"claimedUser":"u-1"}', '5a6ee49e-1c7b-4288-9e01-b8930abcd7b2'),
  ('01a21ec7-05cd-7001-8f45-bfa7fd31dd8f', 1795812689357, null, 'review.create', 'review', 'a', '127.0.0.1', '{}', '4a34db01-0577-4dbb-8a33-20084fb5242c'),
  ('01a21ec7-05e5-7000-9be8-b99d8d635d48', 1795812689380, null, 'link.create', 'link', 'NVD5f57', '127.0.0.1', '{}', null),
  ('01a21ec7-0657-7000-9c17-f77b32bc21d6', 1795812689494, '01a21ec6-fd57-7000-87c3-208d785a3948', 'image.delete', 'image', 'j', '127.0.0.1', '{"hash":"dacd6b9183010f3e57b66fa26f5d3bd3bed30e5147a874bb29b34623e9ba0836","linkGuid":null,"writtenBy":"01a21ec6-fd57-7000-87c3-208d785a3948","writtenFrom":"127.0.0.1","writtenAt":1795812688921}', '40801661-f7de-43a4-810f-2129d0ff42ba'),
  ('01a21ec7-0662-7000-90e6-99eaaad47eae', 1795812689506, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.trash', 'article', 'b', '127.0.0.1', '{}', '77ebab7e-b0a9-4836-bc8c-91bf86bf8ae1'),
  ('01a21ec7-0664-7000-a258-1b267203e8f1', 1795812689508, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.replace', 'article', 'b', '127.0.0.1', '{"revision":2}', '8b9caee0-7324-4d03-b9c1-1261e1e84107'),
  ('01a21ec7-0664-7001-a8d7-0c48304ee82a', 1795812689508, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.restore', 'article', 'b', '127.0.0.1', '{}', '8b9caee0-7324-4d03-b9c1-1261e1e84107'),
  ('01a21ec7-0668-7000-bef0-4883621271b2', 1795812689512, '01a21ec6-fd57-7000-87c3-208d785a3948', 'article.trash', 'article', 'a', '127.0.0.1', '{}', 'ca8c80e0-0f3d-4a21-920c-e5087b1dbe8b'),
  ('01a21ec7-067f-7001-9421-c0135aeee0d2', 1795812689528, '01a21ec6-fd57-7000-87c3-208d785a3948', 'code.create', 'user', 'ada', '127.0.0.1', '{"phone":"+*********00"}', 'ba5f7efe-714e-4197-884d-c70edabfc225'),
  ('01a21ec7-0689-7000-8ad6-7c555bcc67f2', 1795812689544, '01a21ec6-fd57-7000-87c3-208d785a3948', 'code.attempt', 'user', 'ada', '127.0.0.1', '{"phone":"+*********00","attempt":1}', 'fa3f1e35-8d8d-425b-9308-480d9c14bb24'),
  ('01a21ec7-068b-7000-9f73-58d7da5b611b', 1795812689544, '01a21ec6-fd57-7000-87c3-208d785a3948', 'code.verify', 'user', 'ada', '127.0.0.1', '{"phone":"+*********00"}', 'fa3f1e35-8d8d-425b-9308-480d9c14bb24'),
  ('01a21ec7-1076-7000-8db8-fdffad7bd06b', 1795812692084, null, 'admin.add', 'admin', '01a21ec7-1073-7000-b6b9-d94cd06c3b7e', null, '{"name":"mia","role":"moderator","operator":"root"}', null),
  ('01a21ec7-155f-7000-9095-2b9347572128', 1795812693339, null, 'user.hold', 'user', 'ada', null, '{"reason":"a dispute","until":null,"operator":"root"}', null),
  ('01a21ec7-1b73-7000-afc0-8c3e55b2f8b8', 1795812694895, null, 'webhook.add', 'webhook', '01a21ec7-1b6f-7000-9d90-016f5bfa2e40', null, '{"operator":"root"}', null),
  ('01a21ec7-214a-7000-b085-e167ffef1c4d', 1795812696392, null, 'user.register', 'user', 'bob', null, '{"count":1,"operator":"root"}', null),
  ('01a21ec7-27d0-7000-ad0b-ac10baa3a67e', 1795812698051, null, 'token.create', 'token', '01a21ec7-27c8-7000-9f94-884802dd7c3c', null, '{"kind":"service","scopes":"articles adverts users phone counts images mail","operator":"root"}', null),
  ('01a21ec7-32ce-7000-93cd-65b72e33447c', 1795812700876, null, 'sms.off', 'sms', null, null, '{"operator":"root"}', null);
insert into store_probe (id, at) values
  (1, 1795812689562);
insert into adverts (guid, owner, created_at, title, title_key, deadline, category_key, link_txt, link_url, is_image, img_guid, ip, retry_key, detail, search_text, held_at, removed_at, updated_at, search_id) values
  ('ad', 'ada', 1795812687961, 'sale', 'SALE', null, null, '', '', 0, null, '127.0.0.1', null, '', 'SALE

', null, null, 1795812687961, null),
  ('01a21ec7-007d-7000-ae43-92ba5244c3b8', 'ada', 1795812687982, 'no key', 'NO KEY', null, null, '', '', 0, null, '127.0.0.1', x'4c403346cd1f21ae02f72be86b93abf9e4a20f8804f54faf80c7bfcbce82203c', '', 'NO KEY

', null, null, 1795812687982, null);
insert into code_keys (id, secret) values
  (20784, x'7e4cf130dc06a2674625a9a20963435f337b076d21990345ca999a686c7e366c');
insert into phone_verifications (user_id, phone, verified_at) values
  ('ada', '+12125550100', 1795812689544);
insert into links (code, target, user_id, user_email, deadline, request_hash, created_at, disabled_at) values
  ('NVD5f57', 'https://example.com/long', 'ada', null, null, x'b06b340169d9c58fee13e89dfda61f2a8df7b28dd67bc0dd44b114345141426b', 1795812689380, null);
insert into budgets (name, key, used, resets_at) values
  ('mailsPerSender 3600000', 'ws01', 1, 1795816289398),
  ('mailsPerRecipient 3600000', 'a@example.com', 1, 1795816289398),
  ('recipientsPerBodyOfService 600000', 'zYW93XZ5g_01AJUD9Ah5Ky3q9f4qS2rZ7_4OfxUvPqU ws01', 1, 1795813289398),
  ('recipientsPerBodyOfService 600000', 'zYW93XZ5g_01AJUD9Ah5Ky3q9f4qS2rZ7_4OfxUvPqU ws01 1795813289398 a@example.com', 1, 1795813289398),
  ('codesPerPhone 600000', '12125550100', 1, 1795813289528);
insert into images (id, guid, owner, hash, bytes, link_guid, linked_category, category, category_key, category_order, is_icon, created_at, updated_at, ip, claimed_ip, token_id, search_text, held_at, removed_at, visibility, icon_at) values
  (1, 'i', 'ada', 'dacd6b9183010f3e57b66fa26f5d3bd3bed30e5147a874bb29b34623e9ba0836', 68, 'ad', null, 'x', 'x', 'X', 0, 1795812688049, 1795812688897, '127.0.0.1', null, '01a21ec6-fd57-7000-87c3-208d785a3948', 'X
I
SALE', null, null, 0, null);
insert into image_totals (shard, images, icons) values
  (9, 1, 0),
  (10, 0, 0);
insert into outbox (id, kind, state, attempts, deferrals, created_at, due_at, give_up_at, lease, last_reply, finished_at) values
  ('01a21ec7-05f6-7000-ac27-92aed9d70eb7', 'mail', 'kept', 0, 0, 1795812689398, null, 1795899089398, null, null, null);
insert into mails (id, sender, token_id, ip, receiver_name, receiver_email, receiver_key, subject, body, reply_name, reply_to, message_id, created_at, request_id) values
  ('01a21ec7-05f6-7000-ac27-92aed9d70eb7', 'ws01', '01a21ec6-fd57-7000-87c3-208d785a3948', '127.0.0.1', '', 'a@example.com', 'a@example.com', 's', 'b', null, null, '<01a21ec7-05f6-7000-ac27-92aed9d70eb7@localhost>', 1795812689398, '6509a51b-62a6-4feb-8672-f3ecf18ed6ae');
insert into mail_repeats (hash, mail_id, until) values
  (x'fc7e14b2b2da3de5caa0ba141236c71da84ec91f6f25123316195b7efa6d6c20', '01a21ec7-05f6-7000-ac27-92aed9d70eb7', 1795813289398);
insert into review_tallies (subject, votes, positive, marks, ratings) values
  ('a', 1, 0, 1, 500);
insert into postings (id, kind, record_key, user_id, network, at) values
  (1, 1, 'a', 'ada', '127.0.0.1', 1795812687817),
  (2, 1, 'b', null, '127.0.0.1', 1795812687893),
  (3, 2, 'ad', 'ada', '127.0.0.1', 1795812687961),
  (4, 2, '01a21ec7-007d-7000-ae43-92ba5244c3b8', 'ada', '127.0.0.1', 1795812687982),
  (5, 3, 'i', 'ada', '127.0.0.1', 1795812688049),
  (6, 3, 'j', null, '127.0.0.1', 1795812688921),
  (7, 4, '01a21ec7-05a6-7000-925e-98d9d54bfa22', 'u-1', '127.0.0.1', 1795812689317),
  (8, 4, '01a21ec7-05cd-7000-8166-67290bc92e2a', null, '127.0.0.1', 1795812689357);
insert into reviews (id, subject, voter, positive, rating, remark, ip, claimed_ip, created_at, updated_at, held_at, removed_at) values
  ('01a21ec7-05a6-7000-925e-98d9d54bfa22', 'a', 'user:u-1', 0, 500, null, '127.0.0.1', null, 1795812689317, 1795812689338, null, null),
  ('01a21ec7-05cd-7000-8166-67290bc92e2a', 'a', 'address:127.0.0.1', null, null, 'good', '127.0.0.1', null, 1795812689357, 1795812689357, null, null);
insert into token_networks (token_id, network, used_at) values
  ('01a21ec6-fd57-7000-87c3-208d785a3948', '127.0.0.0/24', 1795812687591);
insert into switches (name, off_since) values
  ('sms', 1795812700876);
insert into admins (id, name, name_key, role, password, created_at, signed_in_at) values
  ('01a21ec7-1073-7000-b6b9-d94cd06c3b7e', 'mia', 'mia', 'moderator', null, 1795812692084, null);
insert into admin_links (admin_id, hash, created_at, expires_at) values
  ('01a21ec7-1073-7000-b6b9-d94cd06c3b7e', x'2a8aefcd9693e9fc59a9cef857df4dd9d751f74b1be86282c2d067bee5c39244', 1795812692084, 1795899092084);
insert into backups (id, slot, target, name, started_at, finished_at, verified_at, bytes, images, error) values
  ('01a21ec7-2fb4-7000-99b8-e2bb798db17a', null, '/tmp/ws01-test-W6x4b3-b', 'ws01-test-W6x4b3-b', 1795812700083, 1795812700269, 1795812700265, 802816, 1, null);
insert into legal_holds (user_id, reason, set_by, set_at, until) values
  ('ada', 'a dispute', 'root', 1795812693339, null);
insert into service_time (id, at, purge_at, purge_held_since) values
  (1, 0, 1795812687532, null);
insert into events (id, seq, at, type, kind, key, data, request_id) values
  ('01a21ec6-fd59-7000-aafd-d43269613c73', 1, 1795812687189, 'token.bootstrap', 'token', '01a21ec6-fd57-7000-87c3-208d785a3948', '{}', null),
  ('01a21ec6-fee9-7000-88a7-a916ec093b13', 2, 1795812687592, 'user.update', 'user', 'ada', '{}', '00ed0401-6b01-4dc0-ae6e-e876cd21590c'),
  ('01a21ec6-ff27-7000-8ba4-59a271a57454', 3, 1795812687655, 'user.update', 'user', 'ada', '{}', 'dcc222da-a1ae-4ae8-981b-cc5a7cbb6c12'),
  ('01a21ec6-ffc1-7000-9937-e02fb10567b1', 4, 1795812687796, 'user.phone', 'user', 'ada', '{}', '98d50cd0-4156-4f6f-ae8d-68f0aae04e68'),
  ('01a21ec6-ffcc-7000-b201-b3dc922c0d1f', 5, 1795812687817, 'article.create', 'article', 'a', '{}', 'f16565b9-fa61-4276-938b-b92bd961c010'),
  ('01a21ec6-ffe8-7000-8e9f-d61c32e2501f', 6, 1795812687847, 'article.replace', 'article', 'a', '{}', '8b7a51cd-2f88-4319-98ca-bba355424e45'),
  ('01a21ec6-fff1-7000-8110-0cc907b057a0', 7, 1795812687856, 'article.replace', 'article', 'a', '{}', 'a3d84238-dc63-4da3-bfa9-7b102bca9d86'),
  ('01a21ec7-0015-7000-94f7-84a021bc87d8', 8, 1795812687893, 'article.create', 'article', 'b', '{}', 'ba807263-5be3-414f-8f5e-d9010b1974cc'),
  ('01a21ec7-001e-7000-bf6c-e78f3647270c', 9, 1795812687901, 'article.pin', 'article', 'a', '{}', '2a1fd7c7-173c-4d76-a5e9-7520b1c01f47'),
  ('01a21ec7-0022-7000-a15c-858a9347e898', 10, 1795812687905, 'article.categorise', 'article', 'a', '{}', '8fde1b08-6048-4660-ad5f-7d6a3ad9364e'),
  ('01a21ec7-005a-7000-a040-a81db5b6f43a', 11, 1795812687961, 'advert.create', 'advert', 'ad', '{}', 'f8859d8f-e355-45bc-a267-a5526fa69917'),
  ('01a21ec7-007d-7001-8df0-af3a6afad8b4', 12, 1795812687982, 'advert.create', 'advert', '01a21ec7-007d-7000-ae43-92ba5244c3b8', '{}', 'da25de93-0f23-40a7-8791-a1db4a2f1f93'),
  ('01a21ec7-03fb-7000-90c5-f4a284e8022b', 13, 1795812688049, 'image.create', 'image', 'i', '{}', 'c879969f-9402-4d13-a749-7df886386df3'),
  ('01a21ec7-0415-7000-a72f-615fc34ef295', 14, 1795812688897, 'image.replace', 'image', 'i', '{}', 'fed46328-2c60-4152-86df-ad958c0f574d'),
  ('01a21ec7-0419-7000-b3e5-4bd0c3c1c896', 15, 1795812688921, 'image.create', 'image', 'j', '{}', '311305e5-aae0-4e4a-99ba-e3400c5a0015'),
  ('01a21ec7-041c-7000-98b9-6359543e3380', 16, 1795812688923, 'article.replace', 'article', 'a', '{}', 'a07aa86c-f663-40bc-bd1e-110ea361b1e0'),
  ('01a21ec7-05af-7000-a3c3-df56f2ba9cc9', 17, 1795812689317, 'review.create', 'review', 'a', '{}', 'b1603d74-ebde-4393-9f96-0448c9988b5e'),
  ('01a21ec7-05c5-7001-b6fa-501e1b06e767', 18, 1795812689338, 'review.replace', 'review', 'a', '{}', '5a6ee49e-1c7b-4288-9e01-b8930abcd7b2'),
  ('01a21ec7-05cd-7001-8f45-bfa7fd31dd8f', 19, 1795812689357, 'review.create', 'review', 'a', '{}', '4a34db01-0577-4dbb-8a33-20084fb5242c'),
  ('01a21ec7-05e5-7000-9be8-b99d8d635d48', 20, 1795812689380, 'link.create', 'link', 'NVD5f57', '{}', null),
  ('01a21ec7-0616-7000-85da-9badfa6d0f19', 21, 1795812689398, 'mail.kept', 'mail', '01a21ec7-05f6-7000-ac27-92aed9d70eb7', '{}', null),
  ('01a21ec7-0657-7000-9c17-f77b32bc21d6', 22, 1795812689494, 'image.delete', 'image', 'j', '{}', '40801661-f7de-43a4-810f-2129d0ff42ba'),
  ('01a21ec7-0662-7000-90e6-99eaaad47eae', 23, 1795812689506, 'article.trash', 'article', 'b', '{}', '77ebab7e-b0a9-4836-bc8c-91bf86bf8ae1'),
  ('01a21ec7-0664-7000-a258-1b267203e8f1', 24, 1795812689508, 'article.replace', 'article', 'b', '{}', '8b9caee0-7324-4d03-b9c1-1261e1e84107'),
  ('01a21ec7-0664-7001-a8d7-0c48304ee82a', 25, 1795812689508, 'article.restore', 'article', 'b', '{}', '8b9caee0-7324-4d03-b9c1-1261e1e84107'),
  ('01a21ec7-0668-7000-bef0-4883621271b2', 26, 1795812689512, 'article.trash', 'article', 'a', '{}', 'ca8c80e0-0f3d-4a21-920c-e5087b1dbe8b'),
  ('01a21ec7-067f-7001-9421-c0135aeee0d2', 27, 1795812689528, 'code.create', 'user', 'ada', '{}', 'ba5f7efe-714e-4197-884d-c70edabfc225'),
  ('01a21ec7-0689-7000-8ad6-7c555bcc67f2', 28, 1795812689544, 'code.attempt', 'user', 'ada', '{}', 'fa3f1e35-8d8d-425b-9308-480d9c14bb24'),
  ('01a21ec7-068b-7000-9f73-58d7da5b611b', 29, 1795812689544, 'code.verify', 'user', 'ada', '{}', 'fa3f1e35-8d8d-425b-9308-480d9c14bb24'),
  ('01a21ec7-1076-7000-8db8-fdffad7bd06b', null, 1795812692084, 'admin.add', 'admin', '01a21ec7-1073-7000-b6b9-d94cd06c3b7e', '{}', null),
  ('01a21ec7-155f-7000-9095-2b9347572128', null, 1795812693339, 'user.hold', 'user', 'ada', '{}', null),
  ('01a21ec7-1b73-7000-afc0-8c3e55b2f8b8', null, 1795812694895, 'webhook.add', 'webhook', '01a21ec7-1b6f-7000-9d90-016f5bfa2e40', '{}', null),
  ('01a21ec7-214a-7000-b085-e167ffef1c4d', null, 1795812696392, 'user.register', 'user', 'bob', '{}', null),
  ('01a21ec7-27d0-7000-ad0b-ac10baa3a67e', null, 1795812698051, 'token.create', 'token', '01a21ec7-27c8-7000-9f94-884802dd7c3c', '{}', null),
  ('01a21ec7-32ce-7000-93cd-65b72e33447c', null, 1795812700876, 'sms.off', 'sms', null, '{}', null);
insert into event_sequence (id, last) values
  (1, 29);
insert into webhooks (id, url, label, types, secrets, created_at, disabled_at, disabled_reason, retried_at) values
  ('01a21ec7-1b6f-7000-9d90-016f5bfa2e40', 'https://example.com/hook', '', '["*"]', '[{"secret":"whsec_Ah1v95cXxy0VZHgXgTwjQWRegSR9kyc05ubCQQ9ZONA=","until":null}]', 1795812694895, null, null, null);
insert into image_search (rowid, terms) values
  (1, 'z21 z21z2c z21z2cz25 z25 z29 z2c z2cz25 z2j z2jz21 z2jz21z2c z2o');
