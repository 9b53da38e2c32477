import type { Service } from '../normal-form.ts';

/** Where a generated server answers. */
export interface ServedPaths {
  /** The paths of the old addresses, the first SOAP one first. */
  readonly paths: readonly [`/${string}`, ...`/${string}`[]];
  readonly notes: readonly string[];
}

/**
 * The paths of a contract's addresses with their queries, percent-encoded as clients send them.
 * A service without a path of its own is served as `/Name.asmx`.
 * @param taken paths of other services, in lower case.
 */
export function servedPaths(
  { name, ports }: Service,
  taken: ReadonlySet<string> = new Set(),
): ServedPaths {
  const found = new Set<string>();
  const paths: `/${string}`[] = [];
  const notes: string[] = [];
  const own = ownPath(name, taken);
  for (const { location } of ports) {
    const url = URL.parse(location) ?? URL.parse(location, 'http://localhost/');
    if (url !== null && !/^https?:$/.test(url.protocol)) {
      notes.push(`The address ${location} is not of HTTP and is passed over.`);
      continue;
    }
    const path = (url?.pathname ?? '/').replace(/\/+$/, '') + addressQuery(url?.search ?? '');
    const isTaken = taken.has(path.toLowerCase());
    const isAtRoot = path === '' || path.startsWith('?');
    if (isAtRoot && paths.length === 0 && location !== '') {
      notes.push(`The address ${location} has no path; the server answers at ${own}.`);
    }
    if (isTaken && !found.has(own.toLowerCase())) {
      notes.push(
        `The address ${location} is that of another service; the server answers at ${own}.`,
      );
    }
    const served = isAtRoot || isTaken ? own : (path as `/${string}`);
    if (found.has(served.toLowerCase())) continue;
    found.add(served.toLowerCase());
    paths.push(served);
  }
  const [first = own, ...more] = paths;
  return { paths: [first, ...more], notes };
}

/** What of a query belongs to an address, with its `?`: not what asks for a description. */
function addressQuery(search: string): string {
  const asks = /^(?:wsdl|singlewsdl|disco|xsd)(?:=|$)/i;
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !asks.test(part));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function ownPath(name: string, taken: ReadonlySet<string>): `/${string}` {
  let path: `/${string}` = `/${encodeURI(name)}.asmx`;
  for (let number = 2; taken.has(path.toLowerCase()); number++)
    path = `/${encodeURI(name)}${number}.asmx`;
  return path;
}
