import { type Kysely, type RawBuilder, sql } from 'kysely';
import { COUNTED } from '../../records/list.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { auditAct, lastAct } from '../audit/audit.ts';
import { assertUserExists } from '../users/existence.ts';
import { type ModeratedKind, type ModerationCall, remove, restore } from './moderation.ts';

/** Records of a user that one transaction takes down, or puts back, at most. */
const BATCH = 100;

/**
 * What a user has written: the table of each kind, its key, the column that says whose it is, and
 * those that the index of that column has after it.
 */
const WRITTEN = {
  article: { table: 'articles', key: 'guid', owner: 'owner', order: ['created_at', 'guid'] },
  advert: { table: 'adverts', key: 'guid', owner: 'owner', order: ['created_at', 'guid'] },
  image: { table: 'images', key: 'guid', owner: 'owner', order: ['created_at', 'guid'] },
  review: { table: 'reviews', key: 'id', owner: 'voter', order: ['id'] },
} as const satisfies Record<ModeratedKind, object>;

const KINDS = Object.keys(WRITTEN) as ModeratedKind[];

/** Where an act on everything of a user goes on: what comes before is not looked through again. */
export interface Rest {
  readonly kind: ModeratedKind;
  /** After the record at this place in the order of its index. */
  readonly after: readonly (string | number)[];
}

interface UserCall extends Omit<ModerationCall, 'kind'> {
  /** Whether it is rolled back: then one record stands for all. */
  readonly preview: boolean;
  /** What the call before left; absent: this is the first. */
  readonly rest?: Rest | undefined;
}

/**
 * Takes down all articles, adverts, images and reviews of a user that are not down already. The
 * calls of one act have one request id, by which {@link putBackAll} finds what it took.
 * @returns whether it took anything; what is left where that was not all: call it again with that.
 * @throws {Ws01Error} `NotFound` without such a user.
 */
export async function takeDownAll(tx: Kysely<Tables>, call: UserCall): Promise<boolean | Rest> {
  await assertUserExists(tx, call.key);
  const rows = (kind: ModeratedKind): Rows => {
    const { table, key, order } = WRITTEN[kind];
    const owned = sql`from ${sql.table(table)}
      where ${ownedBy(kind, call.key)} and removed_at is null`;
    return { key, order, rows: owned };
  };
  return onEach(tx, call, 'takedown', rows, remove);
}

/**
 * Puts back what the last {@link takeDownAll} of a user took, and nothing that was down before.
 * @returns as it does.
 * @throws {Ws01Error} `NotFound` without such a user.
 */
export async function putBackAll(tx: Kysely<Tables>, call: UserCall): Promise<boolean | Rest> {
  await assertUserExists(tx, call.key);
  const last = (await lastAct(tx, 'user.takedown', call.key))?.request_id;
  if (last === undefined) return false;
  const rows = (kind: ModeratedKind): Rows => ({
    ...{ key: 'target_key', order: ['id'], rows: takenBy(last, kind, call.key) },
  });
  return onEach(tx, call, 'putback', rows, restore);
}

/** Rows that name records of a kind. */
interface Rows {
  /** The column with the key of a record. */
  readonly key: string;
  /** The columns of an index that finds the rows, after those that they have in common. */
  readonly order: readonly string[];
  /** `from` a table, `where` they are. */
  readonly rows: RawBuilder<unknown>;
}

/** Does something to the next records of each kind, so many as one transaction may. */
async function onEach(
  tx: Kysely<Tables>,
  call: UserCall,
  verb: 'takedown' | 'putback',
  rowsOf: (kind: ModeratedKind) => Rows,
  act: typeof remove,
): Promise<boolean | Rest> {
  const { rest, preview } = call;
  const most = preview ? 1 : BATCH;
  let done = 0;
  let left: Rest | undefined;
  for (const kind of KINDS.slice(rest && KINDS.indexOf(rest.kind))) {
    const { key, order, rows } = rowsOf(kind);
    const columns = sql.join(order.map((column) => sql.ref(column)));
    const beyond = rest?.kind === kind ? sql`and (${columns}) > (${sql.join(rest.after)})` : sql``;
    const { rows: found } = await sql<Record<string, string | number> & { readonly key: string }>`
      select ${sql.ref(key)} as key, ${columns} ${rows} ${beyond}
      order by ${columns} limit ${most - done}`.execute(tx);
    for (const one of found) await act(tx, { ...call, kind, key: one.key });
    done += found.length;
    if (done < most) continue;
    left = { kind, after: order.map((column) => found.at(-1)![column]!) };
    break;
  }
  if (done > 0) await audit(tx, call, verb, done);
  return left ?? done > 0;
}

/**
 * How many records of each kind an act on everything of a user concerns, up to {@link COUNTED} and
 * one more.
 */
export type Concerned = Readonly<Record<ModeratedKind, number>>;

/** How many records {@link takeDownAll} would take. */
export function countToTake(db: Kysely<Tables>, id: string): Promise<Concerned> {
  return countEach(
    db,
    (kind) => sql`from ${sql.table(WRITTEN[kind].table)}
      where ${ownedBy(kind, id)} and removed_at is null`,
  );
}

/** How many records {@link putBackAll} would put back. */
export async function countToPutBack(db: Kysely<Tables>, id: string): Promise<Concerned> {
  const last = (await lastAct(db, 'user.takedown', id))?.request_id;
  return countEach(db, (kind) => takenBy(last ?? null, kind, id));
}

/** @param rows `from` the rows of a kind, `where` they are concerned. */
async function countEach(
  db: Kysely<Tables>,
  rows: (kind: ModeratedKind) => RawBuilder<unknown>,
): Promise<Concerned> {
  const counts: [string, number][] = [];
  for (const kind of KINDS) {
    const some = sql`select 1 ${rows(kind)} limit ${COUNTED + 1}`;
    const counted = sql<{
      count: number | string;
    }>`select count(*) as count from (${some}) as counted`;
    counts.push([kind, Number((await counted.execute(db)).rows[0]!.count)]);
  }
  return Object.fromEntries(counts) as Concerned;
}

/**
 * The rows of what a request took of a kind of a user, and that has been down since: what was put
 * back and removed again is down for another reason. Proxies may give requests of others the same
 * id.
 */
function takenBy(requestId: string | null, kind: ModeratedKind, id: string) {
  const { table, key } = WRITTEN[kind];
  return sql`from audit
      where request_id = ${requestId} and action = ${`${kind}.remove`} and exists (
        select 1 from ${sql.table(table)} as one
        where one.${sql.ref(key)} = audit.target_key and one.removed_at = audit.at and ${ownedBy(kind, id)})`;
}

function ownedBy(kind: ModeratedKind, id: string) {
  return sql`${sql.ref(WRITTEN[kind].owner)} = ${kind === 'review' ? `user:${id}` : id}`;
}

async function audit(
  tx: Kysely<Tables>,
  { key, by, at, reason }: UserCall,
  verb: 'takedown' | 'putback',
  records: number,
): Promise<void> {
  await auditAct(tx, `user.${verb}`, key, at, by, { reason, records });
}
