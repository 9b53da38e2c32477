import { sql } from 'kysely';
import type { Person } from '../../records/persons.ts';
import type { Member, Members } from '../../records/record.ts';
import type { Stored } from '../../records/types.ts';
import type { Store } from '../../store/store.ts';
import { countHoldings, nothingHeld } from './erase.ts';
import { type HeldRecord, HOLDINGS } from './holdings.ts';
import { findPerson } from './person.ts';

type HeldRow = Readonly<Record<string, unknown>>;

/** Number of rows read at once. */
const PAGE = 500;

/**
 * Exports everything stored about a person, as pieces of one JSON object with a member for each
 * table. Images are named, not included. Reads only, table by table.
 * @param id canonical key of the user.
 * @throws {Ws01Error} `NotFound` when nothing is stored about them.
 */
export async function* exportPerson(store: Store, id: string, now: number): AsyncGenerator<string> {
  if ((await countHoldings(store, id)).length === 0) throw nothingHeld(id);
  const person = await findPerson(store, id);
  yield `{\n"person": ${JSON.stringify(id)},\n"exportedAt": ${JSON.stringify(new Date(now).toISOString())}`;
  for (const record of HOLDINGS) {
    let rows = 0;
    for await (const row of rowsGiven(store, record, person)) {
      const given = JSON.stringify(givenOf(record.members, row, now));
      const name = JSON.stringify(camelCase(record.table));
      yield `${rows === 0 ? `,\n${name}: [\n` : ',\n'}${given}`;
      rows++;
    }
    if (rows > 0) yield '\n]';
  }
  yield '\n}\n';
}

async function* rowsGiven(
  store: Store,
  { table, personal }: HeldRecord,
  person: Person,
): AsyncGenerator<HeldRow> {
  const { of, given = of } = personal;
  if (given === false) return;
  for (let offset = 0; ; offset += PAGE) {
    const page = sql<HeldRow>`select * from ${sql.table(table)} where ${given(person)} order by 1, 2
      limit ${PAGE} offset ${offset}`;
    const { rows } = await store.scan((db) => page.execute(db));
    yield* rows;
    if (rows.length < PAGE) return;
  }
}

/** The members of a row that are columns, without secrets and what the service alone knows. */
function givenOf(members: Members<never>, row: HeldRow, now: number): HeldRow {
  const given: Record<string, unknown> = {};
  for (const [name, member] of Object.entries<Member<never>>(members)) {
    const { column, table, internal, type, of } = member;
    if (column === undefined || table !== undefined || internal === true) continue;
    const stored = row[column] as Stored;
    const told = stored === null ? null : type.write(stored);
    given[name] =
      of === undefined ? told : of(row as never, { baseUrl: '', shortBaseUrl: '', now });
  }
  return given;
}

const camelCase = (name: string) =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
