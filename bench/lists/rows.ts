import { DAY_MS } from '@ws01/asmx/time';
import type { BenchDatabase } from '../kit/database.ts';
import { type Dialect, insertRows } from '../kit/rows.ts';
import { TEXT, TITLE } from './words.ts';

type Values = (dialect: Dialect) => Readonly<Record<string, string | number>>;

/** A table that a list is read from, and SQL of each row's values; `i` is the number of the row. */
type Rows = readonly [table: string, values: Values];

/** A million rows are of ninety days, the number 0 is the oldest; ms. */
const STEP_MS = 7_776;
const FIRST = 1_790_000_000_000 - 90 * DAY_MS;
const AT = `${FIRST} + i * ${STEP_MS}`;

/** The instant of a row. */
export const timeOf = (row: number): Date => new Date(FIRST + row * STEP_MS);

/** SQL of the time-ordered key of a row; the request id of three rows, too. */
function timeKey({ hex }: Dialect, number = 'i'): string {
  const digits = `('0' || ${hex(`${FIRST} + (${number}) * ${STEP_MS}`)})`;
  return `substr(${digits}, 1, 8) || '-' || substr(${digits}, 9, 4) || '-7000-8000-000000000000'`;
}

/** SQL of a value that a tenth of all rows have, the others a hundred each. */
const SOMEBODY = `case when i % 10 = 0 then 'heavy' else 'user-' || (i / 100) end`;
const CATEGORY = `case when i % 10 = 1 then 'heavy' else 'category-' || (i % 997) end`;
const MAILBOX = `case when i % 10 = 0 then 'heavy@example.com' else 'user' || i || '@example.com' end`;
const PHONE = `case when i % 10 = 0 then '+12125550100' else '+1212' || (1000000 + i) end`;
const IP = `'192.0.2.' || (i % 250)`;

/** SQL of a value in one of some thousand rows, else null. */
const seldom = (value: string, of = 1_000, rest = 0) =>
  `case when i % ${of} = ${rest} then ${value} end`;
const MODERATED = { held_at: seldom(AT, 1_000, 1), removed_at: seldom(AT, 1_000, 2) };
const TIMES = { created_at: AT, updated_at: AT };

/** The ratings of what the articles or adverts of the same numbers are. */
const TALLIES: Rows = [
  'review_tallies',
  ({ key }) => ({ subject: key('i'), votes: 3, positive: 2, marks: 1, ratings: 400 }),
];

/** A twentieth waits to be tried again, a twentieth was given up. */
const outbox =
  (kind: string): Values =>
  (dialect) => ({
    id: timeKey(dialect),
    kind: `'${kind}'`,
    state: `case i % 20 when 0 then 'failed' when 1 then 'deferred' else 'sent' end`,
    attempts: 1,
    deferrals: 0,
    created_at: AT,
    give_up_at: AT,
    last_reply: `'250 2.0.0 Ok: queued'`,
    finished_at: AT,
  });

const audit =
  (action: string): Values =>
  (dialect) => ({
    id: timeKey(dialect),
    at: AT,
    token_id: `'heavy'`,
    action,
    target_kind: `'article'`,
    target_key: SOMEBODY,
    address: IP,
    details: `'{"caption":"' || ${TITLE} || '"}'`,
    request_id: timeKey(dialect, 'i / 3'),
  });

