import { html } from 'hono/html';
import type { Ws01Error } from '../contract/errors.ts';
import type { Translate } from './language.ts';
import type { Content } from './layout.ts';
import { en, type TextKey } from './texts/en.ts';
import { ZH_ERRORS } from './texts/zh-errors.ts';
import type { Visit } from './visit.ts';

type ShownError = Pick<Ws01Error, 'code' | 'message'>;

/** Returns an error as a text in the language of a visit. */
export function errorText({ language, translate }: Visit, error: ShownError): string {
  if (language === 'en') return error.message;
  return (
    sentenceIn(translate, error.message) ??
    `${translate(`problem.${error.code}`)}：${error.message}`
  );
}

/** Shows an error in the language of a visit. Without a translation: what kind of error it is, and the English sentence. */
export function errorPart(visit: Visit, error: ShownError): Content {
  const { language, translate } = visit;
  if (language === 'en' || sentenceIn(translate, error.message) !== undefined)
    return errorText(visit, error);
  return html`${translate(`problem.${error.code}`)}：<span lang="en">${error.message}</span>`;
}

/** An English sentence, as the texts between its values and their names, and its translation. */
interface Template {
  readonly texts: readonly string[];
  readonly names: readonly string[];
  readonly translation: string;
}

/** Those with more text of their own come first: of several that fit, they say more. */
const TEMPLATES: readonly Template[] = Object.entries(ZH_ERRORS)
  .map(([sentence, translation]) => {
    const pieces = sentence.split(/\{(\w+)\}/);
    const [texts, names] = [0, 1].map((rest) => pieces.filter((_, index) => index % 2 === rest));
    return { texts: texts!, names: names!, translation };
  })
  .toSorted((one, other) => other.texts.join('').length - one.texts.join('').length);

/** Returns the translation of a sentence with its values; `undefined` if there is none. */
function sentenceIn(translate: Translate, sentence: string): string | undefined {
  for (const { texts, names, translation } of TEMPLATES) {
    const values = valuesBetween(texts, sentence);
    if (values === undefined) continue;
    return translation.replaceAll(/\{(\w+)\}/g, (_, name) =>
      valueIn(translate, name, values[names.indexOf(name)] ?? ''),
    );
  }
  return undefined;
}

/** Returns what stands between texts; `undefined` if the sentence does not consist of them. It takes linear time. */
function valuesBetween(texts: readonly string[], sentence: string): readonly string[] | undefined {
  const [first = '', ...others] = texts;
  if (others.length === 0) return sentence === first ? [] : undefined;
  if (!sentence.startsWith(first)) return undefined;
  const values: string[] = [];
  let from = first.length;
  for (const [index, text] of others.entries()) {
    const isLast = index === others.length - 1;
    const at = isLast ? sentence.length - text.length : sentence.indexOf(text, from);
    if (at <= from || (isLast && !sentence.endsWith(text))) return undefined;
    values.push(sentence.slice(from, at));
    from = at + text.length;
  }
  return values;
}

/** Returns a value of a sentence in words of the console, by the name that the sentence gives it. */
function valueIn(translate: Translate, name: string, value: string): string {
  if (name === 'part' || name === 'noun') return sentenceIn(translate, value) ?? value;
  if (name === 'values')
    return value
      .split(', ')
      .map((word) => wordIn(translate, [`value.${word}`], word))
      .join('、');
  if (name === 'kind') {
    // The noun of an entry of the audit trail is `audit entry`.
    const [first] = value.split(' ');
    return wordIn(translate, [`kind.${first}s`, `kind.${first}`, `field.${first}`], value);
  }
  return name === 'field' || name === 'role' || name === 'value'
    ? wordIn(translate, [`${name}.${value}`], value)
    : value;
}

function wordIn(translate: Translate, keys: readonly string[], otherwise: string): string {
  const key = keys.find((one) => Object.hasOwn(en, one));
  return key === undefined ? otherwise : translate(key as TextKey);
}
