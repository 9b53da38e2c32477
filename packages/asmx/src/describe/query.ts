/** The document that a query at the endpoint requests. */
type DescriptionQuery =
  | { readonly kind: 'wsdl' | 'soapWsdl' | 'disco' | 'operations' }
  | { readonly kind: 'operation'; readonly name: string }
  /** A document that does not exist, with ASP.NET's words for it. */
  | { readonly kind: 'missing'; readonly parameter: 'wsdl' | 'schema'; readonly message: string };

/**
 * Reads a query as ASP.NET's discovery and documentation handlers do:
 *
 * - `wsdl` and `disco` count, in any letter case, if nothing else stands without `=`: in `?x=1&wsdl`, not in
 *   `?wsdl&foo`;
 * - `wsdl=` and `schema=` ask for documents that only services of several namespaces have;
 * - `op=` asks for the page of an operation;
 * - any other query asks for the list of operations.
 *
 * `?wsdl&bindings=soap` is not of ASP.NET; it is for importers that fail at GET and POST.
 *
 * @param query without its `?`, undecoded; `''` for none.
 */
export function parseDescriptionQuery(query: string): DescriptionQuery {
  const { valueless, named } = parseQuery(query);
  if (named.has('schema')) return { kind: 'missing', parameter: 'schema', message: 'Schema not found.' };
  if (named.has('wsdl')) {
    return { kind: 'missing', parameter: 'wsdl', message: 'XML Web service description was not found.' };
  }
  if (valueless === 'wsdl' && named.get('bindings')?.toLowerCase() === 'soap') return { kind: 'soapWsdl' };
  if (valueless === 'wsdl' || valueless === 'disco') return { kind: valueless };
  const name = named.get('op');
  return name === undefined ? { kind: 'operations' } : { kind: 'operation', name };
}

interface ParsedQuery {
  /** The parts without `=`, joined with commas, in lower case; `''` when there are none. */
  readonly valueless: string;
  /** Values by lower-case name; those of a repeated name joined with commas. */
  readonly named: ReadonlyMap<string, string>;
}

function parseQuery(query: string): ParsedQuery {
  const valueless: string[] = [];
  const named = new Map<string, string>();
  for (const part of query === '' ? [] : query.split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0) {
      valueless.push(decode(part).toLowerCase());
      continue;
    }
    const name = decode(part.slice(0, equals)).toLowerCase();
    const value = decode(part.slice(equals + 1));
    const before = named.get(name);
    named.set(name, before === undefined ? value : `${before},${value}`);
  }
  return { valueless: valueless.join(','), named };
}

/**
 * Decodes a part of a query as browsers write it: `+` is a blank, bad escapes stay as they are, bytes are UTF-8.
 * @param text without `&`.
 */
function decode(text: string): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}
