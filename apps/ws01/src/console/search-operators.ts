import type { Context } from 'hono';
import type { FieldSchema, Kind } from './catalog.ts';
import { translator } from './language.ts';
import { isKnown } from './list-filters.ts';
import { oneOf, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** `state:pending`, with the colon of either keyboard. */
const OPERATOR = /^([^:：]+)[:：](.+)$/u;

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
  const parts = words.split(/\s+/).map((part) => ({ part, operator: OPERATOR.exec(part) }));
  const kindWords = ['kind', ...LANGUAGES.map((translate) => wordFor(translate, 'field', 'kind'))];
  const [asked] = parts.flatMap(({ part, operator }) =>
    operator !== null && isOneOf(operator[1]!, kindWords) ? [{ part, value: operator[2]! }] : [],
  );
  const kind = asked && kinds.find(({ name }) => isOneOf(asked.value, namesOfKind(name)));
  if (kind === undefined) return undefined;
  const query = new URLSearchParams();
  const rest: string[] = [];
  for (const { part, operator } of parts.filter((one) => one.part !== asked!.part)) {
    const [, name = '', value = ''] = operator ?? [];
    const filter = Object.entries(kind.filters).find(
      ([member]) => isKnown(c, kind, member, value) && isOneOf(name, namesOfFilter(member)),
    );
    if (filter === undefined) rest.push(part);
    else query.set(filter[0], valueAsked(filter[1], value));
  }
  if (rest.length > 0 && kind.hasSearch) query.set('q', rest.join(' '));
  return `${HOME}/${kind.name}${query.size === 0 ? '' : `?${query}`}`;
}

const namesOfKind = (name: string): readonly string[] => [
  ...[name, name.replace(/s$/, '')],
  ...LANGUAGES.flatMap((translate) => [wordFor(translate, 'kind', name), oneOf(translate, name)]),
];

const namesOfFilter = (member: string): readonly string[] => [
  member,
  ...LANGUAGES.map((translate) => wordFor(translate, 'field', member)),
];

/** A value of an enumeration by its word in either language; any other as it is. */
function valueAsked({ enum: values = [] }: FieldSchema, text: string): string {
  const known = values.filter((value) => value !== null);
  const named = (value: string) => [
    value,
    ...LANGUAGES.map((translate) => wordFor(translate, 'value', value)),
  ];
  return known.find((value) => isOneOf(text, named(value))) ?? text;
}
