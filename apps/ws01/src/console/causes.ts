import type { Item } from '../api/kind.ts';
import type { Translate } from './language.ts';
import { en, type TextKey } from './texts/en.ts';
import { reasonInChinese } from './texts/zh-reasons.ts';

/** Why a call failed, in the words of its answer; where these are not kept, what its error means. */
export function causeOf(translate: Translate, { error, parameter, reason }: Item): string {
  const meaning = meaningOf(translate, String(error));
  if (typeof reason !== 'string')
    return typeof parameter === 'string' ? `${meaning} (${parameter})` : meaning;
  const said = (translate.language === 'zh' && reasonInChinese(reason)) || reason;
  // What the service noted for itself, such as `unknown or revoked`, is no whole sentence.
  return reason.endsWith('.') ? said : translate('failure.why', { meaning, reason: said });
}

/** What the code of an error means; the code where nothing is said of it. */
export const meaningOf = (translate: Translate, error: string): string => {
  const key = `problem.${error}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : error;
};
