import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { countHoldings, nothingHeld } from './erase.ts';
import { HOLDING_TABLES, HOLDINGS, type Holding, type HoldingTable } from './holdings.ts';
import { findPerson, type Person } from './person.ts';

type HeldRow = Readonly<Record<string, unknown>>;

/** Number of rows read at once. */
const PAGE = 500;

/** Columns that are left out: secrets and internal values of the service. */
const NOT_GIVEN = new Set([
  'search_text',
  'search_id',
  'title_key',
  'category_order',
  'lease',
  'voter',
  'key_id',
  'traceparent',
]);

/**
 * Exports everything stored about a person, as pieces of one JSON object with a member for each table. Images are
 * named, not included. Reads only, table by table.
 * @param id canonical key of the user.
 * @throws {Ws01Error} `NotFound` when nothing is stored about them.
 */
export async function* exportPerson(store: Store, id: string, now: number): AsyncGenerator<string> {
  if ((await countHoldings(store, id)).length === 0) throw nothingHeld(id);
  const person = await findPerson(store, id);
  yield `{\n"person": ${JSON.stringify(id)},\n"exportedAt": ${JSON.stringify(new Date(now).toISOString())}`;
  for (const table of HOLDING_TABLES) {
    let rows = 0;
    for await (const row of rowsGiven(store, table, person)) {
      yield `${rows === 0 ? `,\n${JSON.stringify(camelCase(table))}: [\n` : ',\n'}${JSON.stringify(givenOf(row))}`;
      rows++;
    }
    if (rows > 0) yield '\n]';
  }
  yield '\n}\n';
}

async function* rowsGiven(
  store: Store,
  table: HoldingTable,
  person: Person,
): AsyncGenerator<HeldRow> {
  const { of, given = of } = HOLDINGS[table] as Holding;
  if (given === false) return;
  for (let offset = 0; ; offset += PAGE) {
    const page = sql<HeldRow>`select * from ${sql.table(table)} where ${given(person)} order by 1, 2
      limit ${PAGE} offset ${offset}`;
    const { rows } = await store.scan((db) => page.execute(db));
    yield* rows;
    if (rows.length < PAGE) return;
  }
}

/** A row for people: names in camel case, instants as RFC 3339, without secrets. */
function givenOf(row: HeldRow): HeldRow {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array || NOT_GIVEN.has(name)) continue;
    const isInstant =
      /(?:^|_)(?:at|until)$|^deadline$/.test(name) &&
      value !== null &&
      Number.isFinite(Number(value));
    given[camelCase(name)] = isInstant ? new Date(Number(value)).toISOString() : value;
  }
  return given;
}

const camelCase = (name: string) =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
