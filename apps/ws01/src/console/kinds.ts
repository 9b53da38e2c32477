import * as kinds from '../api/kinds.ts';
import type { Layout } from '../records/record.ts';

/** How the pages of each kind are laid out; the rest comes from the API's description. */
export const LAYOUTS: Readonly<Record<string, Layout>> = Object.fromEntries(
  Object.values(kinds).flatMap(({ name, layout }) =>
    layout === undefined ? [] : [[name, layout]],
  ),
);

/** The members of each kind that follow from others, or from the clock. */
const DERIVED: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.values(kinds).map(({ name, fields }) => {
    const derived = Object.entries(fields).filter(([, { isVersioned }]) => isVersioned !== true);
    return [name, new Set(derived.map(([member]) => member))];
  }),
);

/** What goes without saying beside the state of a record, or at any change. */
const UNSAID: ReadonlySet<string> = new Set(['updatedAt', 'articles.status', 'images.visibility']);

/** Whether a person changes a member, and not another that it follows from; the state is what they change it for. */
export const isChangedByPeople = (kind: string, member: string): boolean =>
  member === 'state' ||
  !(DERIVED[kind]?.has(member) || UNSAID.has(member) || UNSAID.has(`${kind}.${member}`));

/** The verb that undoes each verb; the first one that the kind has. */
export const UNDONE_BY: Readonly<Record<string, readonly string[]>> = {
  publish: ['pend', 'hold'],
  pend: ['publish'],
  reject: ['restore'],
  hold: ['release'],
  release: ['hold'],
  remove: ['restore', 'add'],
  restore: ['remove'],
  add: ['remove'],
  dismiss: ['reopen'],
  reopen: ['dismiss'],
  takedown: ['putback'],
  putback: ['takedown'],
  ban: ['unban'],
  unban: ['ban'],
  block: ['unblock'],
  unblock: ['block'],
  disable: ['enable'],
  enable: ['disable'],
  cancel: ['uncancel'],
  suppress: ['unsuppress'],
  unsuppress: ['suppress'],
};

/** Verbs that take something from people. */
export const DESTRUCTIVE: ReadonlySet<string> = new Set([
  'hold',
  'reject',
  'remove',
  'purge',
  'ban',
  'block',
  'takedown',
  'disable',
  'cancel',
  'suppress',
  'revoke',
  'erase',
  'delete',
  'reset',
  'signout',
]);

/** Whether a verb takes something from people; to end a suppression gives them their mail back. */
export const isDestructive = (kind: string, verb: string): boolean =>
  DESTRUCTIVE.has(verb) && kind !== 'suppressions';

/** Verbs that take something away, all of it; others, such as a hold, leave it where it is. */
const TAKES_AWAY: ReadonlySet<string> = new Set(['remove', 'takedown', 'ban']);

/**
 * The class of a verb's button, the same wherever it stands: filled red for what has no undo, a red
 * outline for what takes something away, none for the rest.
 */
export function rankOf(
  kind: string,
  verb: string,
  isFinal: boolean,
): '' | 'danger' | 'danger final' {
  if (isFinal) return 'danger final';
  return isDestructive(kind, verb) && TAKES_AWAY.has(verb) ? 'danger' : '';
}

/**
 * The member that says what a record is for visitors, of the two that an image has: what moderators said of it, or else
 * what its record leaves of it.
 */
export const standingOf = (kind: string, { state, visibility }: Facts): 'state' | 'visibility' =>
  kind === 'images' && state === 'published' && visibility !== 'listed' ? 'visibility' : 'state';

type Facts = Readonly<Record<string, unknown>>;
const has = (member: string) => (item: Facts) =>
  item[member] !== null && item[member] !== undefined;
const lacks = (member: string) => (item: Facts) => !has(member)(item);
const is =
  (...states: readonly string[]) =>
  (item: Facts) =>
    states.includes(String(item.status));

/** Taken down by a moderator, or moved to the trash by the author. */
const isRemoved = (item: Facts) => has('removedAt')(item) || has('deletedAt')(item);

/** A message that did not go out. */
const isRetried = is('kept', 'failed', 'bounced', 'deferred', 'cancelled', 'suppressed');

/** Kept from the public by its author: to end a hold publishes it not. */
const isKept = ({ status }: Facts) => status === 1 || status === 3;

const isInUse = (item: Facts) => item.state === 'active';

/** Conditions under which a verb, or that of one kind, would change something; other verbs always may. */
const APPLICABLE: Readonly<Record<string, (item: Facts) => boolean>> = {
  publish: (item) => item.state === 'pending' || (item.state === 'held' && !isKept(item)),
  reject: (item) => item.state === 'pending' || item.state === 'held',
  pend: () => false,
  hold: (item) => lacks('heldAt')(item) && lacks('removedAt')(item),
  release: has('heldAt'),
  remove: lacks('removedAt'),
  restore: isRemoved,
  purge: isRemoved,
  ban: lacks('blockedAt'),
  unban: has('blockedAt'),
  takedown: ({ hasContent }) => hasContent !== false,
  putback: ({ isTaken }) => isTaken !== false,
  block: lacks('blockedAt'),
  unblock: has('blockedAt'),
  disable: lacks('disabledAt'),
  enable: has('disabledAt'),
  revoke: lacks('revokedAt'),
  retry: (item) => lacks('suppressedAt')(item) && isRetried(item),
  resend: (item) => item.status !== 'sending',
  cancel: is('kept', 'queued', 'deferred'),
  uncancel: is('cancelled'),
  suppress: lacks('suppressedAt'),
  unsuppress: has('suppressedAt'),
  add: () => false,
  dismiss: lacks('closedAt'),
  reopen: has('closedAt'),
  verify: (item) => has('verifiedAt')(item) && item.check !== 'running',
  // What publishing does as well is not offered beside it.
  'articles.release': (item) => has('heldAt')(item) && isKept(item),
  'adverts.release': () => false,
  'tokens.edit': isInUse,
  'tokens.rotate': isInUse,
};

/** Whether a verb would change something of a record. */
export function isApplicable(kind: string, verb: string, item: Facts): boolean {
  const isWanted = APPLICABLE[`${kind}.${verb}`] ?? APPLICABLE[verb];
  return isWanted?.(item) ?? true;
}

/** Verbs for one record at a time: they need its form, tell a secret, or take long. */
export const ONE_BY_ONE: ReadonlySet<string> = new Set([
  ...['add', 'pend', 'edit', 'rotate', 'verify'],
]);
