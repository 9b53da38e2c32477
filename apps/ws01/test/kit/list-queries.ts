interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: {
    readonly type: string;
    readonly enum?: readonly string[];
    readonly format?: string;
  };
}

/** What of an OpenAPI document lists are found by. */
export interface ListsDocument {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters: readonly Parameter[] } }>
  >;
}

/** Lists that are short by what they are about. */
const SHORT = ['/settings', '/queues', '/search', '/public/ratings'];

/**
 * Every way to ask for the first page of a list of the HTTP API by one parameter: paths with their queries.
 * @param texts values for those parameters that take any text.
 */
export function queriesOf(document: ListsDocument, texts: readonly string[] = ['x']): string[] {
  return listsOf(document, texts).flatMap(({ path, options }) =>
    ['', ...options.flat()].map(asked(path)),
  );
}

/** The same by every two parameters. */
export function pairsOf(document: ListsDocument, texts: readonly string[] = ['x']): string[] {
  return listsOf(document, texts).flatMap(({ path, options }) =>
    options.flatMap((one, index) =>
      options
        .slice(index + 1)
        .flatMap((other) => one.flatMap((a) => other.map((b) => asked(path)(`${a}&${b}`)))),
    ),
  );
}

const asked = (path: string) => (query: string) => `${path}?${query}`;

/** The lists, each with the options of each of its parameters. */
function listsOf({ paths }: ListsDocument, texts: readonly string[]) {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = get?.parameters ?? [];
    if (!parameters.some(({ name }) => name === 'limit') || SHORT.includes(path)) return [];
    const options = parameters
      .filter((parameter) => parameter.in === 'query' && parameter.name !== 'cursor')
      .map((parameter) =>
        valuesOf(parameter, texts).map((value) => `${parameter.name}=${encodeURIComponent(value)}`),
      );
    return [{ path: path.replaceAll(/\{\w+\}/g, 'x'), options }];
  });
}

/** Values for a parameter of a list: each of its words, or some. */
function valuesOf({ name, schema }: Parameter, texts: readonly string[]): readonly string[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'boolean') return ['true', 'false'];
  if (schema.format === 'date-time') return ['2026-01-01T00:00:00Z'];
  return name === 'limit' ? ['7'] : texts;
}
