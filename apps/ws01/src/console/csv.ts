import type { Context } from 'hono';
import type { Item } from './api-client.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/** Spreadsheets execute cells with these first characters, also after blanks; a leading quote makes them text. */
const FORMULA = /^[=+\-@\t\r\n|＝＋－＠]/;

/**
 * Pages of records for an export. What they return at the end is written as the last line, and says what is missing
 * there.
 */
export type ExportPages = AsyncGenerator<readonly Item[], string | undefined>;

/** An export for download. */
interface Export {
  /** The name of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly pages: ExportPages;
}

/**
 * Answers with records as CSV (RFC 4180), page by page. A failure of a later page is logged and breaks the download off, so
 * that nobody takes a part for the whole.
 * @throws what the first page throws.
 */
export async function csvDownload(
  { log }: Pick<ConsoleDeps, 'log'>,
  c: Context<ConsoleEnv>,
  { name, columns, pages }: Export,
): Promise<Response> {
  let page: Awaited<ReturnType<ExportPages['next']>> | undefined = await pages.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The byte order mark tells spreadsheets that it is UTF-8.
      controller.enqueue(encoder.encode(`\uFEFF${lineOf(columns.map(quoted))}`));
    },
    async pull(controller) {
      try {
        const { done, value } = page ?? (await pages.next());
        page = undefined;
        if (done) {
          if (value !== undefined) controller.enqueue(encoder.encode(lineOf([quoted(value)])));
          return controller.close();
        }
        const lines = value.map((item) => lineOf(columns.map((column) => cellOf(item[column]))));
        controller.enqueue(encoder.encode(lines.join('')));
      } catch (error) {
        const requestId = crypto.randomUUID();
        log.error({ requestId, path: c.req.path, err: error }, 'an export broke off');
        // The server prints this one; the log has the cause.
        controller.error(new Error(`The export ${requestId} broke off.`));
      }
    },
    cancel: async () => void (await pages.return(undefined)),
  });
  return c.body(body, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  });
}

/** Returns the pages of an export that has one page. */
export async function* onePage(items: readonly Item[]): ExportPages {
  yield items;
  return undefined;
}

const lineOf = (cells: readonly string[]) => `${cells.join(',')}\r\n`;

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
