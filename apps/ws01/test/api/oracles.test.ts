import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { type Kysely, sql } from 'kysely';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import type { Principal } from '../../src/api/principal.ts';
import type { Role } from '../../src/contract/roles.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { type ApiDesk, apiOf, openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { type FreshDatabase, forEachEngine } from '../kit/database.ts';

type Item = Readonly<Record<string, unknown>>;
type Ask = (path: string) => Promise<{ readonly status: number; readonly body: string }>;
interface Parameter {
  readonly name: string;
  readonly schema: {
    readonly type?: unknown;
    readonly enum?: readonly string[];
    readonly format?: string;
  };
}
interface List {
  readonly kind: string;
  /** The member that is its key. */
  readonly key: string;
  readonly parameters: readonly Parameter[];
}

/** Parameters that say which part of a list is shown, not which rows it has. */
const PAGING = new Set(['limit', 'cursor', 'total']);

/** The lists that the OpenAPI document names, with their parameters. */
async function listsOf(desk: ApiDesk): Promise<readonly List[]> {
  const { body } = await desk.ask('GET', '/openapi.json', undefined, undefined);
  const paths = Object.entries(
    body.paths as Record<string, { readonly get?: { readonly parameters?: Parameter[] } }>,
  );
  return paths.flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    const isList = /^\/\w+$/.test(path) && parameters.some(({ name }) => name === 'sort');
    const key = paths
      .map(([of]) => of.split('/{'))
      .find(([kind, rest]) => kind === path && /^\w+}$/.test(rest ?? ''));
    return isList && key !== undefined
      ? [{ kind: path.slice(1), key: key[1]!.slice(0, -1), parameters }]
      : [];
  });
}

/** The values to ask a parameter for: all it allows, or every text that an owner reads in any record. */
function valuesFor({ schema }: Parameter, texts: readonly string[]): readonly string[] {
  if (schema.enum !== undefined) return schema.enum;
  if (JSON.stringify(schema.type)?.includes('boolean')) return ['true', 'false'];
  return schema.format === 'date-time' ? [] : texts;
}

/**
 * By day what searches a list is asked for every sixth text, and other parameters for every twentieth, the next one for
 * others; the search of all lists is asked for every third.
 */
function askedOf(parameter: Parameter, index: number, texts: readonly string[]): readonly string[] {
  if (BY_NIGHT) return texts;
  const every = parameter.name === 'q' ? 6 : 20;
  return texts.filter((_, at) => (at + index) % every === 0);
}

/** The records of a kind, each with all members that the caller reads, by key. */
async function recordsOf(ask: Ask, { kind, key: named }: List): Promise<Map<string, Item>> {
  const { status, body } = await ask(`/${kind}`);
  if (status !== 200) return new Map();
  const records = new Map<string, Item>();
  for (const item of JSON.parse(body).items as readonly Item[]) {
    const key = String(item[named]);
    const answer = await ask(`/${kind}/${encodeURIComponent(key)}`);
    records.set(key, answer.status === 200 ? JSON.parse(answer.body) : item);
  }
  return records;
}

/** What a caller is answered to every filter, search and order of every list, to records, and to the search of all. */
async function answersTo(
  ask: Ask,
  lists: readonly List[],
  texts: readonly string[],
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const note = async (path: string) => {
    const { status, body } = await ask(path);
    answers.set(path, `${status} ${status === 200 ? body : ''}`);
  };
  for (const [at, list] of lists.entries()) {
    const { kind, parameters } = list;
    await note(`/${kind}`);
    for (const [index, parameter] of parameters.entries()) {
      if (PAGING.has(parameter.name)) continue;
      for (const value of valuesFor(parameter, askedOf(parameter, at + index, texts))) {
        await note(`/${kind}?${parameter.name}=${encodeURIComponent(value)}`);
      }
    }
    for (const [key, record] of await recordsOf(ask, list))
      answers.set(`/${kind}/${key}`, JSON.stringify(record));
  }
  for (const text of someOf(texts, 3)) await note(`/search?q=${encodeURIComponent(text)}`);
  return answers;
}

const INSTANT = /^\d{4}-\d\d-\d\dT/;

/** The texts in records that are short enough to be asked for. */
function textsIn(records: Iterable<Item>): string[] {
  const texts = [...records].flatMap((record) =>
    Object.values(record).flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : value,
    ),
  );
  return texts.filter(
    (text): text is string =>
      typeof text === 'string' && /^.{2,63}$/.test(text) && !INSTANT.test(text),
  );
}

/** Changes everything that owners alone read. */
async function changeForOwners(tx: Kysely<Tables>, at: number): Promise<void> {
  await sql`update webhooks set url = url || '/zq-other'`.execute(tx);
  const tried = { at, status: null, reply: 'zq-reply', answer: 'zq-answer', ms: 1 };
  await tx
    .updateTable('webhook_deliveries')
    .set({ tries: JSON.stringify([tried]) })
    .execute();
  await tx.updateTable('mails').set({ body: 'zq-body' }).execute();
  const hold = {
    user_id: 'ada',
    reason: 'zq-reason',
    set_by: 'zq-owner',
    set_at: at,
    until: at + DAY_MS,
  };
  await tx.insertInto('legal_holds').values(hold).execute();
  const entry = {
    at,
    token_id: null,
    target_kind: 'user',
    target_key: 'ada',
    address: null,
    request_id: 'zq-call',
  };
  for (const action of ['user.hold', 'user.release']) {
    await tx
      .insertInto('audit')
      .values({ ...entry, id: crypto.randomUUID(), action, details: '{"reason":"zq-reason"}' })
      .execute();
  }
}

