import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { insertNew } from '../../../store/bulk.ts';
import type { Moderated, Tables } from '../../../store/tables/tables.ts';
import { unindexAdvert } from '../../adverts/search-index.ts';
import { keepRevision, uncountRevisions } from '../../articles/rows.ts';
import { changeBy, changeTally } from '../../reviews/tally.ts';
import { isPublic } from '../../shared/moderated.ts';
import { addressKey } from '../../values/email-address.ts';
import { newKey } from '../../values/keys.ts';
import { foldText, sortKeyOf } from '../../values/search-text.ts';
import type { KindName } from '../kinds.ts';
import type { Row } from '../record.ts';
import { column, type ImportContext } from './context.ts';
import { madeOf, post } from './creations.ts';
import { deriveImages, enterImages, refreshImages, replaceImage } from './images.ts';
import { deriveLinks, deriveReplaced } from './links.ts';

/** Which records are there: those of the database, and those that were looked at before. */
export type Known = (
  table: keyof Tables,
  column: string,
  keys: readonly string[],
) => Promise<ReadonlySet<string>>;

/** What is particular to a kind. */
interface Rules {
  /** Columns besides those of the fields. */
  readonly derived?: readonly string[];
  /** Fills in what is absent. @returns why the row cannot be taken; `undefined` when it can. */
  readonly complete?: (row: Row, context: ImportContext) => string | undefined;
  /** Why rows cannot be taken for the sake of others: as `complete`, for each row. */
  readonly check?: (rows: readonly Row[], known: Known) => Promise<readonly (string | undefined)[]>;
  /** Works out the derived columns, just before the rows are inserted. */
  readonly derive?: (tx: Kysely<Tables>, rows: readonly Row[]) => Promise<void>;
  /** Called with the rows that were created, to write what depends on them. */
  readonly inserted?: (
    tx: Kysely<Tables>,
    rows: readonly Row[],
    context: ImportContext,
  ) => Promise<void>;
  /** Whether a record that is there stands only for what is brought, and gives way to it. */
  readonly givesWay?: (stored: Row) => boolean;
  /**
   * Lets a row take the place of a stored one by `write`, with what depends on it; absent: none
   * ever does.
   */
  readonly replace?: (
    tx: Kysely<Tables>,
    pair: { readonly row: Row; readonly stored: Row },
    write: () => Promise<void>,
    context: ImportContext,
  ) => Promise<void>;
}

