import type { Service } from '../normal-form.ts';

/** Where a generated server answers. */
export interface ServedPaths {
  /** The paths of the old addresses, the first SOAP one first. */
  readonly paths: readonly `/${string}`[];
  readonly notes: readonly string[];
}

/** The paths of a contract's addresses. One without its own path is served as `/Name.asmx`. */
export function servedPaths({ name, ports }: Service): ServedPaths {
  const paths: `/${string}`[] = [];
  const notes: string[] = [];
  for (const { location } of ports) {
    const url = URL.parse(location) ?? URL.parse(location, 'http://localhost/');
    if (url !== null && !/^https?:$/.test(url.protocol)) {
      notes.push(`The address ${location} is not of HTTP and is passed over.`);
      continue;
    }
    const path = decoded(url?.pathname ?? '/').replace(/\/+$/, '');
    if (path === '' && paths.length === 0 && location !== '') {
      notes.push(`The address ${location} has no path; the server answers at /${name}.asmx.`);
    }
    const served = (path === '' ? `/${name}.asmx` : path) as `/${string}`;
    if (!paths.some((each) => each.toLowerCase() === served.toLowerCase())) paths.push(served);
  }
  return { paths: paths.length === 0 ? [`/${name}.asmx`] : paths, notes };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
