import type { Item } from './api-client.ts';

/** Spreadsheets execute cells with these first characters, also after blanks; a leading quote makes them text. */
const FORMULA = /^[=+\-@\t\r\n|＝＋－＠]/;

/** Writes records as CSV (RFC 4180). The byte order mark tells spreadsheets that it is UTF-8. */
export function csvOf(
  columns: readonly string[],
  pages: AsyncIterator<readonly Item[]>,
  truncated: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (cells: readonly string[]) => `${cells.join(',')}\r\n`;
  let begun = false;
  return new ReadableStream({
    async pull(controller) {
      if (!begun) {
        begun = true;
        controller.enqueue(encoder.encode(`\uFEFF${line(columns.map(quoted))}`));
        return;
      }
      try {
        const { done, value } = await pages.next();
        if (done) return controller.close();
        const rows = value.map((item) => line(columns.map((name) => cellOf(item[name]))));
        if (rows.length > 0) controller.enqueue(encoder.encode(rows.join('')));
        else controller.enqueue(new Uint8Array());
      } catch {
        controller.enqueue(encoder.encode(line([quoted(truncated)])));
        controller.close();
      }
    },
  });
}

/** The headers of a CSV download. */
export const csvHeaders = (name: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${name}.csv"`,
});

/** Returns a cell: numbers unchanged, texts escaped so that no spreadsheet reads a formula. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return quoted(FORMULA.test(text.trimStart()) || FORMULA.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
