import { LENGTHS, SCOPES } from '../../contract/parameters.ts';
import { POSTING_KINDS, type Tables } from '../../store/tables/tables.ts';
import type { Field, FieldForm, Stored } from './fields.ts';
import * as forms from './fields.ts';

/**
 * The portable format, in one place: readers, writers, the JSON Schema and the page of the format are made of it. A change
 * that an older version could not read is another {@link FORMAT_VERSION}.
 */
export const FORMAT = 'ws01-portable';
export const FORMAT_VERSION = 1;

/** A kind of record: a file of the format, a table of the database. */
export interface Kind {
  /** The name of its file, without extension. */
  readonly name: string;
  readonly table: keyof Tables;
  /** The columns that tell one record from another, and that exports are sorted by. */
  readonly key: readonly string[];
  readonly fields: readonly Field[];
  readonly about: string;
}

interface FieldOptions {
  readonly absent?: Stored | 'required';
  readonly changes?: boolean;
}

function field(
  name: string,
  column: string,
  form: FieldForm,
  about: string,
  { absent = null, changes = false }: FieldOptions = {},
): Field {
  return { name, column, form, about, absent, changes };
}

const REQUIRED = { absent: 'required' } as const;
const EMPTY = { absent: '' } as const;

const created = (about = 'When it came into being.') =>
  field('createdAt', 'created_at', forms.instant, about, REQUIRED);
const owner = field('owner', 'owner', forms.key, 'The user whose it is.');
const writer = [
  field('ip', 'ip', forms.address, 'Where the last call came from.'),
  field('claimedIp', 'claimed_ip', forms.text(LENGTHS.url), 'The address that it named and that was not believed.'),
  field('tokenId', 'token_id', forms.key, 'The id of its token.'),
];
const moderated = [
  field('heldAt', 'held_at', forms.instant, 'Held back by a moderator since then.'),
  field('removedAt', 'removed_at', forms.instant, 'Taken down by a moderator since then.'),
];

const articleContent = [
  field('caption', 'caption', forms.text(LENGTHS.caption), 'Headline; it or `content` is required.', EMPTY),
  field('content', 'content', forms.text(LENGTHS.content), 'Text; it or `caption` is required.', EMPTY),
  field('category', 'category_key', forms.key, 'Key of its category.'),
  field('contactPhone', 'contact_phone', forms.text(LENGTHS.contactPhone), 'As it should be read.', EMPTY),
  field('pinnedUntil', 'pinned_until', forms.endOf, 'Pinned to the top until then.'),
  field('icon', 'icon_guid', forms.key, 'Key of the image that is its icon.'),
  field('status', 'status', forms.int32, '0 published, 1 draft, 2 pending, 3 hidden; others are published.', {
    absent: 0,
  }),
  field('fromUrl', 'from_url', forms.text(LENGTHS.url), 'Where it came from.', EMPTY),
];