export const RULES: Readonly<Partial<Record<KindName, Rules>>> = {
  users: {
    complete: defaultUpdated,
    replace: (_tx, _pair, write) => write(),
    givesWay: ({ id: _, created_at, updated_at, registered, ...said }) =>
      registered === 0 &&
      created_at === updated_at &&
      Object.values(said).every((value) => value === null),
  },
  articles: {
    complete: (row) => {
      defaultUpdated(row);
      // Release 0.2.0 took texts of invisible marks, so what it exports may have them.
      const { caption, content } = row as { caption: string; content: string };
      return (caption + content).trim() === '' ? 'caption or content is required' : undefined;
    },
    inserted: async (tx, rows, context) => {
      await madeOf(tx, rows, context);
      await post(tx, rows, context, { kind: 'article', key: 'guid' });
      await refreshImages(tx, rows);
    },
    replace: async (tx, { row, stored }, write, context) => {
      const guid = row.guid as string;
      keepRevision.send(tx, { guid, recorded_at: context.now });
      row.revision = (stored.revision as number) + 1;
      await write();
      await uncountRevisions(tx, guid);
      await madeOf(tx, [row], context);
      await refreshImages(tx, [row]);
    },
  },
  revisions: {
    check: async (rows, known) => {
      const articles = await known('articles', 'guid', column(rows, 'article_guid'));
      return rows.map((row) =>
        articles.has(row.article_guid as string)
          ? undefined
          : `there is no article ${row.article_guid}`,
      );
    },
  },
  adverts: {
    derived: ['title_key', 'search_text'],
    complete: defaultUpdated,
    derive: async (_, rows) => {
      for (const row of rows) {
        row.title_key = sortKeyOf(row.title as string);
        row.search_text = foldText(`${row.title}\n${row.detail}\n${row.link_txt}`);
      }
    },
    inserted: async (tx, rows, context) => {
      await madeOf(tx, rows, context);
      await post(tx, rows, context, { kind: 'advert', key: 'guid' });
      await refreshImages(tx, rows);
    },
    replace: async (tx, { row }, write, context) => {
      await write();
      await unindexAdvert(tx, row.guid as string);
      await madeOf(tx, [row], context);
      await refreshImages(tx, [row]);
    },
  },
  'image-files': { derived: ['stored_as'] },
  images: {
    derived: [
      'bytes',
      'linked_category',
      'category_key',
      'category_order',
      'visibility',
      'search_text',
    ],
    complete: (row) => {
      if (row.is_icon === 1) row.icon_at ??= row.updated_at ?? row.created_at!;
      return defaultUpdated(row) ?? (row.hash === null ? 'hash or file is required' : undefined);
    },
    check: async (rows, known) => {
      const files = await known('image_files', 'hash', column(rows, 'hash'));
      return rows.map((row) =>
        files.has(row.hash as string) ? undefined : 'its file is not there',
      );
    },
    derive: deriveImages,
    inserted: enterImages,
    replace: replaceImage,
  },
  reviews: {
    complete: (row) => {
      row.id ??= newKey();
      return defaultUpdated(row);
    },
    inserted: async (tx, rows, context) => {
      await tally(tx, rows);
      await post(tx, rows, context, {
        kind: 'review',
        key: 'id',
        userOf: ({ voter }) =>
          (voter as string).startsWith('user:') ? (voter as string).slice('user:'.length) : null,
      });
    },
    replace: async (tx, { row, stored }, write) => {
      row.id = stored.id!;
      await write();
      await changeTally(tx, row.subject as string, changeBy(votedIn(row), votedIn(stored)));
    },
  },
  reports: {
    complete: (row) => {
      row.id ??= newKey();
      return undefined;
    },
    replace: async (_, { row, stored }, write) => {
      row.id = stored.id!;
      await write();
    },
  },
  links: {
    derived: ['request_hash'],
    derive: deriveLinks,
    replace: async (tx, { row }, write) => {
      await deriveReplaced(tx, row);
      await write();
    },
  },
  mails: {
    derived: ['receiver_key'],
    complete: (row) => {
      row.message_id ??= `<${row.id}@imported>`;
      return undefined;
    },
    derive: async (_, rows) => {
      for (const row of rows) row.receiver_key = addressKey(row.receiver_email as string);
    },
    inserted: async (tx, rows, context) => {
      if (context.brings.has('deliveries')) return;
      const sent = rows.map(({ id, created_at }) => ({
        ...DELIVERED,
        id: id!,
        created_at,
        give_up_at: created_at,
        finished_at: created_at,
      }));
      await insertNew(tx, 'outbox', Object.keys(sent[0] ?? {}), ['id'], sent as unknown as Row[]);
    },
  },
  deliveries: {
    derived: ['kind', 'lease'],
    complete: (row, { sendMail, now }) => {
      row.kind = 'mail';
      row.lease = null;
      row.give_up_at ??= (row.created_at as number) + DAY_MS;
      const pending = row.state === 'queued' || row.state === 'deferred';
      if (pending && !sendMail) Object.assign(row, { state: 'kept', due_at: null });
      if (pending && sendMail) row.due_at ??= now;
      return undefined;
    },
  },
};

const DELIVERED = {
  kind: 'mail',
  state: 'sent',
  attempts: 0,
  deferrals: 0,
  due_at: null,
  lease: null,
  last_reply: null,
};

function defaultUpdated(row: Row): undefined {
  row.updated_at ??= row.created_at!;
}

type Review = Parameters<typeof changeBy>[0] & Moderated;

/** What a review counts for; nothing where the public does not see it. */
function votedIn(row: Row): Parameters<typeof changeBy>[0] {
  const review = row as unknown as Review;
  return isPublic(review) ? review : undefined;
}

/** Adds reviews to what everybody thinks, once for each thing. */
async function tally(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const changes = new Map<string, ReturnType<typeof changeBy>>();
  for (const row of rows) {
    const { votes, positive, marks, ratings } = changeBy(votedIn(row), undefined);
    const sum = changes.get(row.subject as string);
    changes.set(row.subject as string, {
      votes: votes + (sum?.votes ?? 0),
      positive: positive + (sum?.positive ?? 0),
      marks: marks + (sum?.marks ?? 0),
      ratings: ratings + (sum?.ratings ?? 0),
    });
  }
  for (const [subject, change] of changes) await changeTally(tx, subject, change);
}
