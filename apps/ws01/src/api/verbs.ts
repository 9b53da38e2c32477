import { type Kysely, sql } from 'kysely';
import type { Role } from '../contract/roles.ts';
import type { Actor } from '../domain/audit/audit.ts';
import type { Clock } from '../domain/context.ts';
import type { Concerned, Rest } from '../domain/moderation/everything.ts';
import { COUNTED } from '../records/list.ts';
import type { Shown } from '../records/record.ts';
import { isPostgres } from '../store/engine-of.ts';
import type { Store } from '../store/store.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import { findRow, itemOf, type Kind, readRow } from './kind.ts';
import { itemSchema, type KindDeps } from './kind-routes.ts';
import type { ApiCall, Route } from './route.ts';
import { flag, integer, nullable, object, type Schema, text, type Values } from './schema.ts';
import { assertVersion, versionOf, withVersion } from './versions.ts';

export interface VerbDeps extends KindDeps {
  readonly clock: Clock;
}

/** The input of a verb, within its transaction. */
export interface VerbCall {
  readonly key: string;
  readonly by: Actor;
  readonly reason: string | undefined;
  readonly at: Instant;
  readonly body: Values;
  readonly path: Readonly<Record<string, string>>;
  /** Whether it is rolled back, and only tells what would happen. */
  readonly preview: boolean;
  /** What the transaction before left, if it told. */
  readonly rest: Rest | undefined;
}

/** An action on the records of a kind. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly role: Role;
  /** Members of the body besides `reason`; `required` names the mandatory ones. */
  readonly body?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Path segment after the key, if the verb concerns a part of the record. */
  readonly part?: string;
  /** The HTTP method, if it names the verb; the path then does not. */
  readonly method?: 'patch' | 'delete';
  /** As of a {@link Route}. */
  readonly confirmed?: true;
  /**
   * Does the work.
   * @returns whether anything changed; `'more'`, or what is left, if the verb must be repeated to
   *   finish.
   */
  readonly act: (tx: Kysely<Tables>, call: VerbCall) => Promise<boolean | 'more' | Rest>;
  /** Whether the audit trail has no entry of it, so that a reason would be thrown away. */
  readonly isUnaudited?: true;
  /**
   * How many records of each kind the act concerns, if it is on many; the answer has it, of a
   * preview too.
   */
  readonly counts?: (tx: Kysely<Tables>, key: string) => Promise<Concerned>;
  /** Called after the commit of a change. */
  readonly done?: (key: string) => void;
}

const REASON = text('Why; the audit trail keeps it.', { maxLength: 200 });

/** For what nothing is kept of. */
export const NO_REASON = text('Ignored.', { maxLength: 200, deprecated: true });

/** The actor for the audit trail, with the reason in the body. */
export function actorOf({
  principal,
  address,
  requestId,
  body,
}: Pick<ApiCall, 'principal' | 'address' | 'requestId' | 'body'>): Actor {
  const from = {
    address,
    requestId,
    reason: typeof body.reason === 'string' ? body.reason : undefined,
  };
  return principal.kind === 'token'
    ? { tokenId: principal.id, ...from }
    : { tokenId: undefined, admin: principal.name, ...from };
}

/**
 * The schema of a verb's answer: whether the record changed (in a preview: would change), and the
 * record afterwards.
 */
export function changeSchema<Row>(kind: Kind<Row>): Schema {
  return {
    ...object({
      changed: flag('Whether it changed anything, or would.'),
      preview: flag('Whether nothing was done, and this only tells what would happen.'),
      item: nullable(itemSchema(kind)),
    }),
    title: `${kind.title}Change`,
  };
}