/** The kinds, in the order in which they are written and read: what others refer to comes first. */
export const KINDS = [
  {
    name: 'users',
    table: 'users',
    key: ['id'],
    about: 'Whoever owns something, or may send mail.',
    fields: [
      field('id', 'id', forms.key, 'Key of the user.', REQUIRED),
      field('registered', 'registered', forms.flag, 'Whether the user may send mail.', { absent: 0 }),
      field('name', 'name', forms.line(LENGTHS.name), 'Shown as the sender of mails.'),
      field('email', 'email', forms.line(320), 'Where answers to mails go.'),
      field('firstName', 'first_name', forms.text(LENGTHS.name), 'First name.'),
      field('lastName', 'last_name', forms.text(LENGTHS.name), 'Last name.'),
      field('zipCode', 'zip_code', forms.text(LENGTHS.zip), 'Postal code.'),
      field('state', 'state', forms.text(LENGTHS.place), 'State or province.'),
      field('city', 'city', forms.text(LENGTHS.place), 'City.'),
      field('address', 'address', forms.text(LENGTHS.address), 'First line of the address.'),
      field('address2', 'address2', forms.text(LENGTHS.address), 'Second line.'),
      field('cellPhone', 'cell_phone', forms.line(LENGTHS.contactPhone), 'Phone number, best in E.164.'),
      field('cellPhoneVerifiedAt', 'cell_phone_verified_at', forms.instant, 'When it was verified.'),
      field('blockedAt', 'blocked_at', forms.instant, 'Blocked by a moderator since then.'),
      created(),
      field('updatedAt', 'updated_at', forms.instant, 'When it last changed; `createdAt` when absent.'),
    ],
  },
  {
    name: 'tokens',
    table: 'tokens',
    key: ['id'],
    about: 'Credentials, by their hashes: the text of one is stored nowhere.',
    fields: [
      field('id', 'id', forms.key, 'Key of the token, not its text.', REQUIRED),
      field('hash', 'hash', forms.hex(32), 'SHA-256 of its text.', REQUIRED),
      field('label', 'label', forms.line(LENGTHS.name), 'What people call it.', EMPTY),
      field('kind', 'kind', forms.word('service', 'user', 'admin'), 'What it may be used for.', {
        absent: 'service',
      }),
      field('userId', 'user_id', forms.key, 'Its user, or default sender.'),
      field('scopes', 'scopes', forms.words(SCOPES), 'What it is good for.', REQUIRED),
      created(),
      field('expiresAt', 'expires_at', forms.endOf, 'Works until then.'),
      field('revokedAt', 'revoked_at', forms.instant, 'Revoked since then.'),
      field('lastUsedAt', 'last_used_at', forms.instant, 'Last used, to the hour.', { changes: true }),
    ],
  },
  {
    name: 'token-networks',
    table: 'token_networks',
    key: ['token_id', 'network'],
    about: 'Networks that tokens were used from: guesses from elsewhere do not slow these down.',
    fields: [
      field('tokenId', 'token_id', forms.key, 'Key of the token.', REQUIRED),
      field('network', 'network', forms.line(64), 'IPv4 /24 or IPv6 /48.', REQUIRED),
      field('usedAt', 'used_at', forms.instant, 'Last used, to the day.', { ...REQUIRED, changes: true }),
    ],
  },
  {
    name: 'categories',
    table: 'categories',
    key: ['key'],
    about: 'Categories that were used. Made of the articles and adverts where there is no such file.',
    fields: [
      field('key', 'key', forms.key, 'Key of the category.', REQUIRED),
      field('createdAt', 'created_at', forms.instant, 'When it was first used.', { ...REQUIRED, changes: true }),
    ],
  },
  {
    name: 'articles',
    table: 'articles',
    key: ['guid'],
    about: 'Articles as they are now, those in the trash included.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the article.', REQUIRED),
      owner,
      ...articleContent,
      ...writer,
      created('When it was posted; counts go by it.'),
      field('updatedAt', 'updated_at', forms.instant, 'When it last changed; `createdAt` when absent.'),
      field('deletedAt', 'deleted_at', forms.instant, 'In the trash since then.'),
      field('revision', 'revision', forms.integer(1, 2 ** 31 - 1), '1 at creation, one more with each change.', {
        absent: 1,
      }),
      ...moderated,
    ],
  },
  {
    name: 'revisions',
    table: 'article_revisions',
    key: ['article_guid', 'revision'],
    about: 'Earlier contents of articles.',
    fields: [
      field('article', 'article_guid', forms.key, 'Key of the article.', REQUIRED),
      field('revision', 'revision', forms.integer(1, 2 ** 31 - 1), 'Its number, lower than that of the article.', {
        absent: 'required',
      }),
      ...articleContent,
      ...writer,
      field('recordedAt', 'recorded_at', forms.instant, 'When it was replaced.', REQUIRED),
    ],
  },
  {
    name: 'adverts',
    table: 'adverts',
    key: ['guid'],
    about: 'Adverts.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the advert.', REQUIRED),
      owner,
      field('title', 'title', forms.text(LENGTHS.caption), 'Headline.', EMPTY),
      field('detail', 'detail', forms.text(LENGTHS.detail), 'Text.', EMPTY),
      field('linkText', 'link_txt', forms.text(LENGTHS.linkText), 'Text of the link.', EMPTY),
      field('linkUrl', 'link_url', forms.text(LENGTHS.url), 'Where it leads.', EMPTY),
      field('deadline', 'deadline', forms.endOf, 'Current until then.'),
      field('category', 'category_key', forms.key, 'Key of its category.'),
      field('isImage', 'is_image', forms.flag, 'Whether it is shown as an image.', { absent: 0 }),
      field('image', 'img_guid', forms.key, 'Key of its image.'),
      created('When it was posted; counts go by it.'),
      field('updatedAt', 'updated_at', forms.instant, 'When it last changed; `createdAt` when absent.'),
      field('ip', 'ip', forms.address, 'Where it was posted from.', EMPTY),
      field('retryKey', 'retry_key', forms.hex(32), 'Recognises the call that made it for half a day.', {
        changes: true,
      }),
      ...moderated,
    ],
  },
  {
    name: 'image-files',
    table: 'image_files',
    key: ['hash'],
    about: 'The files of images, each once, by their contents. The file is `files/HASH` unless `file` says otherwise.',
    fields: [
      field('hash', 'hash', forms.hexDigits(32), 'SHA-256 of the file.', REQUIRED),
      field('format', 'format', forms.word('jpeg', 'png', 'gif', 'webp', 'avif'), 'Its format.', REQUIRED),
      field('servedFormat', 'served_format', forms.word('jpeg', 'png', 'gif', 'webp', 'avif'), 'Served as.'),
      field('width', 'width', forms.count, 'Of one frame as shown; pixels.', REQUIRED),
      field('height', 'height', forms.count, 'Of one frame as shown; pixels.', REQUIRED),
      field('frames', 'frames', forms.count, 'Frames of an animation.', { absent: 1 }),
      field('bytes', 'bytes', forms.bytesCount, 'Its size.', REQUIRED),
      field('storedAt', 'stored_at', forms.instant, 'When it arrived.', { ...REQUIRED, changes: true }),
      field('deletedAt', 'deleted_at', forms.instant, 'No image has had it since then; there is no file.'),
    ],
  },
  {
    name: 'images',
    table: 'images',
    key: ['guid'],
    about: 'Images. `hash` names one of `image-files`; or `file` names a file, which is looked at as an upload is.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the image.', REQUIRED),
      owner,
      field('hash', 'hash', forms.hexDigits(32), 'SHA-256 of its file.'),
      field('linkGuid', 'link_guid', forms.key, 'Key of the article or advert that it belongs to.'),
      field('category', 'category', forms.text(LENGTHS.category), 'Free text.', EMPTY),
      field('isIcon', 'is_icon', forms.flag, 'Whether it is an icon.', { absent: 0 }),
      field('iconAt', 'icon_at', forms.instant, 'When it was marked as one.'),
      ...writer,
      created('When it was posted; counts go by it.'),
      field('updatedAt', 'updated_at', forms.instant, 'When it last changed; `createdAt` when absent.'),
      ...moderated,
    ],
  },
  {
    name: 'reviews',
    table: 'reviews',
    key: ['subject', 'voter'],
    about: 'What people think of anything that has a key, one of each voter.',
    fields: [
      field('id', 'id', forms.key, 'UUIDv7; made when absent.', { changes: true }),
      field('subject', 'subject', forms.key, 'Key of what is reviewed.', REQUIRED),
      field(
        'voter',
        'voter',
        forms.pattern('(?:user|address):.{1,64}', '`user:` and a key, or `address:` and a network'),
        'Whose it is.',
        REQUIRED,
      ),
      field('positive', 'positive', forms.flag, 'For or against; absent for no vote.'),
      field('rating', 'rating', forms.hundredths, 'On the scale of REVIEW_SCALE; absent for none.'),
      field('remark', 'remark', forms.text(LENGTHS.mark), 'What was said besides.'),
      field('ip', 'ip', forms.address, 'Where it came from.', EMPTY),
      field('claimedIp', 'claimed_ip', forms.text(LENGTHS.url), 'The address that it named and that was not believed.'),
      created('When it was first given; counts go by it.'),
      field('updatedAt', 'updated_at', forms.instant, 'When it last changed; `createdAt` when absent.'),
      ...moderated,
    ],
  },
  {
    name: 'postings',
    table: 'postings',
    key: ['kind', 'record_key', 'at'],
    about:
      'Every creation, for the counts, also of records that are gone. Made of articles, adverts, images and reviews where there is no such file.',
    fields: [
      field('kind', 'kind', forms.coded(POSTING_KINDS), 'Of what.', REQUIRED),
      field('key', 'record_key', forms.key, 'Key of the record; of a review its `id`.', REQUIRED),
      field('userId', 'user_id', forms.key, 'Whose it was.'),
      field('network', 'network', forms.line(64), 'IPv4 address or IPv6 /64 that it came from.', EMPTY),
      field('at', 'at', forms.instant, 'When.', REQUIRED),
    ],
  },
  {
    name: 'links',
    table: 'links',
    key: ['code'],
    about: 'Short links. A code of an old service is kept as it is.',
    fields: [
      field(
        'code',
        'code',
        forms.pattern('[A-Za-z0-9_-]{1,64}', 'a code of 1 to 64 letters, digits, `-` and `_`'),
        'The code.',
        REQUIRED,
      ),
      field(
        'target',
        'target',
        forms.pattern('https?://[!-~]{1,2040}', 'an http or https URL in ASCII'),
        'Where it leads.',
        REQUIRED,
      ),
      field('userId', 'user_id', forms.key, 'Who made it.'),
      field('userEmail', 'user_email', forms.line(320), 'The address that the call named.'),
      field('deadline', 'deadline', forms.endOf, 'Works until then.'),
      created('When it was made.'),
      field('disabledAt', 'disabled_at', forms.instant, 'Taken down since then.'),
    ],
  },
  {
    name: 'link-visits',
    table: 'link_visits',
    key: ['code', 'day'],
    about: 'How often links were followed, by day.',
    fields: [
      field('code', 'code', forms.line(64), 'The code.', REQUIRED),
      field('day', 'day', forms.day, 'The day, `yyyy-MM-dd`, in TIME_ZONE.', REQUIRED),
      field('visits', 'visits', forms.count, 'By people.', { absent: 0 }),
      field('bots', 'bots', forms.count, 'By robots.', { absent: 0 }),
      field('heads', 'heads', forms.count, 'By HEAD requests.', { absent: 0 }),
    ],
  },
  {
    name: 'link-visit-sources',
    table: 'link_visit_sources',
    key: ['code', 'day', 'kind', 'name'],
    about: 'Where people who followed links came from, by day.',
    fields: [
      field('code', 'code', forms.line(64), 'The code.', REQUIRED),
      field('day', 'day', forms.day, 'The day, `yyyy-MM-dd`, in TIME_ZONE.', REQUIRED),
      field(
        'kind',
        'kind',
        forms.pattern('referrer|country|language', 'referrer, country or language'),
        'What is told.',
        REQUIRED,
      ),
      field(
        'name',
        'name',
        forms.line(253),
        'A host, a country or a language; `-` for none, `*` for others.',
        REQUIRED,
      ),
      field('visits', 'visits', forms.count, 'By people.', { absent: 0 }),
    ],
  },
  {
    name: 'phone-verifications',
    table: 'phone_verifications',
    key: ['user_id', 'phone'],
    about: 'When users last proved to have a number.',
    fields: [
      field('userId', 'user_id', forms.key, 'Key of the user.', REQUIRED),
      field('phone', 'phone', forms.line(LENGTHS.contactPhone), 'The number, in E.164 or bare digits.', REQUIRED),
      field('verifiedAt', 'verified_at', forms.instant, 'When.', REQUIRED),
    ],
  },
  {
    name: 'number-verifications',
    table: 'number_verifications',
    key: ['token_id', 'phone'],
    about: 'When back ends last verified a number without naming a user.',
    fields: [
      field('tokenId', 'token_id', forms.key, 'Key of the token.', REQUIRED),
      field('phone', 'phone', forms.line(LENGTHS.contactPhone), 'The number, in E.164 or bare digits.', REQUIRED),
      field('verifiedAt', 'verified_at', forms.instant, 'When.', REQUIRED),
    ],
  },
  {
    name: 'budgets',
    table: 'budgets',
    key: ['name', 'key'],
    about: 'What was used up of budgets in their windows: codes for a phone, mails to a recipient.',
    fields: [
      field('name', 'name', forms.line(LENGTHS.name), 'The budget, with the length of its window.', REQUIRED),
      field('key', 'key', forms.line(400), 'Whose: a phone number, a user, a network, an address.', REQUIRED),
      field('used', 'used', forms.count, 'So much of it.', { ...REQUIRED, changes: true }),
      field('resetsAt', 'resets_at', forms.instant, 'When it begins anew.', { ...REQUIRED, changes: true }),
    ],
  },
  {
    name: 'mails',
    table: 'mails',
    key: ['id'],
    about: 'Mails as they were asked for.',
    fields: [
      field('id', 'id', forms.key, 'Key of the mail.', REQUIRED),
      field('sender', 'sender', forms.key, 'The user whom it is from.', REQUIRED),
      field('tokenId', 'token_id', forms.key, 'The id of its token.'),
      field('ip', 'ip', forms.address, 'Where it was sent from.', EMPTY),
      field('receiverName', 'receiver_name', forms.line(LENGTHS.name), 'Name of the recipient.', EMPTY),
      field('receiverEmail', 'receiver_email', forms.line(320), 'Address of the recipient.', REQUIRED),
      field('subject', 'subject', forms.line(LENGTHS.subject), 'Subject.', EMPTY),
      field('body', 'body', forms.text(LENGTHS.mailBody), 'Text or HTML.', EMPTY),
      field('replyName', 'reply_name', forms.line(LENGTHS.name), "The sender's name then."),
      field('replyTo', 'reply_to', forms.line(320), "The sender's address then."),
      field('messageId', 'message_id', forms.line(998), 'With its angle brackets; made when absent.'),
      created('When it was asked for.'),
    ],
  },
  {
    name: 'deliveries',
    table: 'outbox',
    key: ['id'],
    about: 'What became of mails. Where there is no such file, mails count as sent when they were asked for.',
    fields: [
      field('id', 'id', forms.key, 'Key of the mail.', REQUIRED),
      field(
        'state',
        'state',
        forms.word('queued', 'sent', 'deferred', 'bounced', 'failed', 'cancelled', 'suppressed', 'kept'),
        'How far it is; one under way is `queued`.',
        REQUIRED,
      ),
      field('attempts', 'attempts', forms.count, 'How often it was tried.', { absent: 0 }),
      field('deferrals', 'deferrals', forms.count, 'How often it was put off.', { absent: 0 }),
      created('When it was asked for.'),
      field('dueAt', 'due_at', forms.instant, 'When it is to be tried.'),
      field('giveUpAt', 'give_up_at', forms.instant, 'Given up then; `createdAt` when absent.'),
      field('lastReply', 'last_reply', forms.text(), 'What the server said last.'),
      field('finishedAt', 'finished_at', forms.instant, 'When it was over.'),
    ],
  },
  {
    name: 'mail-repeats',
    table: 'mail_repeats',
    key: ['hash'],
    about: 'Calls that are recognised when they come again.',
    fields: [
      field('hash', 'hash', forms.hex(32), 'Over all that the call said.', REQUIRED),
      field('mailId', 'mail_id', forms.key, 'Key of the mail.', REQUIRED),
      field('until', 'until', forms.instant, 'Recognised until then.', REQUIRED),
    ],
  },
  {
    name: 'suppressions',
    table: 'mail_suppressions',
    key: ['address'],
    about: 'Addresses that nothing is sent to.',
    fields: [
      field('address', 'address', forms.line(320), 'In lower case.', REQUIRED),
      field('reason', 'reason', forms.word('bounce', 'manual'), 'Why.', { absent: 'manual' }),
      field('detail', 'detail', forms.text(), "The server's reply, or a note.", EMPTY),
      field('mailId', 'mail_id', forms.key, 'The mail that bounced.'),
      created('Since when.'),
    ],
  },
  {
    name: 'switches',
    table: 'switches',
    key: ['name'],
    about: 'What an operator has switched off.',
    fields: [
      field('name', 'name', forms.line(LENGTHS.name), 'What.', REQUIRED),
      field('offSince', 'off_since', forms.instant, 'Since when.', REQUIRED),
    ],
  },
  {
    name: 'audit',
    table: 'audit',
    key: ['id'],
    about: 'Who did what, and when.',
    fields: [
      field('id', 'id', forms.key, 'UUIDv7.', REQUIRED),
      field('at', 'at', forms.instant, 'When.', REQUIRED),
      field('tokenId', 'token_id', forms.key, 'The id of the token.'),
      field('action', 'action', forms.line(LENGTHS.name), '`noun.verb`.', REQUIRED),
      field('targetKind', 'target_kind', forms.line(LENGTHS.name), 'The kind of record.', REQUIRED),
      field('targetKey', 'target_key', forms.line(400), 'Its key.'),
      field('address', 'address', forms.line(LENGTHS.name), 'Where the call came from.'),
      field('details', 'details', forms.object, 'What else is worth knowing.', { absent: '{}' }),
    ],
  },
] as const satisfies readonly Kind[];

