import type { Context } from 'hono';
import type { Item } from '../api/kind.ts';
import { untilBroken } from '../failure/until-broken.ts';
import { requestIdOf } from '../web/request-ids.ts';
import { reauthorize } from './reauthorize.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/**
 * Where a spreadsheet may read a formula: at the beginning of a text, and behind what separates cells in some languages
 * or settings, which a quoted cell does not always survive (OWASP, CSV injection). Blanks and invisible characters may
 * stand between. An apostrophe there makes it text.
 */
const FORMULA =
  /(?:^|(?<=[;\t\r\n]))(?=[[\p{Zs}\p{Cf}\p{Cc}"]--[\t\r\n]]*[=+\-@\|＝＋－＠])|^(?=[\t\r\n])/gv;

/** What has to be quoted: separators of any language, quotes, and blanks that readers would cut off. */
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

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
 * Answers with records as CSV (RFC 4180), page by page. Each page is read with the present role of the admin, while the
 * session lasts. A failure of a later page is logged and breaks the download off, so that nobody takes a part for the
 * whole.
 * @throws what the first page throws.
 */
export async function csvDownload(
  { log, ...deps }: Pick<ConsoleDeps, 'log' | 'store' | 'clock'>,
  c: Context<ConsoleEnv>,
  { name, columns, pages }: Export,
): Promise<Response> {
  let page: Awaited<ReturnType<ExportPages['next']>> | undefined = await pages.next();
  const nextPage = async () => {
    await reauthorize(deps, c);
    return pages.next();
  };
  const encoder = new TextEncoder();
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      // The byte order mark tells spreadsheets that it is UTF-8.
      controller.enqueue(encoder.encode(`\uFEFF${lineOf(columns.map(quoted))}`));
    },
    async pull(controller) {
      const { done, value } = page ?? (await nextPage());
      page = undefined;
      if (done) {
        if (value !== undefined) controller.enqueue(encoder.encode(lineOf([quoted(value)])));
        return controller.close();
      }
      const records = value.map((item) => lineOf(columns.map((column) => cellOf(item[column]))));
      controller.enqueue(encoder.encode(records.join('')));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
  const body = untilBroken(lines, (error) => {
    log.error(
      { requestId: requestIdOf(c.env), path: c.req.path, err: error },
      'an export broke off',
    );
    c.env.outgoing.destroy();
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
  return quoted(text.replaceAll(FORMULA, "'"));
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
