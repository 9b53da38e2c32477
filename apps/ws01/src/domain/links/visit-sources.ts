import type { Kysely } from 'kysely';
import type { LinkVisitSourcesTable, Tables } from '../../store/tables/tables.ts';

/** A source of a visit: its referring site, country or language. */
export interface VisitSource {
  readonly kind: LinkVisitSourcesTable['kind'];
  readonly name: string;
}

/**
 * The name for visits without a source: a typed URL, a link in a mail, or a browser that hides it.
 */
export const NO_SOURCE = '-';

/**
 * The name that counts all other sources: those beyond the limit, and those that are not stored.
 */
export const OTHER_SOURCES = '*';

/** Largest number of rows in one statement. */
const BATCH = 500;

/**
 * Adds visits to the counts of their link, day and source. Names beyond `most` count as
 * {@link OTHER_SOURCES}. The caller must hold locks on the rows of `link_visits` for these links
 * and days, so that nobody else adds names to them.
 * @param rows each name once for a link, day and kind; put frequent names first, since the limit
 *   drops the last.
 * @param most largest number of names for a link, day and kind, besides {@link NO_SOURCE} and
 *   {@link OTHER_SOURCES}.
 */
export async function addSources(
  tx: Kysely<Tables>,
  rows: readonly LinkVisitSourcesTable[],
  most: number,
): Promise<void> {
  const present = await presentNames(tx, rows);
  const kept = new Map<string, LinkVisitSourcesTable>();
  for (const row of rows) {
    const names = present.get(groupOf(row)) ?? new Set();
    present.set(groupOf(row), names);
    const isNamed = row.name !== NO_SOURCE && row.name !== OTHER_SOURCES;
    const isKept = !isNamed || names.has(row.name) || names.size < most;
    if (isNamed && isKept) names.add(row.name);
    const name = isKept ? row.name : OTHER_SOURCES;
    const id = `${groupOf(row)} ${name}`;
    kept.set(id, { ...row, name, visits: row.visits + (kept.get(id)?.visits ?? 0) });
  }
  const sums = [...kept.values()];
  for (let start = 0; start < sums.length; start += BATCH) {
    await tx
      .insertInto('link_visit_sources')
      .values(sums.slice(start, start + BATCH))
      .onConflict((conflict) =>
        conflict.columns(['code', 'day', 'kind', 'name']).doUpdateSet((eb) => ({
          visits: eb('link_visit_sources.visits', '+', eb.ref('excluded.visits')),
        })),
      )
      .execute();
  }
}

const groupOf = ({ code, day, kind }: LinkVisitSourcesTable): string => `${day} ${kind} ${code}`;

/** The names that count towards the limit, by link, day and kind. */
async function presentNames(tx: Kysely<Tables>, rows: readonly LinkVisitSourcesTable[]) {
  const present = new Map<string, Set<string>>();
  const days = [...new Set(rows.map(({ day }) => day))];
  const codes = [...new Set(rows.map(({ code }) => code))];
  for (let start = 0; start < codes.length; start += BATCH) {
    const found = await tx
      .selectFrom('link_visit_sources')
      .selectAll()
      .where('code', 'in', codes.slice(start, start + BATCH))
      .where('day', 'in', days)
      .where('name', 'not in', [NO_SOURCE, OTHER_SOURCES])
      .execute();
    for (const row of found) {
      const names = present.get(groupOf(row)) ?? new Set();
      present.set(groupOf(row), names.add(row.name));
    }
  }
  return present;
}
