import type { Context } from 'hono';
import type { Item } from '../api/kind.ts';
import { apiFor } from './api-client.ts';
import { detailsOf } from './audit-details.ts';
import type { ExportPages } from './csv.ts';
import { nameAt } from './names.ts';
import { type ToldEntries, toldOf } from './told.ts';
import { detailList, type Showing } from './values.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What a record is called, beside its key. */
const CALLED = 'targetName';

/** An export of the audit trail: its entries tell what they do on their pages, and have the names of their records. */
export function toldExport(
  deps: Pick<ConsoleDeps, 'api'>,
  c: C,
  columns: readonly string[],
  pages: ExportPages,
): { readonly columns: readonly string[]; readonly pages: ExportPages } {
  const all = columns.flatMap((name) => (name === 'targetKey' ? [name, CALLED] : [name]));
  return { columns: all, pages: toldPages(deps, c, pages) };
}

async function* toldPages(deps: Pick<ConsoleDeps, 'api'>, c: C, pages: ExportPages): ExportPages {
  for (;;) {
    const { done, value } = await pages.next();
    if (done) return value;
    const told = await toldOf(apiFor(deps, c), value);
    yield value.map((entry) => toldEntry(c, entry, told));
  }
}

function toldEntry(c: C, entry: Item, told: ToldEntries): Item {
  const { translate, language } = c.get('visit');
  const showing: Showing = { translate, language, names: told.names, item: entry };
  const details = told.details.get(String(entry.id)) ?? detailsOf(entry);
  const text = details.map((one) => textOf(String(detailList(showing, [one]))));
  return { ...entry, [CALLED]: nameAt(told.names, 'targetKey', entry), details: text.join('; ') };
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" },
};

/** The text that a browser shows of a line. */
const textOf = (line: string): string =>
  line
    .replaceAll(/<button.*?<\/button>/gs, '')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(#?\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();
