import { sql } from 'kysely';
import { ADVERTS } from '../../records/adverts.ts';
import { ARTICLES, REVISIONS } from '../../records/articles.ts';
import { AUDIT } from '../../records/audit.ts';
import { POSTINGS } from '../../records/counts.ts';
import { IMAGES } from '../../records/images.ts';
import { LINK_VISIT_SOURCES, LINK_VISITS, LINKS } from '../../records/links.ts';
import { DELIVERIES, MAILS, SUPPRESSIONS } from '../../records/mails.ts';
import { NUMBER_VERIFICATIONS, PHONE_CODES, PHONE_VERIFICATIONS } from '../../records/phones.ts';
import type { Member, Members } from '../../records/record.ts';
import { REVIEWS } from '../../records/reviews.ts';
import { SMS } from '../../records/sms.ts';
import { TOKEN_NETWORKS, TOKENS } from '../../records/tokens.ts';
import type { Stored } from '../../records/types.ts';
import { LEGAL_HOLDS, USERS } from '../../records/users.ts';
import type { Store } from '../../store/store.ts';
import { countHoldings, nothingHeld } from './erase.ts';
import { HOLDING_TABLES, HOLDINGS, type Holding, type HoldingTable } from './holdings.ts';
import { findPerson, type Person } from './person.ts';

type HeldRow = Readonly<Record<string, unknown>>;

/** Number of rows read at once. */
const PAGE = 500;

/** The tables with rows that are given to the person. */
type GivenTable = {
  [Table in HoldingTable]: (typeof HOLDINGS)[Table] extends { given: false } ? never : Table;
}[HoldingTable];

/** What is given of the rows of each table: the members of its record, by their public names. */
const GIVEN: Readonly<Record<GivenTable, { readonly members: Members<never> }>> = {
  audit: AUDIT,
  reviews: REVIEWS,
  images: IMAGES,
  article_revisions: REVISIONS,
  adverts: ADVERTS,
  articles: ARTICLES,
  link_visits: LINK_VISITS,
  link_visit_sources: LINK_VISIT_SOURCES,
  mail_suppressions: SUPPRESSIONS,
  outbox: DELIVERIES,
  mails: MAILS,
  number_verifications: NUMBER_VERIFICATIONS,
  phone_codes: PHONE_CODES,
  sms: SMS,
  links: LINKS,
  postings: POSTINGS,
  token_networks: TOKEN_NETWORKS,
  tokens: TOKENS,
  phone_verifications: PHONE_VERIFICATIONS,
  legal_holds: LEGAL_HOLDS,
  users: USERS,
};

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
      const given = givenOf(GIVEN[table as GivenTable].members, row, now);
      yield `${rows === 0 ? `,\n${JSON.stringify(camelCase(table))}: [\n` : ',\n'}${JSON.stringify(given)}`;
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