/** What each list is read from. */
export const ROWS: Readonly<Record<string, readonly Rows[]>> = {
  articles: [
    [
      'articles',
      ({ key }) => ({
        guid: key('i'),
        owner: SOMEBODY,
        caption: TITLE,
        content: TEXT,
        category_key: CATEGORY,
        contact_phone: `'+1 212 555 0100'`,
        status: 'case when i % 100 < 3 then 1 + i % 100 else 0 end',
        from_url: `''`,
        ip: IP,
        ...TIMES,
        ...MODERATED,
        deleted_at: seldom(AT, 1_000, 3),
        revision: 1,
      }),
    ],
    TALLIES,
  ],
  revisions: [
    [
      'article_revisions',
      () => ({
        article_guid: `'heavy'`,
        revision: 'i + 1',
        caption: TITLE,
        content: TEXT,
        contact_phone: `''`,
        status: 0,
        from_url: `''`,
        recorded_at: AT,
      }),
    ],
  ],
  adverts: [
    [
      'adverts',
      ({ key }) => ({
        guid: key('i'),
        owner: SOMEBODY,
        category_key: CATEGORY,
        title: TITLE,
        title_key: `'FLAT ' || i`,
        detail: TEXT,
        link_txt: `'more'`,
        link_url: `'https://example.com/' || i`,
        deadline: seldom(AT, 2),
        is_image: 0,
        ip: IP,
        search_text: `'FLAT ' || i`,
        ...TIMES,
        ...MODERATED,
      }),
    ],
    TALLIES,
  ],
  images: [
    [
      'image_files',
      ({ key }) => ({
        hash: key('i'),
        stored_as: key('i'),
        format: `'jpeg'`,
        width: 640,
        height: 480,
        frames: 1,
        bytes: 'i % 1000003',
        stored_at: AT,
      }),
    ],
    [
      'images',
      ({ key, uuid }) => ({
        guid: uuid('i'),
        owner: SOMEBODY,
        hash: key('i'),
        bytes: 'i % 1000003',
        link_guid: SOMEBODY,
        category: TITLE,
        category_key: CATEGORY,
        category_order: CATEGORY,
        is_icon: 'case when i % 20 = 0 then 1 else 0 end',
        ...TIMES,
        ...MODERATED,
        ip: IP,
        search_text: `'FLAT'`,
      }),
    ],
  ],
  users: [
    [
      'users',
      ({ key }) => ({
        id: key('i'),
        registered: 'case when i % 100 = 0 then 1 else 0 end',
        name: TITLE,
        city: `'Tōkyō 东京'`,
        email: MAILBOX,
        cell_phone: PHONE,
        blocked_at: seldom(AT),
        ...TIMES,
      }),
    ],
  ],
  codes: [
    [
      'audit',
      audit(
        `case i % 3 when 0 then 'code.create' when 1 then 'code.attempt' else 'code.verify' end`,
      ),
    ],
  ],
  audit: [['audit', audit(`case when i % 1000 = 0 then 'article.hold' else 'article.create' end`)]],
  mails: [
    [
      'mails',
      (dialect) => ({
        id: timeKey(dialect),
        sender: SOMEBODY,
        ip: IP,
        receiver_name: `'Grace 漢字'`,
        receiver_email: MAILBOX,
        receiver_key: MAILBOX,
        subject: TITLE,
        body: `'<p>Somebody answered your advert.</p>'`,
        message_id: `'<' || i || '@example.com>'`,
        created_at: AT,
        request_id: timeKey(dialect, 'i / 3'),
      }),
    ],
    ['outbox', outbox('mail')],
  ],
  suppressions: [
    [
      'mail_suppressions',
      () => ({
        address: `'gone' || i || '@example.com'`,
        reason: `'bounce'`,
        detail: TITLE,
        created_at: AT,
      }),
    ],
  ],
  sms: [
    [
      'sms',
      (dialect) => ({
        id: timeKey(dialect),
        user_id: SOMEBODY,
        phone: PHONE,
        key_id: 1,
        expires_at: AT,
        created_at: AT,
        request_id: timeKey(dialect, 'i / 3'),
      }),
    ],
    ['outbox', outbox('sms')],
  ],
  links: [
    [
      'links',
      ({ key, digest }) => ({
        code: `substr(${key('i')}, 1, 10)`,
        target: `'https://example.com/adverts/' || i || '/' || ${TITLE}`,
        user_id: SOMEBODY,
        deadline: seldom(AT, 2),
        request_hash: digest('i'),
        created_at: AT,
        disabled_at: seldom(AT),
      }),
    ],
    [
      'link_visits',
      ({ key }) => ({
        code: `substr(${key('i')}, 1, 10)`,
        day: `'2026-09-02'`,
        visits: 3,
        bots: 1,
        heads: 1,
      }),
    ],
  ],
  reviews: [
    [
      'reviews',
      (dialect) => ({
        id: timeKey(dialect),
        subject: SOMEBODY,
        voter: `'user:' || i`,
        positive: 'i % 2',
        rating: 'i % 501',
        remark: TITLE,
        ip: IP,
        ...TIMES,
        ...MODERATED,
      }),
    ],
    TALLIES,
  ],
  reports: [
    [
      'reports',
      (dialect) => ({
        id: timeKey(dialect),
        target_kind: `'article'`,
        target_key: SOMEBODY,
        reporter: `'198.51.100.' || i`,
        reason: `'spam'`,
        detail: TITLE,
        created_at: AT,
        closed_at: `case when i % 20 > 0 then ${AT} end`,
      }),
    ],
  ],
  tokens: [
    [
      'tokens',
      (dialect) => ({
        id: timeKey(dialect),
        hash: dialect.digest('i'),
        label: TITLE,
        kind: `case when i % 1000 = 0 then 'admin' else 'service' end`,
        user_id: SOMEBODY,
        scopes: `'articles'`,
        created_at: AT,
        revoked_at: seldom(AT),
      }),
    ],
  ],
  events: [
    [
      'events',
      (dialect) => ({
        id: timeKey(dialect),
        seq: 'i + 1',
        at: AT,
        type: `case when i % 1000 = 0 then 'mail.bounced' else 'article.created' end`,
        kind: `'article'`,
        key: SOMEBODY,
        data: `'{}'`,
        request_id: timeKey(dialect, 'i / 3'),
      }),
    ],
  ],
  deliveries: [
    [
      'webhook_deliveries',
      (dialect) => ({
        id: timeKey(dialect),
        webhook_id: SOMEBODY,
        event_id: timeKey(dialect),
      }),
    ],
    ['outbox', (dialect) => ({ ...outbox('webhook')(dialect), queue: SOMEBODY })],
  ],
  backups: [
    [
      'backups',
      (dialect) => ({
        id: timeKey(dialect),
        target: `'file:///backups'`,
        name: `'backup-' || i`,
        started_at: AT,
        finished_at: AT,
        verified_at: AT,
      }),
    ],
  ],
  failures: [
    [
      'failed_calls',
      (dialect) => ({
        id: timeKey(dialect),
        at: AT,
        request_id: timeKey(dialect, 'i / 3'),
        operation: `case when i % 10 = 0 then 'heavy' else 'InsertArticle' end`,
        binding: `'json'`,
        status: 400,
        error: `case when i % 10 = 0 then 'heavy' else 'InvalidParameter' end`,
        us: 1_000,
        address: IP,
        user_id: SOMEBODY,
        target_key: SOMEBODY,
      }),
    ],
  ],
};