/** The same for a verb on many records, with how many it concerns. */
function countedSchema<Row>(kind: Kind<Row>, name: string): Schema {
  const { properties, required } = changeSchema(kind);
  const [article, advert, image, review] = ['articles', 'adverts', 'images', 'reviews'].map(
    (things) => integer(`How many ${things} it concerns, up to ${COUNTED} and one more.`),
  );
  const records = object({ article, advert, image, review } as Record<string, Schema>);
  return {
    ...object({ ...properties, records }),
    required: [...required!, 'records'],
    title: `${kind.title}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  };
}

/**
 * The route of a verb: `POST /articles/{guid}/hold`. A preview does the work and rolls the
 * transaction back, so its answer is exact.
 */
export function verbRoute<Row>(kind: Kind<Row>, verb: Verb, deps: VerbDeps): Route {
  const { name, summary, role, method, confirmed, isUnaudited, counts } = verb;
  const { body = {}, required = [], part = '' } = verb;
  return {
    method: method ?? 'post',
    path: `/${kind.name}/{${kind.key.name}}${part}${method === undefined ? `/${name}` : ''}`,
    id: `${name}${kind.title}${part === '' ? '' : 'Part'}`,
    tag: kind.name,
    summary,
    role,
    ...(confirmed === undefined ? {} : { confirmed }),
    query: { preview: { ...flag('Only tell what would happen.'), default: false } },
    body: object({ reason: isUnaudited ? NO_REASON : REASON, ...body }, [
      ...new Set([...Object.keys(body), 'reason'].filter((key) => !required.includes(key))),
    ]),
    result: counts === undefined ? changeSchema(kind) : countedSchema(kind, name),
    errors: ['NotFound', 'Busy'],
    run: (call) => perform(kind, verb, deps, call),
  };
}

/** Does what a verb does, in as many transactions as its act needs. */
async function perform<Row>(
  kind: Kind<Row>,
  { act, counts, done }: Verb,
  { store, clock, shown }: VerbDeps,
  call: ApiCall,
) {
  const given = call.path[kind.key.name]!;
  const key = kind.key.canonical?.(given) ?? given;
  const preview = call.query.preview === true;
  const context = shown(call);
  const about = {
    key,
    by: actorOf(call),
    reason: call.body.reason as string | undefined,
    body: call.body,
    path: call.path,
    preview,
  };
  let goesOn = false;
  let rest: Rest | undefined;
  let records: Concerned | undefined;
  for (;;) {
    const { changed, item, version } = await runOrPreview(store, preview, async (tx) => {
      // What the first part of the act has changed is another version.
      if (!goesOn) await assertSeen(tx, kind, key, call, context);
      if (!goesOn) records = await counts?.(tx, key);
      const changed = await act(tx, { ...about, rest, at: clock() });
      const row = await findRow(tx, kind, key);
      const item = row && itemOf(kind.fields, row, context, call.principal, true);
      const version = row && versionOf(kind, row, context, call.principal);
      return { changed, item: item ?? null, version };
    });
    if (typeof changed !== 'boolean' && !preview) {
      goesOn = true;
      rest = changed === 'more' ? undefined : changed;
      continue;
    }
    const hasChanged = goesOn || changed !== false;
    if (hasChanged && !preview) done?.(key);
    const told = { changed: hasChanged, preview, item, ...(records && { records }) };
    return withVersion(told, version);
  }
}

/** An act that makes a secret: the answer has it, and nothing keeps it. */
interface SecretAct extends Pick<Verb, 'summary' | 'body' | 'done'> {
  /** OpenAPI's `operationId`; its first word names the verb. */
  readonly id: string;
  /** The path after the key: `/rotate`. */
  readonly tail: string;
  /** The title of the answer's schema. */
  readonly title: string;
  /** The members of the answer that tell of what was made; null in a preview. */
  readonly tells: Readonly<Record<string, Schema>>;
  readonly act: (tx: Kysely<Tables>, call: VerbCall) => Promise<Readonly<Record<string, string>>>;
}

/**
 * The route of an act that makes a secret, for owners who have just shown once more who they are.
 */
export function secretRoute<Row>(
  kind: Kind<Row>,
  { id, tail, title, summary, body = {}, tells, act, done }: SecretAct,
  { store, clock, shown }: VerbDeps,
): Route {
  const { properties, required } = changeSchema(kind);
  const told = Object.entries(tells).map(([name, schema]) => [name, nullable(schema)] as const);
  return {
    method: 'post',
    path: `/${kind.name}/{${kind.key.name}}${tail}`,
    id,
    tag: kind.name,
    summary,
    role: 'owner',
    confirmed: true,
    query: { preview: { ...flag('Only tell what would happen.'), default: false } },
    body: object({ reason: REASON, ...body }, ['reason', ...Object.keys(body)]),
    result: {
      ...object({ ...properties, ...Object.fromEntries(told) }),
      required: [...required!, ...Object.keys(tells)],
      title,
    },
    errors: ['NotFound', 'Busy'],
    async run(call) {
      const key = call.path[kind.key.name]!;
      const preview = call.query.preview === true;
      const { body: given, path } = call;
      const context = shown(call);
      const about = {
        ...{ key, by: actorOf(call), reason: undefined, body: given, path, preview },
        rest: undefined,
      };
      const made = await runOrPreview(store, preview, async (tx) => {
        await assertSeen(tx, kind, key, call, context);
        return act(tx, { ...about, at: clock() });
      });
      if (!preview) done?.(key);
      const item = itemOf(
        kind.fields,
        await readRow(store, kind, key),
        context,
        call.principal,
        true,
      );
      const names = Object.keys(tells);
      const secrets = names.map((name) => [name, preview ? null : made[name]]);
      return { changed: true, preview, item, ...Object.fromEntries(secrets) };
    },
  };
}

/**
 * Checks the version of a record if the call names one, and keeps others from changing it until the
 * transaction ends.
 * @throws {Ws01Error} as {@link assertVersion}.
 */
async function assertSeen<Row>(
  tx: Kysely<Tables>,
  kind: Kind<Row>,
  key: string,
  { ifMatch, principal }: Pick<ApiCall, 'ifMatch' | 'principal'>,
  shown: Shown,
): Promise<void> {
  if (ifMatch === undefined) return;
  const { from, key: named } = kind;
  if (isPostgres(tx))
    await sql`select 1 from ${sql.raw(from)} where ${sql.raw(named.column)} = ${key} for update`.execute(
      tx,
    );
  const row = await findRow(tx, kind, key);
  assertVersion(ifMatch, row && versionOf(kind, row, shown, principal));
}

/** Runs a transaction; in a preview, rolls it back. */
export async function runOrPreview<T>(
  store: Store,
  preview: boolean,
  work: (tx: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  try {
    return await store.write(async (tx) => {
      const result = await work(tx);
      if (preview) throw new Previewed(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Previewed) return error.result as T;
    throw error;
  }
}

/** Rolls a transaction back and carries its result. */
class Previewed extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('It was only a preview.');
    this.result = result;
  }
}
