import { isSpace } from '../chars.ts';
import { XmlRefusal } from '../errors.ts';
import type { Scan } from './scan.ts';
import { State } from './state.ts';

/** Comments and processing instructions: checked, and told to nobody. Each function says whether there was text enough. */

const GREATER = 0x3e;
const QUESTION = 0x3f;

/** Inside a comment. */
export function comment(scan: Scan): boolean {
  const found = scan.find('--');
  if (found < 0 || found + 2 === scan.text.length) return false;
  if (scan.text.charCodeAt(found + 2) !== GREATER) {
    scan.refuse('malformed', "'--' must not stand in a comment.", found);
  }
  return scan.leaveMarkup(found + 3);
}

/** The name of a processing instruction. */
export function target(scan: Scan): boolean {
  const name = scan.name();
  if (name === undefined) return false;
  if (name === '') scan.refuse('malformed', "After '<?' the name of a processing instruction must follow.", scan.at);
  if (name.includes(':')) {
    throw new XmlRefusal('namespace', 'The name of a processing instruction must not have a colon.');
  }
  if (name.length === 3 && name.toLowerCase() === 'xml') {
    const reason = 'The XML declaration must be the first thing in a document, in small letters.';
    throw new XmlRefusal('malformed', reason);
  }
  scan.state = State.afterTarget;
  return afterTarget(scan);
}

/** Behind the name of a processing instruction. */
export function afterTarget(scan: Scan): boolean {
  const { text, at } = scan;
  const unit = text.charCodeAt(at);
  if (isSpace(unit)) {
    scan.state = State.instruction;
    return true;
  }
  if (unit === QUESTION && at + 1 === text.length) return false;
  if (unit === QUESTION && text.charCodeAt(at + 1) === GREATER) return scan.leaveMarkup(at + 2);
  scan.refuse('malformed', 'White space must stand after the name of a processing instruction.', at);
}

/** Inside a processing instruction. */
export function instruction(scan: Scan): boolean {
  const found = scan.find('?>');
  return found >= 0 && scan.leaveMarkup(found + 2);
}