export type KindName = (typeof KINDS)[number]['name'];

const BY_NAME: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The kind of a name; `undefined` when there is none. */
export function kindOf(name: string): Kind | undefined {
  return BY_NAME.get(name);
}

type Travelling = (typeof KINDS)[number]['table'];

/** The tables that do not travel, and why. A new table stands here or among {@link KINDS}, or nothing compiles. */
export const STAYING: Readonly<Record<Exclude<keyof Tables, Travelling>, string>> = {
  image_totals: 'Counted anew from the images.',
  review_tallies: 'Added up anew from the reviews.',
  code_keys: 'Secrets of verification codes, which live for three minutes: people ask for another one.',
  phone_codes: 'Verification codes live for three minutes: people ask for another one.',
  used_codes: 'Verification codes live for three minutes: people ask for another one.',
  admins: 'Accounts of the console are of an installation: make them anew.',
  admin_links: 'Accounts of the console are of an installation: make them anew.',
  admin_sessions: 'Accounts of the console are of an installation: make them anew.',
  admin_passkeys: 'Passkeys are of the address of the console that they were made for.',
  admin_challenges: 'Lasts for minutes.',
  backups: 'Tells of the backups of this very database.',
  sms: 'Text messages carry codes, sealed with a secret that stays.',
  legal_holds: 'Names the people of this installation who set them: set them anew.',
  imports: 'How far a bringing-in into this very database is.',
  absent_indexes: 'Lasts as long as a bringing-in into this very database.',
  events: 'Tells of changes of this very database.',
  event_sequence: 'Tells of changes of this very database.',
  webhooks: 'Has secrets, and servers that expect this installation: add them anew.',
  webhook_deliveries: 'Tells of changes of this very database.',
  store_probe: 'Written by the readiness check.',
  service_time: 'The time by the clock of this very installation.',
};
