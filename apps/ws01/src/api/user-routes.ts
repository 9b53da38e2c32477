import { LENGTHS } from '../contract/parameters.ts';
import { auditAct } from '../domain/audit/audit.ts';
import {
  countToPutBack,
  countToTake,
  putBackAll,
  takeDownAll,
} from '../domain/moderation/everything.ts';
import { endLegalHold, REASON_CHARS, setLegalHold } from '../domain/persons/legal-holds.ts';
import { blockUser, unblockUser } from '../domain/users/blocked.ts';
import { editUser, type UserEdit } from '../domain/users/edit.ts';
import { readRegistration, upsertRegistered } from '../domain/users/users.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { normalizePhone } from '../domain/values/phone.ts';
import { isSeen } from '../domain/values/unseen.ts';
import { findRow, itemOf, shownInstant } from './kind.ts';
import { USERS } from './kinds.ts';
import { type PersonRouteDeps, personRoutes } from './person-routes.ts';
import type { Route } from './route.ts';
import { flag, instant, list, nullable, object, type Schema, text, type Values } from './schema.ts';
import { actorOf, changeSchema, runOrPreview, type Verb, verbRoute } from './verbs.ts';

/** Dependencies of the user routes. */
export interface UserRouteDeps extends PersonRouteDeps {
  /** ISO 3166 code of the country of numbers without `+`. */
  readonly defaultCountry: string | undefined;
}

/** Maximum length of an e-mail address; characters. */
const EMAIL_CHARS = 320;

const line = (most: number, description = 'null clears.'): Schema =>
  nullable(text(description, { maxLength: most }));

const SENDER = {
  name: line(LENGTHS.name, 'Shown as the sender of mails; null clears.'),
  email: line(EMAIL_CHARS, 'Where answers to mails go; null clears.'),
};

/** Members of an edit besides name and address, and their columns. */
const PROFILE = {
  firstName: { schema: line(LENGTHS.name), column: 'first_name' },
  lastName: { schema: line(LENGTHS.name), column: 'last_name' },
  zipCode: { schema: line(LENGTHS.zip), column: 'zip_code' },
  state: { schema: line(LENGTHS.place), column: 'state' },
  city: { schema: line(LENGTHS.place), column: 'city' },
  address: { schema: line(LENGTHS.address), column: 'address' },
  address2: { schema: line(LENGTHS.address), column: 'address2' },
} as const;

/** Routes of users: register, edit, block; and their verified numbers. */
export function userRoutes(deps: UserRouteDeps): readonly Route[] {
  return [
    registerRoute(deps),
    ...verbsOf(deps).map((verb) => verbRoute(USERS, verb, deps)),
    verificationsRoute(deps),
    ...personRoutes(deps),
  ];
}

function registerRoute({ store, clock, shown }: UserRouteDeps): Route {
  return {
    method: 'post',
    path: '/users',
    id: 'registerUser',
    tag: 'users',
    summary: 'Register a user, who may then send mail; one who exists keeps what is not given',
    role: 'owner',
    query: { preview: { ...flag('Only tell what would happen.'), default: false } },
    body: object(
      { id: text('The id by which calls name the user.'), ...SENDER },
      Object.keys(SENDER),
    ),
    result: changeSchema(USERS),
    status: 201,
    async run(call) {
      const { id, name, email } = call.body as Readonly<Record<string, string | null | undefined>>;
      const cleared = (value: string | null | undefined) => (value === null ? '' : value);
      const registration = readRegistration({
        id: id!,
        name: cleared(name),
        email: cleared(email),
      });
      const preview = call.query.preview === true;
      const context = shown(call);
      const item = await runOrPreview(store, preview, async (tx) => {
        const at = clock();
        await upsertRegistered(tx, [registration], at);
        await auditAct(tx, 'user.register', registration.id, at, actorOf(call));
        const row = await findRow(tx, USERS, registration.id);
        return itemOf(USERS.fields, row!, context, call.principal, true);
      });
      return { changed: true, preview, item };
    },
  };
}

function verbsOf({ defaultCountry, forgetTokens }: UserRouteDeps): readonly Verb[] {
  return [
    editVerb(defaultCountry),
    ...blockVerbs(forgetTokens),
    ...contentVerbs(forgetTokens),
    ...LEGAL_HOLD_VERBS,
  ];
}

function editVerb(defaultCountry: string | undefined): Verb {
  const schemas = Object.fromEntries(
    Object.entries(PROFILE).map(([name, { schema }]) => [name, schema]),
  );
  return {
    name: 'edit',
    method: 'patch',
    summary: 'Change a user; what is not given stays',
    role: 'owner',
    body: {
      ...SENDER,
      ...schemas,
      cellPhone: line(
        LENGTHS.contactPhone,
        'One that the user has not verified counts as not verified; null clears.',
      ),
      isRegistered: flag('Whether the user may send mail.'),
    },
    act: (tx, { key, by, at, body }) =>
      editUser(tx, key, readEdit(key, body, defaultCountry), { by, at }),
  };
}

