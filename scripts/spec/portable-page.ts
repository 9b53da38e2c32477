/** What of docs/portable-format.md is made of the definition of the format, and its JSON Schema. */
import { portableSchema, portableTables } from '../../apps/ws01/src/domain/portable/schema.ts';

export const PORTABLE_PAGE = 'docs/portable-format.md';
export const PORTABLE_SCHEMA = 'docs/portable-format.schema.json';

const BEGIN = '<!-- made of apps/ws01/src/domain/portable/kinds.ts by npm run spec -->\n';
const END = '<!-- end -->';

/** The page with the tables as they should be. */
export function withKinds(page: string): string {
  const begin = page.indexOf(BEGIN) + BEGIN.length;
  const end = page.indexOf(END);
  if (begin < BEGIN.length || end < begin)
    throw new Error(`${PORTABLE_PAGE} has no place for the tables.`);
  return `${page.slice(0, begin)}\n${portableTables()}\n${page.slice(end)}`;
}

/** The schema's file. */
export function schemaText(): string {
  return `${JSON.stringify(portableSchema(), undefined, 2)}\n`;
}
