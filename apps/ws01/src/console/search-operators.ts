import type { Context } from 'hono';
import type { FieldSchema, Kind } from './catalog.ts';
import { NAMED_DAYS, type NamedDay } from './days.ts';
import { translator } from './language.ts';
import { DAY_TEXTS, type Filtered, isKnown } from './list-filters.ts';
import { oneOf, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** `state:pending`, with the colon of either keyboard. */
export const OPERATOR = /^([^:：]+)[:：](.*)$/u;

/** Both languages of the console: people paste what others wrote. */
const LANGUAGES = [translator('en'), translator('zh')] as const;

/** The same for `Created from`, `created-from` and `createdFrom`. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const isOneOf = (text: string, names: readonly string[]) =>
  names.some((name) => plain(name) === plain(text));

/**
 * Returns the address of the list that words ask for by operators: `kind:articles state:pending owner:ada bicycle` has
 * the filters of that list, by their names or labels, and what is no filter as its words. What names no kind, such as a
 * pasted address, is none.
 * @param kinds those that the reader may see.
 */
export function listAsked(c: C, kinds: readonly Kind[], words: string): string | undefined {
  const parts = words.split(/\s+/);
  const kind = kindNamed(kinds, parts);
  if (kind === undefined) return undefined;
  const query = filtersAsked(c, kind, parts.filter((part) => !isKindNamed(part)).join(' ')).query;
  return `${HOME}/${kind.name}${query.size === 0 ? '' : `?${query}`}`;
}

/** The kind that some words name, `kind:articles`. */
export function kindNamed(kinds: readonly Kind[], words: readonly string[]): Kind | undefined {
  const named = words.find(isKindNamed);
  const value = named === undefined ? '' : OPERATOR.exec(named)![2]!;
  return value === '' ? undefined : kinds.find(({ name }) => isOneOf(value, namesOfKind(name)));
}

const isKindNamed = (word: string): boolean => isWordFor(OPERATOR.exec(word)?.[1] ?? '', 'kind');

/** Whether a name is one of a field, in either language. */
export const isWordFor = (name: string, field: string): boolean =>
  isOneOf(name, [field, ...LANGUAGES.map((translate) => wordFor(translate, 'field', field))]);

/** The parameters of a list that words ask for: its filters, and the rest as `q`. */
export function filtersAsked(
  c: C,
  kind: Filtered,
  words: string,
): { readonly query: URLSearchParams; readonly isFiltered: boolean } {
  const query = new URLSearchParams();
  const rest: string[] = [];
  for (const part of words.split(/\s+/).filter((one) => one !== '')) {
    const [, name = '', value = ''] = OPERATOR.exec(part) ?? [];
    const filter = Object.entries(kind.filters).find(
      ([member]) =>
        value !== '' && isKnown(c, kind, member, value) && isOneOf(name, namesOfFilter(member)),
    );
    if (filter === undefined) rest.push(part);
    else query.set(filter[0], valueAsked(filter[1], value));
  }
  const isFiltered = query.size > 0;
  if (rest.length > 0 && kind.hasSearch) query.set('q', rest.join(' '));
  return { query, isFiltered };
}

/** What a kind is called, in the singular and the plural, in either language. */
export const namesOfKind = (name: string): readonly string[] => [
  ...[name, name.replace(/s$/, '')],
  ...LANGUAGES.flatMap((translate) => [wordFor(translate, 'kind', name), oneOf(translate, name)]),
];

/** What a filter is called, in either language. */
export const namesOfFilter = (member: string): readonly string[] => [
  member,
  ...LANGUAGES.map((translate) => wordFor(translate, 'field', member)),
];

/** A value of an enumeration by its word in either language; any other as it is. */
function valueAsked(schema: FieldSchema, text: string): string {
  const { enum: values = [], type, format } = schema;
  const flags = type === 'boolean' ? ['true', 'false'] : [];
  const days = format === 'date-time' ? NAMED_DAYS : [];
  const known = [...values, ...flags, ...days].filter((value) => value !== null);
  const named = (value: string) => [
    value,
    ...LANGUAGES.map((translate) => {
      if (type === 'boolean') return translate(value === 'true' ? 'app.yes' : 'app.no');
      if (format === 'date-time') return translate(DAY_TEXTS[value as NamedDay]);
      return wordFor(translate, 'value', value);
    }),
  ];
  return known.find((value) => isOneOf(text, named(value))) ?? text;
}