/** Changes everything that people who are no owners do not read. */
async function changePrivate(tx: Kysely<Tables>, at: number): Promise<void> {
  const names = words('name first_name last_name zip_code state city address address2');
  const set = sql.join(names.map((name) => sql`${sql.ref(name)} = ${`zq-${name}`}`));
  await sql`update users set ${set}, email = 'zq@example.com', cell_phone = '+12125550177',
    cell_phone_verified_at = ${at} where id = 'ada'`.execute(tx);
  await tx.updateTable('links').set({ user_email: 'zq-link@example.com' }).execute();
  for (const table of ['articles', 'images', 'audit'] as const) {
    await sql`update ${sql.table(table)} set token_id = 'zq-token'`.execute(tx);
  }
  await tx
    .insertInto('audit')
    .values({
      ...{
        id: crypto.randomUUID(),
        at,
        token_id: null,
        action: 'suppression.add',
        target_kind: 'suppression',
      },
      ...{
        target_key: 'zq-suppressed@example.com',
        address: null,
        details: '{"note":"zq-note"}',
        request_id: 'zq-call',
      },
    })
    .execute();
}

forEachEngine((_engine, fresh) => {
  it('what a role may not see decides no answer to it: each filter, search and order of each kind', (t) =>
    tellsNothing(t, fresh, () => Promise.resolve()));

  it('nor when the words of all records are indexed', (t) => tellsNothing(t, fresh, indexRecords));
});

/** @param settle before each look. */
async function tellsNothing(
  t: TestContext,
  fresh: FreshDatabase,
  settle: (store: Store) => Promise<void>,
): Promise<void> {
  const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
  await seedEveryKind(desk);
  await desk.post('/webhooks', {
    url: 'https://hooks.example.com/secret-place',
    label: 'chat',
    types: ['article.create'],
  });
  const lists = await listsOf(desk);
  assert.ok(lists.length >= 12, lists.map(({ kind }) => kind).join(' '));
  // Nothing changes by itself any more: the API reads the database without the service.
  await desk.service.app.stop();
  // Nor does a page end sooner because the machine is busy.
  new Clock(t).stop();
  const api = apiOf(desk.store);
  const as =
    (kind: Principal['kind'], role: Role): Ask =>
    async (path) => {
      const principal = { kind, name: role, role, id: role };
      const request = new Request(`http://localhost/api/v1${path}`);
      const response = await api.fetch(request, { principal, address: '192.0.2.1' });
      return { status: response.status, body: await response.text() };
    };
  const owner = as('admin', 'owner');
  const read = as('token', 'reader');
  const people = { reader: as('admin', 'reader'), moderator: as('admin', 'moderator') };
  const worlds = [
    { change: changeForOwners, callers: { ...people, 'a token with read': read } },
    { change: changePrivate, callers: people },
  ];
  for (const { change, callers } of worlds) {
    const recordsBefore = await allRecords(owner, lists);
    const [first = owner] = Object.values(callers).toReversed();
    const seen = new Set(textsIn(await allItems(first, lists)));
    const hidden = textsIn(await allItems(owner, lists));
    const texts = new Set(['ada', ...hidden.filter((text) => !seen.has(text))]);
    for (const word of words(
      'hooks.example.com/secret zq zq-reason zq-owner zq@example.com +12125550177',
    ))
      texts.add(word);
    await settle(desk.store);
    const before = new Map<string, Map<string, string>>();
    for (const [who, ask] of Object.entries(callers))
      before.set(who, await answersTo(ask, lists, [...texts]));
    await desk.store.write((tx) => change(tx, Date.now()));
    await settle(desk.store);
    const recordsAfter = await allRecords(owner, lists);
    for (const [who, ask] of Object.entries(callers)) {
      const after = await answersTo(ask, lists, [...texts]);
      for (const [path, answer] of before.get(who)!)
        assert.equal(after.get(path), answer, `${who}: ${path}`);
      // What this caller is not shown was changed, so that the answers had something to tell.
      if (ask !== (change === changeForOwners ? read : people.reader)) continue;
      for (const list of lists) {
        const { kind } = list;
        for (const [key, shown] of await recordsOf(ask, list)) {
          const [old, now] = [
            recordsBefore.get(kind)!.get(key)!,
            recordsAfter.get(kind)!.get(key)!,
          ];
          const hidden = Object.keys(now).filter((name) => !(name in shown));
          const same = hidden.filter(
            (name) => JSON.stringify(old[name]) === JSON.stringify(now[name]),
          );
          const isOfOther = (name: string) =>
            change === changePrivate && /^held|^(url|tries)$/.test(name);
          // What a delivery sends is an event, which all of them read.
          const isEvent = (name: string) => kind === 'deliveries' && name === 'body';
          assert.deepEqual(
            same.filter((name) => !isOfOther(name) && !isEvent(name) && now[name] !== null),
            [],
            `${kind} ${key}`,
          );
        }
      }
    }
  }
}

async function allRecords(
  ask: Ask,
  lists: readonly List[],
): Promise<Map<string, Map<string, Item>>> {
  const all = new Map<string, Map<string, Item>>();
  for (const list of lists) all.set(list.kind, await recordsOf(ask, list));
  return all;
}

async function allItems(ask: Ask, lists: readonly List[]): Promise<Item[]> {
  return [...(await allRecords(ask, lists)).values()].flatMap((records) => [...records.values()]);
}
