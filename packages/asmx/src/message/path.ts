/** What a path that is written plainly does not hold: empty and dot segments, escapes. */
const WRITTEN_OTHERWISE = /\/[/.]|%/;

/** Escapes of characters that need none (RFC 3986 6.2.2.2), and of the slash, as IIS decodes it. */
const NEEDLESS_ESCAPE = /%(?:2[DEF]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;

/** What no path may hold as it is (RFC 3986 3.3, with what browsers leave alone). */
const UNSENDABLE = /[^\u0021-\u007e]|["<>^`{}]/gu;

/** A path as clients send it: what they cannot send as it is, percent-encoded in UTF-8. */
export function asSent(path: string): string {
  return path.replace(UNSENDABLE, (char) => encodeURIComponent(char.toWellFormed()));
}

/**
 * The rest of a request's path after the service's path: `''` or `/…`, escaped as it was sent. Case-insensitive, as in
 * IIS. Like IIS and ASP.NET it treats several slashes as one (clients join "http://host/" and "/WS01.asmx"), resolves
 * `.` and `..`, and decodes escapes of characters that need none.
 *
 * @param path of the request, without query.
 * @param servicePath in lower case.
 * @returns `undefined` where the path is not the service's, or leads above the root.
 */
export function pathInfoOf(path: string, servicePath: string): string | undefined {
  const plain = pathBelow(path, servicePath);
  if (!WRITTEN_OTHERWISE.test(path)) return plain;
  const resolved = resolvePath(path);
  // A path that is the service's as written and leads out of it calls an operation that does not exist.
  return (resolved === undefined ? undefined : pathBelow(resolved, servicePath)) ?? plain;
}

function pathBelow(path: string, servicePath: string): string | undefined {
  const { length } = servicePath;
  if (path.slice(0, length).toLowerCase() !== servicePath) return undefined;
  return path.length === length || path[length] === '/' ? path.slice(length) : undefined;
}

/** @returns `undefined` when it leads above the root. */
function resolvePath(path: string): string | undefined {
  const decoded = path.replace(NEEDLESS_ESCAPE, (written) =>
    String.fromCharCode(Number.parseInt(written.slice(1), 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  const ending = /\/\.{0,2}$/.test(decoded) && segments.length > 0 ? '/' : '';
  return `/${segments.join('/')}${ending}`;
}
