import { isHtml, seenTextOf } from '../../adapters/mail/html.ts';
import { beginningOf } from '../../domain/values/shown-text.ts';

/** References that only HTML has, in texts without a tag. */
const REFERENCE = /&(?:amp|nbsp|lt|gt|quot|#\d{2,6});/;

/**
 * Returns the beginning of a text in one line, without the markup that old sites store.
 * @param source the text, or a part of it that is longer than what is returned.
 * @param most UTF-16 code units.
 */
export function excerptOf(source: string, most: number): string {
  const text = isHtml(source) || REFERENCE.test(source) ? seenTextOf(source) : source;
  return beginningOf(text.replaceAll(/\s+/g, ' ').trim(), most);
}
