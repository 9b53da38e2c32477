import type { BenchDatabase } from '../kit/database.ts';
import { type Dialect, insertRows } from '../kit/rows.ts';

type Values = (dialect: Dialect) => Readonly<Record<string, string | number>>;

/** A table that a list is read from, and SQL of each row's values; `i` is the number of the row. */
type Rows = readonly [table: string, values: Values];

/** SQL of an instant as far back as ninety days. */
const NOW = 1_790_000_000_000;
const AT = `${NOW} - i * 3266489917 % 7776000000`;

/** SQL of a value that a tenth of all rows have, the others a hundred each. */
const SOMEBODY = `case when i % 10 = 0 then 'heavy' else 'user-' || (i / 100) end`;

/** SQL of a value in one of some thousand rows, else null. */
const seldom = (value: string, of = 1_000, rest = 0) => `case when i % ${of} = ${rest} then ${value} end`;
const MODERATED = { held_at: seldom(AT, 1_000, 1), removed_at: seldom(AT, 1_000, 2) };
const TIMES = { created_at: AT, updated_at: AT };
const CATEGORY = `case when i % 10 = 1 then 'heavy' else 'category-' || (i % 997) end`;

/** The ratings of what the articles or adverts of the same numbers are. */
const TALLIES: Rows = [
  'review_tallies',
  ({ key }) => ({ subject: key('i'), votes: 3, positive: 2, marks: 1, ratings: 400 }),
];

const outbox =
  (kind: string): Values =>
  ({ key }) => ({
    id: key('i'),
    kind: `'${kind}'`,
    state: `case i % 1000 when 0 then 'failed' when 1 then 'bounced' when 2 then 'deferred' else 'sent' end`,
    attempts: 1,
    deferrals: 0,
    created_at: AT,
    give_up_at: AT,
    last_reply: `'250 2.0.0 Ok: queued'`,
    finished_at: AT,
  });

const audit =
  (action: string): Values =>
  ({ key }) => ({
    id: key('i'),
    at: AT,
    token_id: `'heavy'`,
    action,
    target_kind: `'article'`,
    target_key: SOMEBODY,
    address: `'192.0.2.1'`,
    details: `'{}'`,
    request_id: key('i / 3'),
  });

