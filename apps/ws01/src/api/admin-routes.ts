import type { Kysely } from 'kysely';
import type { Role } from '../contract/roles.ts';
import { ROLES } from '../contract/roles.ts';
import {
  type AdminActor,
  addAdmin,
  assertOtherOwner,
  changeRole,
  deleteAdmin,
  findAdminByName,
  lockAdmin,
  removeSignInMethods,
} from '../domain/admins/admins.ts';
import { newSecret } from '../domain/admins/secret.ts';
import { endAllSessions, sessionsOf } from '../domain/admins/sessions.ts';
import type { Actor } from '../domain/audit/audit.ts';
import type { Tables } from '../store/tables/tables.ts';
import { itemOf, readRow, shownInstant } from './kind.ts';
import { getRoute, itemSchema, listRoute } from './kind-routes.ts';
import { ADMINS } from './kinds.ts';
import type { Route } from './route.ts';
import { instant, list, object, text, word } from './schema.ts';
import {
  actorOf,
  secretRoute,
  type Verb,
  type VerbCall,
  type VerbDeps,
  verbRoute,
} from './verbs.ts';

/** Dependencies of the admin routes. */
export interface AdminRouteDeps extends VerbDeps {
  /**
   * The console page where an admin sets up a password or passkey, given the secret of the link.
   */
  readonly setUpUrl: (secret: string) => string;
}

const LINK = text(
  'Opens once, within a day: the person chooses a passkey or a password. Shown only now.',
  {
    format: 'uri',
  },
);

/** Routes to manage admins, the people who may use the console. For owners only. */
export function adminRoutes(deps: AdminRouteDeps): readonly Route[] {
  const readable = [listRoute(ADMINS, deps), getRoute(ADMINS, deps)].map((route) => ({
    ...route,
    role: 'owner' as const,
  }));
  return [
    ...readable,
    addRoute(deps),
    ...VERBS.map((verb) => verbRoute(ADMINS, verb, deps)),
    resetRoute(deps),
    sessionsRoute(deps),
  ];
}

const adminActorOf = ({ admin, address, tokenId, requestId, reason }: Actor): AdminActor => ({
  name: admin,
  ...{ address, tokenId, requestId, reason },
});

const VERBS: readonly Verb[] = [
  {
    name: 'edit',
    method: 'patch',
    summary: 'Let the person do more or less, from the next request on',
    role: 'owner',
    confirmed: true,
    body: { role: word('What the person may do.', ...ROLES) },
    required: ['role'],
    async act(tx, { key, by, at, body }) {
      const admin = await lockAdmin(tx, key);
      const role = body.role as Role;
      if (role === admin.role) return false;
      await assertOtherOwner(tx, admin);
      await changeRole(tx, admin, role, at, adminActorOf(by));
      return true;
    },
  },
  {
    name: 'signout',
    summary: 'Sign the person out everywhere',
    role: 'owner',
    confirmed: true,
    act: async (tx, { key, by, at }) =>
      endAllSessions(tx, await lockAdmin(tx, key), at, adminActorOf(by)),
  },
  {
    name: 'remove',
    method: 'delete',
    summary: 'Remove the person from the console; every session of theirs ends',
    role: 'owner',
    confirmed: true,
    async act(tx, { key, by, at }) {
      const admin = await lockAdmin(tx, key);
      await assertOtherOwner(tx, admin);
      await deleteAdmin(tx, admin, at, adminActorOf(by));
      return true;
    },
  },
];

function addRoute({ store, clock, shown, setUpUrl }: AdminRouteDeps): Route {
  return {
    method: 'post',
    path: '/admins',
    id: 'addAdmin',
    tag: 'admins',
    summary:
      'Let somebody use the console; the answer has the link by which they choose how they sign in',
    role: 'owner',
    confirmed: true,
    body: object({
      name: text('By which the person signs in.', { maxLength: 64 }),
      role: word('What the person may do.', ...ROLES),
    }),
    result: { ...object({ item: itemSchema(ADMINS), link: LINK }), title: 'NewAdmin' },
    status: 201,
    errors: ['AlreadyExists'],
    async run(call) {
      const { name, role } = call.body as { name: string; role: Role };
      const secret = await addAdmin(store, { name, role }, clock, adminActorOf(actorOf(call)));
      const { id } = (await findAdminByName(store, name))!;
      const row = await readRow(store, ADMINS, id);
      const context = shown(call);
      return {
        item: itemOf(ADMINS.fields, row, context, call.principal, true),
        link: setUpUrl(secret),
      };
    },
  };
}

function resetRoute(deps: AdminRouteDeps): Route {
  const reset = {
    id: 'resetAdmin',
    tail: '/reset',
    title: 'AdminReset',
    summary: 'Take the person’s passkeys, password and sessions away, and make a new link',
    tells: { link: LINK },
    async act(tx: Kysely<Tables>, { key, by, at }: VerbCall) {
      const secret = newSecret();
      await removeSignInMethods(tx, await lockAdmin(tx, key), secret, at, adminActorOf(by));
      return { link: deps.setUpUrl(secret) };
    },
  };
  return secretRoute(ADMINS, reset, deps);
}

function sessionsRoute({ store }: AdminRouteDeps): Route {
  const session = object({
    address: text('That it was begun from.'),
    agent: text('What the browser called itself then.'),
    createdAt: instant('When it was begun.'),
    seenAt: instant('When it was used last, to the minute.'),
  });
  return {
    method: 'get',
    path: '/admins/{id}/sessions',
    id: 'listSessionsOfAdmin',
    tag: 'admins',
    summary: 'Where the person is signed in',
    role: 'owner',
    result: object({ items: list('The newest first.', { ...session, title: 'AdminSession' }) }),
    async run({ path }) {
      const sessions = await sessionsOf(store, { id: path.id! });
      return {
        items: sessions.map(({ address, agent, createdAt, seenAt }) => ({
          ...{ address, agent },
          createdAt: shownInstant(createdAt),
          seenAt: shownInstant(seenAt),
        })),
      };
    },
  };
}
