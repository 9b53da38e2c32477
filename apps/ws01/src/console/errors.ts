import { html } from 'hono/html';
import type { Ws01Error } from '../contract/errors.ts';
import { Sentence } from '../contract/sentence.ts';
import type { Translate } from './language.ts';
import type { Content } from './layout.ts';
import { en, type TextKey } from './texts/en.ts';
import { ZH_ERRORS } from './texts/zh-errors.ts';
import type { Visit } from './visit.ts';

type ShownError = Pick<Ws01Error, 'code' | 'message' | 'sentence'>;

/** Returns an error as a text in the language of a visit. */
export function errorText({ language, translate }: Visit, error: ShownError): string {
  const own = refusedTo(translate, error.sentence);
  if (own !== undefined || language === 'en')
    return own ?? choiceIn(translate, error.sentence) ?? error.message;
  return (
    translated(translate, error.sentence) ??
    `${translate(`problem.${error.code}`)}：${error.message}`
  );
}

/**
 * Shows an error in the language of a visit. Without a translation: what kind of error it is, and
 * the English sentence.
 */
export function errorPart(visit: Visit, error: ShownError): Content {
  const { language, translate } = visit;
  const isWhole = refusedTo(translate, error.sentence) ?? translated(translate, error.sentence);
  if (language === 'en' || isWhole !== undefined) return errorText(visit, error);
  return html`${translate(`problem.${error.code}`)}：<span lang="en">${error.message}</span>`;
}

/** What the API says of a caller whose role may not do something: the words of programs. */
const NEEDS = '{method} {route} needs {part}; this is a {role}.';

/** Says of a page by its title, and of an act, who alone may have it; `undefined` for any other sentence. */
function refusedTo(translate: Translate, { template, values }: Sentence): string | undefined {
  if (template !== NEEDS) return undefined;
  const who = String(values.part).startsWith('a moderator') ? 'moderator' : 'owner';
  const [, name = ''] = String(values.route).split('/');
  const kind = `kind.${name}`;
  if (values.method !== 'GET' || !Object.hasOwn(en, kind)) return translate(`refused.${who}.act`);
  return translate(`refused.${who}.page`, { page: translate(kind as TextKey) });
}

/** What the API says of a word that is none of those that it knows. */
const ONE_OF = '{field} must be one of {values}.';

/** Says it with the words of the page; `undefined` for any other sentence. */
function choiceIn(translate: Translate, sentence: Sentence): string | undefined {
  if (sentence.template !== ONE_OF) return undefined;
  return sentence.filled(ONE_OF, (value, name) => valueIn(translate, name, value));
}

/** Returns a sentence in Chinese; `undefined` if it has no translation. */
function translated(translate: Translate, sentence: Sentence): string | undefined {
  const translation = ZH_ERRORS.get(sentence.template);
  return translation === undefined
    ? undefined
    : sentence.filled(translation, (value, name) => valueIn(translate, name, value));
}

/** Returns a value of a sentence in words of the console, by the name that the sentence gives it. */
function valueIn(translate: Translate, name: string, given: string | number | Sentence): string {
  const value = String(given);
  if (name === 'part' || name === 'noun')
    return translated(translate, given instanceof Sentence ? given : new Sentence(value)) ?? value;
  if (name === 'values')
    return value
      .split(', ')
      .map((word) => wordIn(translate, [`value.${word}`], word))
      .join(translate.language === 'zh' ? '、' : ', ');
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
