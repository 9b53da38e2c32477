import { createConsole } from '../../apps/ws01/src/console/console.ts';
import type { ConsoleApi, ConsoleDeps, ConsoleEnv } from '../../apps/ws01/src/console/visit.ts';
import { ROLES, type Role } from '../../apps/ws01/src/contract/roles.ts';
import { addAdmin } from '../../apps/ws01/src/domain/admins/admins.ts';
import { setUp } from '../../apps/ws01/src/domain/admins/sign-in-methods.ts';
import type { Store } from '../../apps/ws01/src/store/store.ts';
import type { Ask, Way } from './ways.ts';

/** The pages that one begins at, and those of a user of a tenth of all records. */
const PAGES = [
  ...['', '/desk', '/inbox', '/queues', '/calls', '/settings', '/account'],
  ...['/users/heavy', '/search?q=heavy', '/search?q=place49', '/search?q=500000'],
];

/** Each page in each role. @param kinds whose lists are pages, too. */
export const pagesOf = (kinds: readonly string[]): readonly Way[] =>
  ROLES.flatMap((role) =>
    [...PAGES, ...kinds.map((kind) => `/${kind}`)].map((path) => ({
      path: `/console${path}`,
      about: undefined,
      role,
    })),
  );

/** Opens pages of the console as a browser does, with an admin of each role. */
export async function visitorOf(store: Store, api: ConsoleApi): Promise<Ask> {
  const origin = 'http://127.0.0.1';
  const unused = {} as never;
  const app = await createConsole({
    ...{ store, api, clock: Date.now, brake: undefined, challengeKeys: unused, log: unused },
    ...{ origin: () => origin, reachedAt: () => origin, clientAddress: () => '127.0.0.1' },
    ...{ basePath: () => '', servicePath: '/', siteName: () => 'bench', command: 'ws01' },
    ...{ timeZone: 'UTC', lostCommits: async () => undefined, exportRows: 1, maxImageBytes: 1 },
    ...{ media: unused, pictures: unused, streams: unused, testNumbers: [] },
    ...{ refusesWebhook: async () => false, gateways: { mail: false, sms: false } },
    ...{ hasBackupPlace: false, composeMail: async () => '', isHtml: async () => false },
  } satisfies ConsoleDeps);
  const visitor = { address: '127.0.0.1', agent: 'bench' };
  const cookies = new Map<Role, string>();
  for (const role of ROLES) {
    const link = await addAdmin(store, { name: role, role }, Date.now);
    const session = await setUp(store, link, { passwordHash: '' }, Date.now, visitor);
    cookies.set(role, `ws01-session=${session}`);
  }
  return async (path, role = 'owner') => {
    const headers = { cookie: cookies.get(role)!, host: '127.0.0.1' };
    const env = {
      incoming: { headers, socket: { remoteAddress: '127.0.0.1' } },
      outgoing: { getHeader: () => undefined },
    } as unknown as ConsoleEnv['Bindings'];
    const answer = await app.fetch(new Request(origin + path, { headers }), env);
    const body = await answer.text();
    if (!answer.ok && ![403, 404].includes(answer.status))
      throw new Error(`${path}: ${answer.status} ${body}`);
    return { body };
  };
}