/** What each list is read from. */
export const ROWS: Readonly<Record<string, readonly Rows[]>> = {
  articles: [
    [
      'articles',
      ({ key }) => ({
        guid: key('i'),
        owner: SOMEBODY,
        caption: `'Flat ' || i`,
        content: `'Bright and quiet, near the park. 东京站前公寓出租，两室一厅，朝南。'`,
        category_key: CATEGORY,
        contact_phone: `'+1 212 555 0100'`,
        status: 'case when i % 100 < 3 then 1 + i % 100 else 0 end',
        from_url: `''`,
        ip: `'192.0.2.1'`,
        ...TIMES,
        ...MODERATED,
        deleted_at: seldom(AT, 1_000, 3),
        revision: 1,
      }),
    ],
    TALLIES,
    [
      'article_revisions',
      () => ({
        article_guid: `'heavy'`,
        revision: 'i + 1',
        caption: `'Flat'`,
        content: `'Bright'`,
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
        title: `'Flat ' || i`,
        title_key: `'FLAT ' || i`,
        detail: `'Bright and quiet, near the park.'`,
        link_txt: `'more'`,
        link_url: `'https://example.com/' || i`,
        deadline: seldom(AT, 2),
        is_image: 0,
        ip: `'192.0.2.1'`,
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
        category: CATEGORY,
        category_key: CATEGORY,
        category_order: CATEGORY,
        is_icon: 'case when i % 20 = 0 then 1 else 0 end',
        ...TIMES,
        ...MODERATED,
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
        name: `'Ada ' || i`,
        email: seldom(`'ada' || i || '@example.com'`, 2),
        cell_phone: `case when i % 10 = 0 then '+12125550100' else '+1212' || (1000000 + i) end`,
        blocked_at: seldom(AT),
        ...TIMES,
      }),
    ],
  ],
  codes: [['audit', audit(`case i % 3 when 0 then 'code.create' when 1 then 'code.attempt' else 'code.verify' end`)]],
  audit: [['audit', audit(`case when i % 1000 = 0 then 'article.hold' else 'article.create' end`)]],
  mails: [
    [
      'mails',
      ({ key }) => ({
        id: key('i'),
        sender: SOMEBODY,
        ip: `'192.0.2.1'`,
        receiver_name: `'Grace 漢字'`,
        receiver_email: SOMEBODY,
        receiver_key: SOMEBODY,
        subject: `'Your advert ' || i`,
        body: `'<p>Somebody answered your advert.</p>'`,
        message_id: `'<' || i || '@example.com>'`,
        created_at: AT,
        request_id: key('i / 3'),
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
        detail: `'550 no such user'`,
        created_at: AT,
      }),
    ],
  ],
  sms: [
    [
      'sms',
      ({ key }) => ({
        id: key('i'),
        user_id: SOMEBODY,
        phone: `case when i % 10 = 0 then '+12125550100' else '+1212' || (1000000 + i) end`,
        key_id: 1,
        expires_at: AT,
        created_at: AT,
        request_id: key('i / 3'),
      }),
    ],
    ['outbox', outbox('sms')],
  ],
  links: [
    [
      'links',
      ({ key, digest }) => ({
        code: `substr(${key('i')}, 1, 10)`,
        target: `'https://example.com/adverts/' || i`,
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
        day: `'2026-09-01'`,
        visits: 3,
        bots: 1,
        heads: 1,
      }),
    ],
  ],
  reviews: [
    [
      'reviews',
      ({ key }) => ({
        id: key('i'),
        subject: SOMEBODY,
        voter: `'user:' || i`,
        positive: 'i % 2',
        rating: 'i % 501',
        remark: `'Lovely'`,
        ip: `'192.0.2.1'`,
        ...TIMES,
        ...MODERATED,
      }),
    ],
    TALLIES,
  ],
  tokens: [
    [
      'tokens',
      ({ key, digest }) => ({
        id: key('i'),
        hash: digest('i'),
        label: `'app ' || i`,
        kind: `case when i % 1000 = 0 then 'admin' else 'service' end`,
        scopes: `'articles'`,
        created_at: AT,
        revoked_at: seldom(AT),
      }),
    ],
  ],
  events: [
    [
      'events',
      ({ key }) => ({
        id: key('i'),
        seq: 'i + 1',
        at: AT,
        type: `case when i % 1000 = 0 then 'mail.bounced' else 'article.created' end`,
        kind: `'article'`,
        key: SOMEBODY,
        data: `'{}'`,
        request_id: key('i / 3'),
      }),
    ],
  ],
  webhooks: [
    ['webhook_deliveries', ({ key }) => ({ id: key('i'), webhook_id: SOMEBODY, event_id: key('i') })],
    ['outbox', outbox('webhook')],
  ],
  backups: [
    [
      'backups',
      ({ key }) => ({
        id: key('i'),
        target: `'file:///backups'`,
        name: `'backup-' || i`,
        started_at: AT,
        finished_at: AT,
        verified_at: AT,
      }),
    ],
  ],
};

/** Fills what a list is read from. */
export async function fillList(database: BenchDatabase, kind: string, rows: number): Promise<void> {
  const load = (both: string) => database.load({ sqlite: both, postgres: both });
  if (kind === 'articles')
    await load(`insert into articles (guid, caption, content, contact_phone, status, from_url,
    created_at, updated_at, revision) values ('heavy', 'Flat', '', '', 0, '', 1, 1, ${rows + 1})`);
  if (kind === 'webhooks')
    await load(`insert into webhooks (id, url, label, types, secrets, created_at)
      values ('heavy', 'https://example.com', '', '["*"]', '[]', 1)`);
  for (const [table, values] of ROWS[kind]!) {
    const order = ['images', 'mail_suppressions', 'article_revisions'].includes(table) ? 'number' : 'key';
    await insertRows(database, table, { from: 0, to: rows }, values, order);
  }
}
