import type { ApiDeps, FailedRequest } from '../api/api.ts';
import type { Route } from '../api/route.ts';
import type { Clock } from '../domain/context.ts';
import { CredentialRefused } from '../domain/credentials/access.ts';
import { reasonOf, recordOf } from './failed-calls.ts';
import type { Resources } from './resources.ts';

/** How the history calls what came over the HTTP API. */
const BINDING = 'api';

/** The kinds of records that every role sees, by the first part of their paths. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['articles', 'article'],
  ['adverts', 'advert'],
  ['images', 'image'],
  ['users', 'user'],
  ['links', 'link'],
  ['reviews', 'review'],
  ['reports', 'report'],
]);

/** What an error may name besides the members of its route: headers, and a body that is a file. */
const NAMED: ReadonlySet<string> = new Set(['Authorization', 'If-Match', 'file']);

/**
 * Returns the listener that keeps failed requests to the HTTP API beside the failed calls of
 * operations. They are not counted: requests that succeed are not counted either. What a visitor
 * looked for in vain is not kept: it is no fault of an app.
 */
export function onFailedRequest(
  { history }: Pick<Resources, 'history'>,
  clock: Clock,
): ApiDeps['onFailed'] {
  return (failed) => {
    const { route, error, durationMs } = failed;
    if (route?.role === 'public' && error.code === 'NotFound') return;
    const operation = route && `${route.method.toUpperCase()} /api/v1${route.path}`;
    history.keepFailed(
      { operation, binding: BINDING, error: error.code, durationMs },
      clock(),
      () => failureOf(failed),
    );
  };
}

function failureOf({ route, principal, keys, error, ...request }: FailedRequest) {
  const { parameter = '' } = error;
  const isNamed = NAMED.has(parameter) || membersOf(route).has(parameter.split(/[.[]/)[0]!);
  const refused = error instanceof CredentialRefused ? error : undefined;
  return {
    request_id: request.requestId,
    status: request.status,
    parameter: isNamed ? parameter : null,
    reason: refused?.reason ?? reasonOf(error) ?? null,
    address: request.address,
    token_id: refused?.caller?.tokenId ?? (principal?.kind === 'token' ? principal.id : null),
    user_id: refused?.caller?.userId ?? null,
    ...recordOf(KINDS.get(route?.path.split('/')[1] ?? ''), Object.values(keys)[0]),
  };
}

/** The names that a request to a route may give values to. */
function membersOf(route: Route | undefined): ReadonlySet<string> {
  const { path = '', query = {}, body } = route ?? {};
  const inPath = path.matchAll(/\{(\w+)\}/g).map(([, name]) => name!);
  return new Set([...inPath, ...Object.keys(query), ...Object.keys(body?.properties ?? {})]);
}
