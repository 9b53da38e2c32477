import type { Item } from '../api/kind.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import { type Detail, historyDetails, KEEPS_EARLIER } from './audit-details.ts';
import { revisionsOf } from './editor.ts';
import { kindsOf, type Names, namesOf } from './names.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { imagePath } from './pictures.ts';
import { outcomeOf } from './values.ts';

/** What entries of the audit trail tell. */
export interface ToldEntries {
  /** By the entry's key, what it tells, with what values were changed to. */
  readonly details: ReadonlyMap<string, readonly Detail[]>;
  /** What the records are called that the entries, and these values, lead to. */
  readonly names: Names;
  /** By their keys, the paths of small images. */
  readonly pictures: ReadonlyMap<string, string>;
}

/** The newest entries of a record that are looked through for what a value was changed to. */
const LATER = 100;

/** Kinds whose entries do not say what a value was changed to: the next entry, a revision or the record itself does. */
const CHANGED_LATER: Readonly<Record<string, string>> = {
  ...{ user: 'users', article: 'articles', advert: 'adverts', link: 'links' },
};

/** Reads what entries of the audit trail tell: of a list, of a record, of an export. */
export async function toldOf(api: ApiClient, entries: readonly Item[]): Promise<ToldEntries> {
  const about = Map.groupBy(entries, ({ targetKind, targetKey }) =>
    targetKey === null ? '' : `${targetKind}/${targetKey}`,
  );
  const told = await Promise.all([...about.values()].map((some) => detailsAbout(api, some)));
  return withNames(api, entries, new Map(told.flatMap((details) => [...details])));
}

/** The same of a record that is read with its history. */
export async function toldOfRecord(
  api: ApiClient,
  {
    item,
    history,
    revisions,
  }: Readonly<{ item: Item } & Record<'history' | 'revisions', readonly Item[]>>,
): Promise<ToldEntries> {
  return withNames(api, [item, ...history], byKey(historyDetails(history, item, revisions)));
}

/** What entries about one record tell. */
async function detailsAbout(
  api: ApiClient,
  entries: readonly Item[],
): Promise<ReadonlyMap<string, readonly Detail[]>> {
  const { targetKind, targetKey } = entries[0]!;
  const kind = CHANGED_LATER[String(targetKind)];
  const isChange = ({ action }: Item) =>
    action === 'article.replace' || KEEPS_EARLIER.has(String(action));
  if (kind === undefined || targetKey === null || !entries.some(isChange))
    return byKey(historyDetails(entries, {}, []));
  const key = String(targetKey);
  const path = `/audit?targetKey=${encodeURIComponent(key)}&limit=${LATER}`;
  const [present, page, revisions] = await Promise.all([
    orUndefined(api.get<Item>(`/${kind}/${segmentOf(key)}`)),
    orUndefined(api.get<ItemPage>(path)),
    kind === 'articles' ? revisionsOf(api, key) : [],
  ]);
  const later = (page?.items ?? []).filter((entry) => entry.targetKind === targetKind);
  const known = new Set(later.map(({ id }) => id));
  // Of what is older than these, what came after it is not known.
  const older = byKey(
    historyDetails(
      entries.filter(({ id }) => !known.has(id)),
      {},
      revisions,
    ),
  );
  return new Map([...byKey(historyDetails(later, present ?? {}, revisions)), ...older]);
}

const byKey = (told: ReadonlyMap<Item, readonly Detail[]>) =>
  new Map([...told].map(([{ id }, details]) => [String(id), details]));

async function withNames(
  api: ApiClient,
  items: readonly Item[],
  details: ReadonlyMap<string, readonly Detail[]>,
): Promise<ToldEntries> {
  const keys = new Set(items.map(({ id }) => String(id)));
  const told = await withOutcomes(api, items, details);
  const values = [...told]
    .filter(([key]) => keys.has(key))
    .flatMap(([, some]) => some)
    .flatMap(({ name, before, value }) => [{ [name]: before }, { [name]: value }]);
  const all = [...items, ...values];
  const [names, reported, pictures] = await Promise.all([
    namesOf(api, all),
    reportedIn(api, items),
    picturesIn(api, all),
  ]);
  const ofReported = await namesOf(api, [...reported.values()]);
  // A report is called what it is about.
  const reports = [...reported].flatMap(([key, { targetKind, targetKey }]) => {
    const kinds = kindsOf('targetKey', { targetKind });
    const name = kinds.map((kind) => ofReported.get(`${kind}/${targetKey}`)).find(Boolean);
    return [[`reports/${key}`, name ?? String(targetKey)] as const];
  });
  return { details: told, names: new Map([...names, ...reports]), pictures };
}

/** Adds to the attempts to give a phone code how each came out. */
async function withOutcomes(
  api: ApiClient,
  items: readonly Item[],
  details: ReadonlyMap<string, readonly Detail[]>,
): Promise<ReadonlyMap<string, readonly Detail[]>> {
  const attempts = items.filter(({ action }) => action === 'code.attempt');
  const steps = await readAll(
    api,
    'codes',
    attempts.map(({ id }) => String(id)),
  );
  const known = [...steps].filter(([, { isRight }]) => typeof isRight === 'boolean');
  const outcomes = known.map(([key, { isRight }]) => {
    const outcome = { name: 'outcome', value: outcomeOf(isRight) };
    return [key, [...(details.get(key) ?? []), outcome]] as const;
  });
  return new Map<string, readonly Detail[]>([...details, ...outcomes]);
}

async function reportedIn(
  api: ApiClient,
  entries: readonly Item[],
): Promise<ReadonlyMap<string, Item>> {
  const keys = entries.flatMap(({ targetKind, targetKey }) =>
    targetKind === 'report' ? [String(targetKey)] : [],
  );
  return readAll(api, 'reports', keys);
}

async function picturesIn(
  api: ApiClient,
  items: readonly Item[],
): Promise<ReadonlyMap<string, string>> {
  const keys = items.flatMap((item) => {
    const own = item.targetKind === 'image' ? [item.targetKey] : [];
    return [...own, item.iconGuid, item.imgGuid].flatMap((key) =>
      typeof key === 'string' && key !== '' ? [key] : [],
    );
  });
  const found = await readAll(api, 'images', keys);
  return new Map([...found].map(([key, image]) => [key, imagePath(image, 'icon')]));
}

/** The records of a kind with some keys, as far as they are there and the reader may read them. */
async function readAll(
  api: ApiClient,
  kind: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  const found = await Promise.all(
    [...new Set(keys)].map(async (key) => {
      const item = await orUndefined(api.get<Item>(`/${kind}/${segmentOf(key)}`));
      return item === undefined ? [] : [[key, item] as const];
    }),
  );
  return new Map(found.flat());
}
