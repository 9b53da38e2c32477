/** A row of a table of values in the documentation. */
export interface ValueRow {
  /** 1-based line of the page. */
  readonly line: number;
  readonly written: string;
  /** The value in code quotes, or the word in italics. */
  readonly meaning: { readonly value: string } | { readonly verdict: string };
}

/**
 * Reads the tables of `docs/values.md`.
 *
 * @returns rows by the heading above them; a heading without a table is left out.
 * @throws {Error} on a row of another form, so that none is passed over.
 */
export function valueTables(page: string): ReadonlyMap<string, readonly ValueRow[]> {
  const tables = new Map<string, ValueRow[]>();
  let heading = '';
  for (const [index, line] of page.split('\n').entries()) {
    if (line.startsWith('## ')) heading = line.slice(3);
    if (!line.startsWith('|') || line.startsWith('| written |') || line.startsWith('| --- |'))
      continue;
    const cells = /^\| `([^`]+)` \| (?:`([^`]+)`|\*([^*]+)\*) \|$/.exec(line);
    if (cells === null)
      throw new Error(`docs/values.md:${index + 1} is not a row of values: ${line}`);
    const [, written, value, verdict] = cells;
    const rows = tables.get(heading) ?? [];
    rows.push({
      line: index + 1,
      written: decodeEscapes(written!),
      meaning: value === undefined ? { verdict: verdict! } : { value: decodeEscapes(value) },
    });
    tables.set(heading, rows);
  }
  return tables;
}

function decodeEscapes(cell: string): string {
  return cell
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
