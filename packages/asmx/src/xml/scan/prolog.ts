import { isSpace } from '../chars.ts';
import { overLimit } from '../errors.ts';
import { readDeclaration } from '../input/declaration.ts';
import type { Scan } from './scan.ts';
import { State } from './state.ts';

/** What stands first in a document. Each function says whether there was text enough. */

const DECLARATION = '<?xml';

/** Whether the document begins with an XML declaration. */
export function start(scan: Scan): boolean {
  const { text, at } = scan;
  if (text.length - at <= DECLARATION.length && DECLARATION.startsWith(text.slice(at, at + DECLARATION.length))) {
    return false;
  }
  const declared = text.startsWith(DECLARATION, at) && isSpace(text.charCodeAt(at + DECLARATION.length));
  scan.state = declared ? State.declaration : State.outside;
  return true;
}

/** Inside an XML declaration: it is read as a whole. */
export function declaration(scan: Scan): boolean {
  const end = scan.text.indexOf('>', scan.at);
  const to = end < 0 ? scan.text.length : end + 1;
  scan.steps += to - scan.at;
  scan.carried += scan.text.slice(scan.at, to);
  if (scan.carried.length > scan.limits.nameChars) {
    throw overLimit(scan.limits, 'nameChars', 'The XML declaration', 'characters');
  }
  scan.at = to;
  if (end < 0) return false;
  const { encoding } = readDeclaration(scan.carried);
  if (encoding !== undefined) scan.input.confirm(encoding);
  scan.carried = '';
  scan.state = State.outside;
  return true;
}
