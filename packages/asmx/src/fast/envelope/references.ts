import { XmlRefusal } from '../../xml/errors.ts';
import { isSurrogate, resolveReference } from '../../xml/scan/references.ts';

/** `&#x10FFFF;` and a zero or two; UTF-16 code units. */
const LONGEST_REFERENCE = 12;

/** A text with its references resolved; `undefined` when one is for the general reader. */
export function resolveReferences(written: string): string | undefined {
  let text = '';
  let from = 0;
  for (let at = written.indexOf('&'); at >= 0; at = written.indexOf('&', from)) {
    const end = written.indexOf(';', at);
    if (end < 0 || end - at > LONGEST_REFERENCE) return undefined;
    const point = pointOf(written.slice(at + 1, end));
    if (point === undefined || isSurrogate(point)) return undefined;
    text += written.slice(from, at) + String.fromCodePoint(point);
    from = end + 1;
  }
  return text + written.slice(from);
}

function pointOf(reference: string): number | undefined {
  try {
    return resolveReference(reference);
  } catch (error) {
    if (error instanceof XmlRefusal) return undefined;
    throw error;
  }
}