/** @param done forgets the tokens that are remembered. */
function blockVerbs(done: UserRouteDeps['forgetTokens']): readonly Verb[] {
  return [
    {
      name: 'block',
      summary:
        'Let nobody act for the user: tokens are refused, trusted callers that name them too',
      role: 'owner',
      act: (tx, { key, ...call }) => blockUser(tx, { id: key, ...call }),
      done,
    },
    {
      name: 'unblock',
      summary: 'End a block',
      role: 'owner',
      act: (tx, { key, ...call }) => unblockUser(tx, { id: key, ...call }),
      done,
    },
  ];
}

/** What is done to everything of a user. @param done see {@link blockVerbs}. */
function contentVerbs(done: UserRouteDeps['forgetTokens']): readonly Verb[] {
  return [
    {
      name: 'takedown',
      summary: 'Take down all articles, adverts, images and reviews of the user',
      role: 'moderator',
      act: takeDownAll,
      counts: countToTake,
    },
    {
      name: 'putback',
      summary: 'Put back what the last take-down of everything took',
      role: 'moderator',
      act: putBackAll,
      counts: countToPutBack,
    },
    {
      name: 'ban',
      summary: 'Block the user, and take down everything of theirs, in one act',
      role: 'owner',
      async act(tx, call) {
        const isBlocked = await blockUser(tx, { id: call.key, ...call });
        return (await takeDownAll(tx, call)) || isBlocked;
      },
      counts: countToTake,
      done,
    },
    {
      name: 'unban',
      summary: 'End a block, and put back what the last take-down of everything took',
      role: 'owner',
      async act(tx, call) {
        const isUnblocked = await unblockUser(tx, { id: call.key, ...call });
        return (await putBackAll(tx, call)) || isUnblocked;
      },
      counts: countToPutBack,
      done,
    },
  ];
}

const LEGAL_HOLD_VERBS: readonly Verb[] = [
  {
    name: 'hold',
    summary: 'Place a legal hold: what is stored about the user cannot be erased until it ends',
    role: 'owner',
    body: {
      reason: text('The reason. Anyone who tries to erase the user sees it.', {
        maxLength: REASON_CHARS,
      }),
      until: nullable(instant('When it ends by itself; null: when somebody ends it.')),
    },
    required: ['reason'],
    act: (tx, { key, by, at, body }) =>
      setLegalHold(tx, {
        ...{ id: key, by, at },
        name: by.admin ?? `token ${by.tokenId}`,
        reason: body.reason as string,
        until: (body.until as number | null | undefined) ?? undefined,
      }),
  },
  {
    name: 'release',
    summary: 'End a legal hold',
    role: 'owner',
    act: (tx, { key, by, at }) => endLegalHold(tx, { id: key, by, at }),
  },
];

/**
 * Reads the body of an edit.
 * @throws {Ws01Error} `InvalidParameter`
 */
function readEdit(id: string, body: Values, defaultCountry: string | undefined): UserEdit {
  const cleared = (name: string) => (body[name] === null ? '' : (body[name] as string | undefined));
  const { name, email } = readRegistration({ id, name: cleared('name'), email: cleared('email') });
  const edit: Record<string, unknown> = {};
  if (name !== undefined) edit.name = name;
  if (email !== undefined) edit.email = email;
  for (const [member, { column }] of Object.entries(PROFILE)) {
    const value = body[member];
    if (value !== undefined)
      edit[column] = typeof value === 'string' && isSeen(value) ? value : null;
  }
  const phone = cleared('cellPhone');
  if (phone !== undefined)
    edit.cell_phone = normalizePhone(phone, 'cellPhone', defaultCountry) ?? null;
  if (body.isRegistered !== undefined) edit.registered = body.isRegistered;
  return edit as UserEdit;
}

/** Maximum number of verifications shown for a user; the newest. */
const VERIFICATIONS = 100;

function verificationsRoute({ store }: UserRouteDeps): Route {
  return {
    method: 'get',
    path: '/users/{id}/verifications',
    id: 'listVerificationsOfUser',
    tag: 'users',
    summary: `Which numbers the user proved to have, and when last; the newest ${VERIFICATIONS}`,
    role: 'reader',
    private: true,
    result: object({
      items: list(
        '',
        object({ phone: text('In normal form.'), verifiedAt: instant('When that was last.') }),
      ),
    }),
    async run({ path }) {
      const rows = await store.scan((db) =>
        db
          .selectFrom('phone_verifications')
          .select(['phone', 'verified_at'])
          .where('user_id', '=', canonicalKey(path.id!))
          .orderBy('phone')
          .limit(VERIFICATIONS)
          .execute(),
      );
      return {
        items: rows.map(({ phone, verified_at }) => ({
          phone,
          verifiedAt: shownInstant(verified_at),
        })),
      };
    },
  };
}
