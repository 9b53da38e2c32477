import { Command } from 'commander';
import type { RawBuilder } from 'kysely';
import {
  conditionsOf,
  type Item,
  itemOf,
  type Kind,
  kindOf,
  orderOf,
  readRow,
} from '../../api/kind.ts';
import { readPage } from '../../api/list-query.ts';
import type { Principal } from '../../api/principal.ts';
import type { Values } from '../../api/schema.ts';
import { type Config, publicAddresses } from '../../config/config.ts';
import type { Listing, Shown } from '../../records/record.ts';
import type { Store } from '../../store/store.ts';
import { positiveInteger } from './options.ts';
import { print, remark, shownInstant } from './output.ts';
import { withStore } from './session.ts';
import { table } from './table.ts';

/** What of a record is listed. */
interface Asked {
  /** Filters of the HTTP API, by name. */
  readonly query?: Values;
  /** Further conditions, which no index applies. */
  readonly where?: readonly RawBuilder<boolean>[];
  /** Where to begin; a cursor of the API. */
  readonly cursor?: string | undefined;
}

/** A command that lists records as the HTTP API does. */
interface ListCommand<Row, Options> {
  readonly record: Listing<Row>;
  readonly description: string;
  /** Its options besides `--most` and `--json`. */
  readonly options?: (command: Command) => Command;
  readonly help: string;
  /** Headings of the table, and what stands below them: a member, or a text made of the record. */
  readonly columns: readonly (readonly [
    heading: string,
    cell: string | ((item: Item) => string),
  ])[];
  /** The remark when there are none. */
  readonly none: () => string;
  readonly asked?: (options: Options, config: Config) => Asked;
  /** The order of the API; absent: its default. */
  readonly sort?: string;
  /** The default of `--most`; absent: there is no such option, and all are listed. */
  readonly most?: number;
  /** What of a record is printed otherwise than the API answers it. */
  readonly shown?: (item: Item) => Item;
}

/** Whoever can open the database may read everything. */
const OPERATOR: Principal = { kind: 'admin', role: 'owner', name: '', id: '' };

/** Records per page, so that a long list is never held in memory. */
const PAGE = 1_000;

/** Bounds of what is scanned for a page at once. */
const READING = { rows: 100_000, ms: 1_000 };

interface AnyOptions {
  readonly most?: number;
  readonly json?: true;
}

/** Creates a `list` command. */
export function listCommand<Row, Options = unknown>(list: ListCommand<Row, Options>): Command {
  const { description, options, help, most } = list;
  const command = new Command('list').description(description);
  options?.(command);
  if (most !== undefined)
    command.option('--most <number>', 'the largest number to list', positiveInteger, most);
  return command
    .option('--json', 'print one JSON array')
    .addHelpText('after', `\n${help}`)
    .action((given: Options & AnyOptions) =>
      withStore(async (store, config) => {
        const printer = given.json === true ? jsonPrinter() : tablePrinter(list);
        for await (const items of pagesOf(store, config, list, given)) await printer.page(items);
        await printer.end();
      }),
    );
}

/** Reads one record. @throws {Ws01Error} `NotFound` */
export async function readItem<Row>(
  store: Store,
  config: Config,
  record: Listing<Row>,
  key: string,
): Promise<Item> {
  const kind = kindOf(record);
  const row = await readRow(store, kind, key);
  return itemOf(kind.fields, row, shownBy(config), OPERATOR, true);
}

function shownBy(config: Config): Shown {
  const { defaultCountry } = config;
  return { ...publicAddresses(config, config.port), now: Date.now(), defaultCountry };
}

async function* pagesOf<Row, Options>(
  store: Store,
  config: Config,
  { record, asked, sort, shown = (item) => item }: ListCommand<Row, Options>,
  given: Options & AnyOptions,
): AsyncGenerator<readonly Item[]> {
  const kind: Kind<Row> = kindOf(record);
  const context = shownBy(config);
  const { query = {}, where = [], cursor } = asked?.(given, config) ?? {};
  const conditions = [
    ...conditionsOf(kind, query, context, OPERATOR),
    ...where.map((sql) => ({ sql, indexed: false })),
  ];
  const order = orderOf(kind, sort ?? kind.sort, query, OPERATOR);
  // A command keeps nobody waiting: it needs no thread to read in.
  const reader: Pick<Store, 'scan'> = { scan: (work) => store.read(work) };
  let left = given.most ?? Number.POSITIVE_INFINITY;
  let next = cursor;
  do {
    const page = await readPage<Row>(reader, {
      ...kind,
      ...order,
      conditions,
      cursor: next,
      limit: Math.min(PAGE, left),
      reading: READING,
    });
    const items = page.rows.map((row) => itemOf(kind.fields, row, context, OPERATOR, false));
    if (items.length > 0) yield items.map(shown);
    left -= items.length;
    next = page.next;
  } while (next !== undefined && left > 0);
}

/** Prints a list, page by page. */
interface Printer {
  page(items: readonly Item[]): Promise<void>;
  end(): Promise<void>;
}

function jsonPrinter(): Printer {
  let before = '[';
  return {
    async page(items) {
      await print(before + items.map((item) => JSON.stringify(item)).join(',\n'));
      before = ',\n';
    },
    end: () => print(before === '[' ? '[]\n' : ']\n'),
  };
}

function tablePrinter<Row, Options>({ columns, none }: ListCommand<Row, Options>): Printer {
  let headings = columns.map(([heading]) => heading);
  return {
    async page(items) {
      const rows = items.map((item) =>
        columns.map(([, cell]) => (typeof cell === 'string' ? cellOf(item[cell]) : cell(item))),
      );
      await print(table(headings, rows));
      headings = [];
    },
    async end() {
      if (headings.length > 0) remark(none());
    },
  };
}

/** An instant as answers have it. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a record in a table; `-` for none. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(',');
  const text = String(value);
  return INSTANT.test(text) ? shownInstant(Date.parse(text)) : text;
}
