import type { Item } from '../api/kind.ts';
import { KEY_CHARS, MOST_KEYS } from '../api/names-route.ts';
import type { ApiClient } from './api-client.ts';

/** Names come from details and addresses, which may say `constructor`. */
function toMap(by: Readonly<Record<string, readonly string[]>>) {
  return new Map(Object.entries(by));
}

/** What records are called, by `kind/key`; those without a name that the reader may read are missing. */
export type Names = ReadonlyMap<string, string>;

/** The kinds of records that a member's value may be the key of; the first that has it counts. */
const LEADS_TO: ReadonlyMap<string, readonly string[]> = toMap({
  createUserId: ['users'],
  owner: ['users'],
  userId: ['users'],
  sender: ['users'],
  claimedUser: ['users'],
  tokenId: ['tokens'],
  writtenBy: ['tokens'],
  successor: ['tokens'],
  mailId: ['mails'],
  iconGuid: ['images'],
  imgGuid: ['images'],
  articleGuid: ['articles'],
  webhookId: ['webhooks'],
  delivery: ['deliveries'],
  eventId: ['events'],
  linkGuid: ['articles', 'adverts'],
  subject: ['articles', 'adverts'],
});

/** Likewise of the record that an entry of the audit trail, an event or a report is about. */
const TARGETS: ReadonlyMap<string, readonly string[]> = toMap({
  address: ['suppressions'],
  admin: ['admins'],
  advert: ['adverts'],
  article: ['articles'],
  backup: ['backups'],
  image: ['images'],
  link: ['links'],
  mail: ['mails'],
  report: ['reports'],
  // Of a vote the key of what was voted on; of what a moderator did, its own.
  review: ['reviews', 'articles', 'adverts'],
  setting: ['settings'],
  sms: ['sms'],
  token: ['tokens'],
  user: ['users'],
  webhook: ['webhooks'],
});

/** Kinds whose records have a name besides their key. */
const NAMED: ReadonlySet<string> = new Set([
  ...['articles', 'adverts', 'users', 'links', 'mails'],
  ...['reviews', 'tokens', 'admins', 'webhooks', 'backups'],
]);

/** The kinds of records that a member of an item may be the key of; empty for any other text. */
export function kindsOf(name: string, item: Item): readonly string[] {
  // The subject of a mail is a text.
  if (name === 'subject' && 'receiverEmail' in item) return [];
  if (name === 'targetKey') return TARGETS.get(String(item.targetKind)) ?? [];
  if (name === 'key' && 'kind' in item) return TARGETS.get(String(item.kind)) ?? [];
  return LEADS_TO.get(name) ?? [];
}

/** What the record is called that a member of an item leads to; `undefined` if it leads to none with a name. */
export function nameAt(names: Names | undefined, member: string, item: Item): string | undefined {
  return kindsOf(member, item)
    .map((kind) => names?.get(`${kind}/${String(item[member])}`))
    .find((name) => name !== undefined);
}

/** Looks up what the records are called that items tell of: one request for a page. */
export async function namesOf(api: ApiClient, items: readonly Item[]): Promise<Names> {
  const wanted = new Map<string, Set<string>>();
  for (const item of items.flatMap((one) => [one, detailsOf(one)])) {
    for (const [name, value] of Object.entries(item)) {
      if (!isKey(value)) continue;
      for (const kind of kindsOf(name, item).filter((one) => NAMED.has(one)))
        wanted.set(kind, (wanted.get(kind) ?? new Set()).add(value));
    }
  }
  if (wanted.size === 0) return new Map();
  const body = Object.fromEntries(
    [...wanted].map(([kind, keys]) => [kind, [...keys].slice(0, MOST_KEYS)]),
  );
  const { items: found } = await api.send<{ readonly items: readonly Record<string, string>[] }>(
    ...(['post', '/names', body] as const),
  );
  const names = found.map(({ kind, key, name }) => [`${kind}/${key}`, name!] as const);
  return new Map([...items.flatMap(nameOfAccount), ...names]);
}

/** Entries about an account keep its name, which a removed one has nowhere else. */
function nameOfAccount(item: Item): (readonly [string, string])[] {
  const { name } = detailsOf(item);
  return item.targetKind === 'admin' && typeof name === 'string'
    ? [[`admins/${item.targetKey}`, name]]
    : [];
}

/** Details of entries may hold any text. */
const isKey = (value: unknown): value is string =>
  typeof value === 'string' && isBounded(value) && value.isWellFormed() && !value.includes('\0');

const isBounded = (text: string) => text !== '' && text.length <= KEY_CHARS;

const detailsOf = ({ details }: Item): Item =>
  typeof details === 'object' && details !== null ? (details as Item) : {};
