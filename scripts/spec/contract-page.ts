/** The tables of docs/spec/contract.md, made from the contract itself. */
import { ERRORS } from '../../apps/ws01/src/contract/errors.ts';
import { SCOPES } from '../../apps/ws01/src/contract/parameters.ts';
import { GUARDED, type OperationName, WS01 } from '../../apps/ws01/src/contract/service.ts';

/** Resources, each with the operations whose parameters are its fields. */
const RESOURCES: Readonly<Record<string, readonly OperationName[]>> = {
  Article: [
    'InsertArticle',
    'UpdateOrInsertArticleById',
    'UpdatePinnedTopDueDateByGuid',
    'DeleteArticleByGuid',
    'UpdateArticleCategory',
  ],
  Advert: ['addNewAdvert'],
  'Image file': ['InsertArticleImageFile'],
  User: ['updateUserInfo', 'updateUserCellphone'],
  'Verification code': ['VerifyCodeForPhone', 'CreateVerifyCode'],
  'Short link': ['UrltoShortUrl'],
  Review: ['submitReview'],
  'E-mail message': ['SendEmail'],
};

const operations = WS01.operations.map((operation) => ({
  ...operation,
  ...GUARDED.get(operation.name)!,
}));
type Listed = (typeof operations)[number];
const code = (text: string) => `\`${text}\``;
const typedNames = (parameters: Listed['parameters']) =>
  parameters.map(({ name, type }) => `${code(name)}: ${type}`).join(', ');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function operationsTable(): string {
  return table(
    ['#', 'operation', 'purpose', 'parameters, in order', 'result'],
    operations.map(({ name, documentation, parameters, result }, index) => [
      String(index + 1),
      code(name),
      documentation,
      typedNames(parameters),
      String(result),
    ]),
  );
}

function resourcesTable(): string {
  return table(
    ['resource', 'fields'],
    Object.entries(RESOURCES).map(([resource, names]) => {
      const fields = operations
        .filter(({ name }) => (names as readonly string[]).includes(name))
        .flatMap(({ parameters, access }) =>
          parameters.filter(({ name }) => name !== access?.credential),
        );
      const unique = fields.filter(
        ({ name }, at) => fields.findIndex((other) => other.name === name) === at,
      );
      return [resource, typedNames(unique)];
    }),
  );
}

const named = (some: readonly Listed[]) => some.map(({ name }) => code(name)).join(', ');

function credentialsTable(): string {
  const parameters = [...new Set(operations.map(({ access }) => access?.credential))];
  const closed = parameters.filter((parameter) => parameter !== undefined);
  return table(
    ['credential parameter', 'operations'],
    [...closed, undefined].map((parameter) => [
      parameter === undefined ? 'none: open to everybody' : code(parameter),
      named(operations.filter(({ access }) => access?.credential === parameter)),
    ]),
  );
}

function scopesTable(): string {
  return table(
    ['scope', 'operations'],
    SCOPES.map((scope) => [
      code(scope),
      named(operations.filter(({ access }) => access?.scope === scope)),
    ]),
  );
}

function effectsTable(): string {
  return table(
    ['effect', 'operations'],
    [
      ['writes', named(operations.filter(({ readOnly }) => !readOnly))],
      ['reads', named(operations.filter(({ readOnly }) => readOnly))],
    ],
  );
}

function errorsTable(): string {
  return table(
    ['code', 'who is at fault', 'HTTP status', 'meaning'],
    Object.entries(ERRORS).map(([name, { side, status, meaning }]) => [
      code(name),
      side,
      String(status),
      meaning,
    ]),
  );
}

const TABLES: Readonly<Record<string, () => string>> = {
  operations: operationsTable,
  resources: resourcesTable,
  credentials: credentialsTable,
  scopes: scopesTable,
  effects: effectsTable,
  errors: errorsTable,
};

/**
 * The page with its tables as the contract has them now. A table stands between `<!-- table: NAME -->` and
 * `<!-- end -->`; everything else is left as it is.
 *
 * @throws {Error} when a table has no place on the page, or a place names no table.
 */
export function withTables(page: string): string {
  const missing = new Set(Object.keys(TABLES));
  const written = page.replace(
    /(<!-- table: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start, name: string, end) => {
      const make = TABLES[name];
      if (make === undefined)
        throw new Error(`There is no table ${name}; there are ${Object.keys(TABLES).join(', ')}.`);
      missing.delete(name);
      return `${start}\n${make()}\n\n${end}`;
    },
  );
  if (missing.size > 0) throw new Error(`The page has no place for: ${[...missing].join(', ')}.`);
  return written;
}
