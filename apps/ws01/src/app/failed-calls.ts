import { ERRORS, type ErrorCode, Ws01Error } from '../contract/errors.ts';
import { MASK } from '../contract/sentence.ts';
import { isOwnForm } from '../domain/credentials/token-text.ts';
import { optionalKey } from '../domain/values/keys.ts';

/**
 * Errors about a value. The engine's messages quote it, and nothing else that was sent, in
 * quotation marks.
 */
const ABOUT_VALUES: ReadonlySet<string> = new Set<ErrorCode>([
  'MissingParameter',
  'InvalidParameter',
  'TooLarge',
]);

/**
 * The sentence that the caller got, without what the caller sent; `undefined` where the two cannot
 * be told apart.
 */
export function reasonOf(error: { readonly code: string; readonly message: string }) {
  const { code, message } = error;
  const told = error instanceof Ws01Error ? error.sentence.masked() : message;
  if (ABOUT_VALUES.has(code)) return told.replace(/".*"/s, `"${MASK}"`);
  const isOwn = error instanceof Ws01Error || ERRORS[code as ErrorCode].side === 'server';
  return isOwn ? told : undefined;
}

const NO_RECORD = { target_kind: null, target_key: null };

/**
 * The record that a call names. A text that is no key is not kept, nor a token in the place of one.
 */
export function recordOf(kind: string | undefined, text: string | undefined) {
  if (kind === undefined) return NO_RECORD;
  try {
    const key = optionalKey(text, '');
    return key === undefined || isOwnForm(key) ? NO_RECORD : { target_kind: kind, target_key: key };
  } catch {
    return NO_RECORD;
  }
}
