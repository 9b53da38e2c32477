/** How the pages of a kind are laid out; the rest comes from the API's description. */
interface Layout {
  /** Columns of the list, in order; absent: all. */
  readonly columns: readonly string[];
  /** Members that can serve as a record's name; the first one with a text is used. */
  readonly called: readonly string[];
}

export const LAYOUTS: Readonly<Record<string, Layout>> = {
  articles: {
    columns: ['caption', 'state', 'createUserId', 'categoryGuid', 'createdAt'],
    called: ['caption', 'guid'],
  },
  adverts: {
    columns: ['title', 'state', 'createUserId', 'showDeadLine', 'createdAt'],
    called: ['title', 'guid'],
  },
  images: {
    columns: ['fileGuid', 'state', 'owner', 'linkGuid', 'createdAt'],
    called: ['fileGuid'],
  },
  users: {
    columns: ['id', 'name', 'email', 'cellPhone', 'isRegistered', 'createdAt'],
    called: ['name', 'id'],
  },
  codes: { columns: ['step', 'userId', 'phone', 'address', 'at'], called: ['phone', 'id'] },
  mails: {
    columns: ['subject', 'status', 'receiverEmail', 'sender', 'createdAt'],
    called: ['subject', 'id'],
  },
  suppressions: { columns: ['address', 'reason', 'detail', 'createdAt'], called: ['address'] },
  sms: { columns: ['phone', 'status', 'userId', 'createdAt'], called: ['phone', 'id'] },
  links: {
    columns: ['code', 'state', 'orgUrl', 'visits', 'robots', 'createdAt'],
    called: ['orgUrl', 'code'],
  },
  reviews: {
    columns: ['remark', 'state', 'mark', 'isPositive', 'subject', 'userId', 'createdAt'],
    called: ['remark', 'id'],
  },
  tokens: {
    columns: ['label', 'kind', 'scopes', 'lastUsedAt', 'revokedAt'],
    called: ['label', 'id'],
  },
  admins: { columns: ['name', 'role', 'sessions', 'signedInAt', 'linkUntil'], called: ['name'] },
  webhooks: {
    columns: ['label', 'state', 'host', 'types', 'waiting', 'failed'],
    called: ['label', 'host'],
  },
  events: { columns: ['at', 'type', 'kind', 'key', 'requestId'], called: ['type'] },
  backups: { columns: ['name', 'state', 'startedAt', 'verifiedAt', 'bytes'], called: ['name'] },
  audit: {
    columns: ['at', 'action', 'targetKey', 'tokenId', 'address', 'details'],
    called: ['action'],
  },
};

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
  'block',
  'disable',
  'cancel',
  'suppress',
  'revoke',
  'erase',
  'delete',
  'reset',
  'signout',
]);

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

/** Conditions under which a verb would change something; other verbs always may. */
export const APPLICABLE: Readonly<Record<string, (item: Facts) => boolean>> = {
  publish: (item) => item.state === 'pending' || item.state === 'held',
  reject: (item) => item.state === 'pending' || item.state === 'held',
  pend: () => false,
  hold: (item) => lacks('heldAt')(item) && lacks('removedAt')(item),
  release: has('heldAt'),
  remove: lacks('removedAt'),
  restore: isRemoved,
  purge: isRemoved,
  block: lacks('blockedAt'),
  unblock: has('blockedAt'),
  disable: lacks('disabledAt'),
  enable: has('disabledAt'),
  revoke: lacks('revokedAt'),
  retry: is('kept', 'failed', 'bounced', 'deferred', 'cancelled', 'suppressed'),
  cancel: is('kept', 'queued', 'deferred'),
  uncancel: is('cancelled'),
  unsuppress: is('suppressed'),
  add: () => false,
};
