import type { Item } from '../api/kind.ts';

/** One thing that an entry of the audit trail tells besides what was done to which record. */
export interface Detail {
  /** The member that it tells of. */
  readonly name: string;
  /** What holds, or was changed to; absent where only `before` is known. */
  readonly value?: unknown;
  /** What held before; absent where nothing was changed. */
  readonly before?: unknown;
}

/** Who did it has a place of its own. */
const ELSEWHERE: ReadonlySet<string> = new Set(['admin', 'operator']);

/** What `from` and `to`, or `before` and `after`, are values of. */
const CHANGED: Readonly<Record<string, string>> = {
  'admin.role': 'role',
  'article.pin': 'pinnedTopDueDate',
  'article.categorise': 'categoryGuid',
  'link.edit': 'orgUrl',
  'setting.change': 'value',
  'data.copy': 'database',
  'database.restore': 'backup',
  'files.adopt': 'files',
};

/** Actions that keep the earlier values of what they change, each by the name of its member. */
export const KEEPS_EARLIER: ReadonlySet<string> = new Set([
  ...['user.update', 'user.edit', 'user.phone', 'advert.edit', 'link.edit'],
]);

/** Members of such an entry that are no earlier values. */
const NOT_EARLIER: ReadonlySet<string> = new Set(['changed', 'reason']);

/** Returns what an entry tells, each with the name of its member. */
export function detailsOf({ action, details }: Item): readonly Detail[] {
  const isAccount = String(action).startsWith('admin.');
  const all = Object.entries((details ?? {}) as Item);
  const isChange = all.some(([name]) => name === 'to');
  const kept = all.filter(
    ([name]) => !ELSEWHERE.has(name) && !(isAccount && isOfAccount(name, String(action), isChange)),
  );
  const isEarlier = KEEPS_EARLIER.has(String(action));
  const otherOf = ([name, value]: [string, unknown]): Detail =>
    isEarlier && !NOT_EARLIER.has(name) ? earlierOf([name, value]) : plainOf([name, value]);
  const told = new Map(kept);
  const terms = TERMS[String(action)];
  if (terms !== undefined) return termChanges(terms, told);
  const changed = CHANGED[String(action)];
  const pair = [
    ['from', 'to'],
    ['before', 'after'],
  ].find(([first]) => told.has(first!));
  if (changed === undefined || pair === undefined) return kept.map(otherOf);
  const [before, value] = pair.map((name) => told.get(name));
  const first: Detail = told.has(pair[1]!)
    ? { name: changed, before, value }
    : { name: changed, value: before };
  return [first, ...kept.filter(([name]) => !pair.includes(name)).map(otherOf)];
}

/** Who the account is stands as the record; its role stands where it was given, unless a change of it does. */
const isOfAccount = (name: string, action: string, isChange: boolean): boolean =>
  name === 'name' ||
  (name === 'role' && (isChange || (action !== 'admin.add' && action !== 'admin.role')));

const earlierOf = ([name, before]: [string, unknown]): Detail => ({
  name: memberOf(name),
  before: plainValue(name, before),
});
const plainOf = ([name, value]: [string, unknown]): Detail => ({
  name,
  value: plainValue(name, value),
});

/** The name of a member that may be written as its column. */
function memberOf(name: string): string {
  if (name === 'registered') return 'isRegistered';
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Details are texts: what is a flag, a list or an instant is made one again. */
function plainValue(name: string, value: unknown): unknown {
  if (name === 'scopes' || name === 'types' || name === 'changed')
    return String(value).split(' ').filter(Boolean);
  if (value === 'true' || value === 'false') return value === 'true';
  const isInstant = INSTANTS.has(name) && /^\d{12,14}$/.test(String(value));
  return isInstant ? new Date(Number(value)).toISOString() : value;
}

/** Details with an instant as a number. */
const INSTANTS: ReadonlySet<string> = new Set([
  ...['writtenAt', 'heldSince', 'since', 'until', 'deadline', 'showDeadLine'],
]);

/** Terms in one text, `a; b; c`; the label alone may have semicolons. */
const TERMS: Readonly<Record<string, readonly string[]>> = {
  'token.edit': ['scopes', 'label', 'expiresAt'],
  'webhook.edit': ['url', 'types', 'label'],
};

/** What of such terms was changed. */
function termChanges(
  names: readonly string[],
  told: ReadonlyMap<string, unknown>,
): readonly Detail[] {
  const label = names.indexOf('label');
  const termsOf = (text: unknown): readonly string[] => {
    const parts = String(text).split('; ');
    const behind = names.length - label - 1;
    const end = parts.length - behind;
    return [...parts.slice(0, label), parts.slice(label, end).join('; '), ...parts.slice(end)];
  };
  const [before, after] = [termsOf(told.get('before')), termsOf(told.get('after'))];
  return names.flatMap((name, at) =>
    before[at] === after[at]
      ? []
      : [{ name, before: plainValue(name, before[at]), value: plainValue(name, after[at]) }],
  );
}

/**
 * Returns what each entry of a record's history tells, with what its values were changed to: an entry keeps the
 * earlier ones, so that the next one, or the record itself, has the later ones.
 * @param history the entries about one record, the newest first.
 * @param revisions the contents of an article, for the history of one.
 */
export function historyDetails(
  history: readonly Item[],
  present: Item,
  revisions: readonly Item[],
): ReadonlyMap<Item, readonly Detail[]> {
  const later: Record<string, unknown> = { ...present };
  const told = new Map<Item, readonly Detail[]>();
  const apart = new Set<string | undefined>(history.map(({ action }) => CHANGED[String(action)]));
  for (const entry of history) {
    const isKept = KEEPS_EARLIER.has(String(entry.action));
    const details = detailsOf(entry).map((detail): Detail => {
      if (!isKept || !('before' in detail) || !(detail.name in later)) return detail;
      const value = 'value' in detail ? detail.value : later[detail.name];
      later[detail.name] = detail.before;
      return { ...detail, value };
    });
    told.set(entry, [...details, ...contentChanges(details, revisions, apart)]);
  }
  return told;
}

/** Members of a content that people do not write. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  'guid',
  'revision',
  'replacedAt',
  'tokenId',
  'ip',
  'claimedIp',
  'isPublic',
]);

/**
 * What a new revision of an article changed; of its text only that, because the page of the revision compares it.
 * @param apart members with entries of their own: no revision is made for these.
 */
function contentChanges(
  details: readonly Detail[],
  revisions: readonly Item[],
  apart: ReadonlySet<string | undefined>,
): readonly Detail[] {
  const number = Number(details.find(({ name }) => name === 'revision')?.value);
  const [content, earlier] = [number, number - 1].map((one) =>
    revisions.find(({ revision }) => revision === one),
  );
  if (content === undefined || earlier === undefined) return [];
  const changed = Object.keys(content).filter(
    (name) => !NOT_WRITTEN.has(name) && !apart.has(name) && content[name] !== earlier[name],
  );
  if (changed.length === 0) return [{ name: 'content' }];
  return changed.map((name) => ({ name, before: earlier[name], value: content[name] }));
}
