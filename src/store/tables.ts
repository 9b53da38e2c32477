import type { Generated } from 'kysely';

/** A point in time: ms since 1970-01-01T00:00:00Z, a whole number. */
export type Instant = number;

/** A yes or no as both engines store it; {@link toFlag} makes one, comparing with 1 reads one. */
export type Flag = 0 | 1;

/** The stored form of a boolean. */
export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** Whoever is named by a call or registered by an operator. Registered users may send mail. */
export interface UsersTable {
  id: string;
  registered: Flag;
  name: string | null;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  zip_code: string | null;
  state: string | null;
  city: string | null;
  address: string | null;
  address2: string | null;
  /** Normal form. */
  cell_phone: string | null;
  cell_phone_verified_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

/** Credentials; the text of one is never stored. */
export interface TokensTable {
  /** UUIDv7. */
  id: string;
  /** SHA-256 of the token's text: 32 bytes. */
  hash: Uint8Array;
  label: string;
  kind: 'service' | 'user' | 'admin';
  /** The bound user of a `user` token; the default sender of the others. */
  user_id: string | null;
  /** Names of scopes with one blank between them. */
  scopes: string;
  created_at: Instant;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  /** Kept coarsely: not written by every call. */
  last_used_at: Instant | null;
}

/** Categories exist from first use. */
export interface CategoriesTable {
  key: string;
  created_at: Instant;
}

/** What an article says, and what of it a revision keeps. Absent text is the empty string. */
export interface ArticleContent {
  caption: string;
  content: string;
  /** `null` when uncategorised. */
  category_key: string | null;
  contact_phone: string;
  /** Pinned to the top while now is before it. */
  pinned_until: Instant | null;
  icon_guid: string | null;
  /** Any Int32; 0 published, 1 draft, 2 pending, 3 hidden. */
  status: number;
  from_url: string;
}

/** The call that wrote a content of an article. */
export interface ArticleWriter {
  /** The address the call came from: the one it named where that is believed, else the one observed. */
  ip: string | null;
  /** The address that it named and that is not believed. */
  claimed_ip: string | null;
  /** The id of its token. */
  token_id: string | null;
}

export interface ArticlesTable extends ArticleContent, ArticleWriter {
  guid: string;
  owner: string | null;
  created_at: Instant;
  updated_at: Instant;
  /** In the trash since then. */
  deleted_at: Instant | null;
  /** 1 at creation, one more with each change of content. */
  revision: number;
}

/** Earlier contents of articles: revision n is what the article was, and who wrote it, when its `revision` was n. */
export interface ArticleRevisionsTable extends ArticleContent, ArticleWriter {
  article_guid: string;
  revision: number;
  /** When it was replaced. */
  recorded_at: Instant;
}

/** What an advert says. Absent text is the empty string. */
export interface AdvertContent {
  title: string;
  detail: string;
  link_txt: string;
  link_url: string;
  /** Current while now is before it; `null` for always. */
  deadline: Instant | null;
  /** `null` when uncategorised. */
  category_key: string | null;
  is_image: Flag;
  img_guid: string | null;
}

export interface AdvertsTable extends AdvertContent {
  guid: string;
  /** The publisher. */
  owner: string | null;
  created_at: Instant;
  /** The title as it is sorted by. */
  title_key: string;
  /** Title, detail and link text as they are searched in, one a line. */
  search_text: string;
  /** The observed address of the client that created it. */
  ip: string;
  /** Unique: recognises the call that made it without naming a key, should it come again. SHA-256: 32 bytes. */
  retry_key: Uint8Array | null;
}

/** The formats of images, as records and files name them. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif';

/** A file by its content; however many records have it, it is stored once. */
export interface ImageFilesTable {
  /** SHA-256 of the file as it was sent, in lower-case hexadecimal digits. */
  hash: string;
  /** What the file store knows it by. Never used again, so that what is to be removed is nobody's any more. */
  stored_as: string;
  format: ImageFormat;
  /** Of one frame as it is shown, orientation applied; pixels. */
  width: number;
  height: number;
  frames: number;
  bytes: number;
  stored_at: Instant;
  /** Since when no record has had it: its address says that it is gone. */
  deleted_at: Instant | null;
}

export interface ImagesTable {
  /** Counts creations; the row of the search index. */
  id: Generated<number>;
  guid: string;
  owner: string | null;
  /** The file. */
  hash: string;
  /** Size of the file. */
  bytes: number;
  /** The record it belongs to, which need not exist. */
  link_guid: string | null;
  /** The category of that record. */
  linked_category: string | null;
  /** As sent. */
  category: string;
  /** As a key; `null` for none. */
  category_key: string | null;
  /** As it is sorted by. */
  category_order: string;
  is_icon: Flag;
  created_at: Instant;
  updated_at: Instant;
  ip: string | null;
  claimed_ip: string | null;
  token_id: string | null;
  /** Category, key and the captions of the record it belongs to, as they are searched in, one a line. */
  search_text: string;
}

/** How many images there are, spread over rows so that uploads do not wait for one another. */
export interface ImageTotalsTable {
  shard: number;
  images: number;
  icons: number;
}

/** What people think of anything that has a key; one row for each of them. */
export interface ReviewsTable {
  /** UUIDv7; the key of the ledger's row. */
  id: string;
  /** The key of whatever is reviewed. */
  subject: string;
  /** Whose it is, with `subject` unique: `user:` and a user's key, or `address:` and a network. */
  voter: string;
  /** 1 for, 0 against, `null` for no vote. */
  positive: Flag | null;
  /** In hundredths, 0 to 500, so that sums are exact; `null` for none. */
  rating: number | null;
  remark: string | null;
  /** The observed address of the client that submitted it last. */
  ip: string;
  /** The address that it named; not believed. */
  claimed_ip: string | null;
  created_at: Instant;
  updated_at: Instant;
}

/** What the reviews of something add up to; changed with every review, in its transaction. */
export interface ReviewTalliesTable {
  subject: string;
  /** Reviews with a vote. */
  votes: number;
  /** Votes for. */
  positive: number;
  /** Reviews with a rating. */
  marks: number;
  /** The ratings added up, in hundredths. */
  ratings: number;
}

/** What `postings.kind` holds: the levels 1 to 4 of the counts. */
export const POSTING_KINDS = { article: 1, advert: 2, image: 3, review: 4 } as const;

export type PostingKind = (typeof POSTING_KINDS)[keyof typeof POSTING_KINDS];

/** The ledger of creations that the counts are made from. Nothing leaves it when a record is deleted. */
export interface PostingsTable {
  id: Generated<number>;
  kind: PostingKind;
  /** With `kind` unique, so that one creation counts once. */
  record_key: string;
  user_id: string | null;
  /** IPv4 address, or the /64 of an IPv6 address. */
  network: string;
  at: Instant;
}

/** What operators and credentials did. Rows are added and never changed. */
export interface AuditTable {
  /** UUIDv7. */
  id: string;
  at: Instant;
  token_id: string | null;
  action: string;
  target_kind: string;
  target_key: string | null;
  address: string | null;
  /** A JSON object. */
  details: string;
}

/**
 * Secrets that verification codes are hashed with. The id counts periods of rotation since 1970, so that nodes which
 * make the key of a period at the same time make one.
 */
export interface CodeKeysTable {
  id: number;
  /** 32 random bytes. */
  secret: Uint8Array;
}

/** The newest verification code of each user and number; gone when it is used up. The code itself is never stored. */
export interface PhoneCodesTable {
  user_id: string;
  /** Normal form. */
  phone: string;
  /** UUIDv7; another for each code. */
  id: string;
  key_id: number;
  /** HMAC-SHA-256 over id and code: 32 bytes. */
  hash: Uint8Array;
  /** Answers so far, counted before they are looked at. */
  attempts: number;
  expires_at: Instant;
}

/** When a user last proved to have a number. */
export interface PhoneVerificationsTable {
  user_id: string;
  /** Normal form. */
  phone: string;
  verified_at: Instant;
}

/** Short links. Rows stay for ever, so that no code is given to another target. */
export interface LinksTable {
  code: string;
  /** As it is redirected to. */
  target: string;
  user_id: string | null;
  user_email: string | null;
  /** Works while now is before it. */
  deadline: Instant | null;
  /** SHA-256 over user, target and deadline, 32 bytes: unique among the links that are not disabled. */
  request_hash: Uint8Array;
  created_at: Instant;
  disabled_at: Instant | null;
}

/** Who followed a link on a day, in numbers only. */
export interface LinkVisitsTable {
  code: string;
  /** `yyyy-MM-dd` in the service's time zone. */
  day: string;
  visits: number;
  bots: number;
  heads: number;
}

/** What has been used up of a budget in its present window. */
export interface BudgetsTable {
  /** The budget, and the length of its window in ms. */
  name: string;
  /** Who uses it up: a network, a user, a phone number, an address of mail. */
  key: string;
  used: number;
  resets_at: Instant;
}

/** What goes out by the outbox. */
export type OutboxKind = 'mail' | 'sms';

/**
 * How far a message is (semantics 19). `queued`, `deferred` and `sending` are on their way; `kept` waits for somebody to
 * ask for it; the others are final.
 */
export type OutboxState =
  | 'queued'
  | 'sending'
  | 'sent'
  | 'deferred'
  | 'bounced'
  | 'failed'
  | 'cancelled'
  | 'suppressed'
  | 'kept';

/** Work that goes out of the process, committed with the row that asked for it. What goes out is in a table of its own. */
export interface OutboxTable {
  /** The key of the mail or text message. */
  id: string;
  kind: OutboxKind;
  state: OutboxState;
  /** How often it was tried, the attempt under way included. */
  attempts: number;
  /** How often it was put off for its own sake, which lengthens the waits; an unreachable server does not count. */
  deferrals: number;
  created_at: Instant;
  /** When it is to be tried; while `sending`, when the lease ends and another worker may; `null` when it is not to be. */
  due_at: Instant | null;
  /** An attempt that fails from then on is the last. */
  give_up_at: Instant;
  /** The worker that is sending it. */
  lease: string | null;
  /** What the other side said last, or why it could not be asked. */
  last_reply: string | null;
  finished_at: Instant | null;
}

/** Mails, as they were asked for. */
export interface MailsTable {
  /** UUIDv7. */
  id: string;
  /** The registered user whom the mail is from. */
  sender: string;
  token_id: string | null;
  /** The observed address of the client. */
  ip: string;
  /** May be empty. */
  receiver_name: string;
  receiver_email: string;
  /** The address in lower case, as it is compared. */
  receiver_key: string;
  subject: string;
  /** Text or HTML. */
  body: string;
  /** The sender's name and address at that time. */
  reply_name: string | null;
  reply_to: string | null;
  /** With its angle brackets; the same each time the mail is sent. */
  message_id: string;
  created_at: Instant;
}

/** Calls that are recognised when they come again. */
export interface MailRepeatsTable {
  /** SHA-256 over all that a call says: 32 bytes. */
  hash: Uint8Array;
  mail_id: string;
  until: Instant;
}

/** Addresses that nothing is sent to. */
export interface MailSuppressionsTable {
  /** In lower case. */
  address: string;
  reason: 'bounce' | 'manual';
  /** The server's reply, or an operator's note. */
  detail: string;
  /** The mail that bounced. */
  mail_id: string | null;
  created_at: Instant;
}

/** Verification codes on their way to phones. */
export interface SmsTable {
  /** The verification id. */
  id: string;
  user_id: string;
  /** Normal form. */
  phone: string;
  /** The key that {@link SmsTable.sealed} is encrypted with. */
  key_id: number;
  /** The code, encrypted; `null` as soon as it is not needed any more. */
  sealed: Uint8Array | null;
  expires_at: Instant;
  created_at: Instant;
}

/** One row, written by the readiness check. */
export interface StoreProbeTable {
  id: 1;
  at: Instant;
}

/** Every table of the database, by its name. */
export interface Tables {
  users: UsersTable;
  tokens: TokensTable;
  categories: CategoriesTable;
  articles: ArticlesTable;
  article_revisions: ArticleRevisionsTable;
  adverts: AdvertsTable;
  image_files: ImageFilesTable;
  images: ImagesTable;
  image_totals: ImageTotalsTable;
  reviews: ReviewsTable;
  review_tallies: ReviewTalliesTable;
  postings: PostingsTable;
  audit: AuditTable;
  code_keys: CodeKeysTable;
  phone_codes: PhoneCodesTable;
  phone_verifications: PhoneVerificationsTable;
  links: LinksTable;
  link_visits: LinkVisitsTable;
  budgets: BudgetsTable;
  outbox: OutboxTable;
  mails: MailsTable;
  mail_repeats: MailRepeatsTable;
  mail_suppressions: MailSuppressionsTable;
  sms: SmsTable;
  store_probe: StoreProbeTable;
}
