import assert from 'node:assert/strict';
import { openApiOf } from '../../../src/api/openapi.ts';
import { type RouteDeps, routesOf } from '../../../src/api/routes.ts';
import { createConsole } from '../../../src/console/console.ts';
import type { ConsoleDeps } from '../../../src/console/visit.ts';

/** What no list of the console leads to, by the name in the path of a route. */
export const KEYS: Readonly<Record<string, string>> = {
  guid: 'flat',
  revision: '1',
  code: 'none',
  variable: 'PUBLIC_READING',
  member: 'categoryGuid',
};

/** The paths of all GET routes of the console, as Hono has them: `/console/articles/:key`. */
export async function routePaths(): Promise<string[]> {
  // Routes are only listed here, and work with nothing.
  const document = JSON.stringify(
    openApiOf(routesOf({ links: {}, shown: () => {}, limits: {} } as unknown as RouteDeps)),
  );
  const app = await createConsole({
    api: { fetch: () => new Response(document) },
  } as unknown as ConsoleDeps);
  const paths = app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
  return [...new Set(paths)].filter((path) => !path.includes('/assets/'));
}

/** The path of a page: a key in it is one of the first record that the list shows. */
export async function filledIn(
  open: (path: string) => Promise<string>,
  route: string,
  keys: Readonly<Record<string, string>>,
  records: Map<string, string>,
): Promise<string> {
  const list = /^(.*)\/:key/.exec(route)?.[1];
  if (list !== undefined && !records.has(list)) {
    const first = /<div id="list".*<tbody>.*?<a href="([^"]+)"/s.exec(await open(list))?.[1];
    assert.ok(first !== undefined, `${list} has no record to look at`);
    records.set(list, first);
  }
  return route
    .replace(/^.*\/:key/, () => records.get(list!)!)
    .replaceAll(/:(\w+)/g, (_, name) => {
      assert.ok(
        keys[name] !== undefined,
        `nothing is known to be filled in for ${name} of ${route}`,
      );
      return keys[name];
    });
}
