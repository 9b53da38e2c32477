/** The document that a query at the endpoint requests. */
type DescriptionQuery =
  | { readonly kind: 'wsdl' | 'soapWsdl' | 'disco' }
  /** A page, and the language that it is asked for in. */
  | { readonly kind: 'operations'; readonly language?: string | undefined }
  | {
      readonly kind: 'operation';
      readonly name: string;
      readonly language?: string | undefined;
    }
  | { readonly kind: 'schema'; readonly name: string }
  /** A document that does not exist, with ASP.NET's words for it. */
  | { readonly kind: 'missing'; readonly parameter: 'wsdl' | 'schema'; readonly message: string };

/**
 * Reads a query as ASP.NET's discovery and documentation handlers do:
 *
 * - `wsdl` and `disco` count, in any letter case, if nothing else stands without `=`: in
 *   `?x=1&wsdl`, not in `?wsdl&foo`;
 * - `schema=` asks for the schema of a typed DataSet, `wsdl=` for a document that only services of
 *   several namespaces have;
 * - `op=` asks for the page of an operation;
 * - any other query asks for the list of operations.
 *
 * `?wsdl&bindings=soap` is not of ASP.NET; it is for importers that fail at GET and POST. WCF has
 * `?singleWsdl`, for a WSDL in one document, which ours is, and `?xsd=` for its schemas, which are
 * in ours. `lang=` is of ours, too: the language of a page.
 *
 * @param query without its `?`, undecoded; `''` for none. @param isWcf whether the service was
 *   WCF's.
 * @param schemas names of the schemas that there are.
 */
export function parseDescriptionQuery(
  query: string,
  isWcf = false,
  schemas: readonly string[] = [],
): DescriptionQuery {
  const { valueless, named } = parseQuery(query);
  const asked = named.get('schema');
  if (asked !== undefined && schemas.includes(asked)) return { kind: 'schema', name: asked };
  if (asked !== undefined || (isWcf && named.has('xsd')))
    return { kind: 'missing', parameter: 'schema', message: 'Schema not found.' };
  if (named.has('wsdl')) {
    return {
      kind: 'missing',
      parameter: 'wsdl',
      message: 'XML Web service description was not found.',
    };
  }
  if (valueless === 'wsdl' && named.get('bindings')?.toLowerCase() === 'soap')
    return { kind: 'soapWsdl' };
  if (valueless === 'wsdl' || (isWcf && valueless === 'singlewsdl')) return { kind: 'wsdl' };
  if (valueless === 'disco') return { kind: 'disco' };
  const name = named.get('op');
  const language = named.has('lang') ? { language: named.get('lang') } : {};
  return name === undefined
    ? { kind: 'operations', ...language }
    : { kind: 'operation', name, ...language };
}

/** The names that mean something. */
const MEANT: ReadonlySet<string> = new Set(['schema', 'xsd', 'wsdl', 'bindings', 'op', 'lang']);

interface ParsedQuery {
  /**
   * The one part without `=`, in lower case; `''` when there is none, and when there are several.
   */
  readonly valueless: string;
  /**
   * Values by lower-case name, of those that mean something; those of a repeated name joined with
   * commas.
   */
  readonly named: ReadonlyMap<string, string>;
}

/** A query may have a hundred thousand parts: each costs a look at its name. */
function parseQuery(query: string): ParsedQuery {
  let valueless = '';
  let count = 0;
  const values = new Map<string, string[]>();
  for (let start = 0, end = 0; start <= query.length && query !== ''; start = end + 1) {
    end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    const part = query.slice(start, end);
    const equals = part.indexOf('=');
    if (equals < 0) {
      count++;
      valueless = part;
      continue;
    }
    const name = nameIn(part.slice(0, equals));
    if (!MEANT.has(name)) continue;
    const known = values.get(name) ?? [];
    known.push(decode(part.slice(equals + 1)));
    values.set(name, known);
  }
  const named = new Map([...values].map(([name, all]) => [name, all.join(',')]));
  return { valueless: count === 1 ? decode(valueless).toLowerCase() : '', named };
}

/** The longest name that means something, each character escaped. */
const LONGEST_NAME = 3 * Math.max(...[...MEANT].map((name) => name.length));

function nameIn(text: string): string {
  if (text.length > LONGEST_NAME) return '';
  return (
    /^(?:[a-z]|%[0-7][0-9a-f])*$/i.test(text) ? decodeURIComponent(text) : text
  ).toLowerCase();
}

/**
 * Decodes a part of a query as browsers write it: `+` is a blank, bad escapes stay as they are,
 * bytes are UTF-8.
 * @param text without `&`.
 */
function decode(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}
