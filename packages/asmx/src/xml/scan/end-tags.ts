import { XmlRefusal } from '../errors.ts';
import type { Scan } from './scan.ts';
import { State } from './state.ts';

/** End tags, read piece by piece. Each function says whether there was text enough. */

const GREATER = 0x3e;

/** The name of an end tag. */
export function endName(scan: Scan): boolean {
  const { name } = scan.elements;
  const after = scan.at + name.length;
  // The common case, without making a string of it.
  if (scan.carried === '' && scan.text.charCodeAt(after) === GREATER && scan.text.startsWith(name, scan.at)) {
    scan.steps += name.length;
    scan.at = after + 1;
    scan.closeElement();
    return true;
  }
  const found = scan.name();
  if (found === undefined) return false;
  if (found !== name) {
    const what = found === '' ? 'Something else' : `The end tag of ${found}`;
    throw new XmlRefusal('malformed', `${what} stands where the element ${name} must end.`);
  }
  scan.state = State.endTag;
  return endTag(scan);
}

/** After the name of an end tag. */
export function endTag(scan: Scan): boolean {
  const unit = scan.skipSpace();
  if (unit < 0) return false;
  if (unit !== GREATER) scan.refuse('malformed', "An end tag must end with '>'.", scan.at);
  scan.at++;
  scan.closeElement();
  return true;
}