/** Rows that come in the order of their numbers, which is that of their key. */
const BY_NUMBER = ['article_revisions', 'images', 'mail_suppressions'];

/** What a list needs besides its rows. */
const BESIDE: Readonly<Record<string, (rows: number) => string>> = {
  revisions: (rows) => `insert into articles
    (guid, caption, content, contact_phone, status, from_url, created_at, updated_at, revision)
    values ('heavy', 'Flat', '', '', 0, '', 1, 1, ${rows + 1})`,
  deliveries: () => `insert into webhooks (id, url, label, types, secrets, created_at)
    values ('heavy', 'https://example.com', '', '["*"]', '[]', 1),
      ('other', 'https://example.org', '', '["*"]', '[]', 1)`,
};

/** Fills what a list is read from. @param from the number of the first row. */
export async function fillList(
  database: BenchDatabase,
  kind: string,
  rows: number,
  from = 0,
): Promise<void> {
  const beside = BESIDE[kind]?.(from + rows);
  if (beside !== undefined) await database.load({ sqlite: beside, postgres: beside });
  for (const [table, values] of ROWS[kind]!) {
    const order = BY_NUMBER.includes(table) || 'id' in values(NO_DIALECT) ? 'number' : 'key';
    await insertRows(database, table, { from, to: from + rows }, values, order);
  }
}

/** A user whom a tenth of all records are of. */
const HEAVY = `insert into users (id, registered, created_at, updated_at) values ('heavy', 1, 1, 1)`;

/** Fills what all lists are read from: of each kind as many rows, so many together. */
export async function fillAll(database: BenchDatabase, rows: number): Promise<void> {
  const kinds = Object.keys(ROWS);
  const each = Math.floor(rows / kinds.length);
  await database.load({ sqlite: HEAVY, postgres: HEAVY });
  for (const [at, kind] of kinds.entries()) await fillList(database, kind, each, at * each);
}

const same = (text: string) => text;
const NO_DIALECT: Dialect = { key: same, hex: same, digest: same, uuid: same, tokenHash: same };
