import { domainToASCII } from 'node:url';
import { Sentence, say } from '../../contract/sentence.ts';

/**
 * Longest address, in characters as given and in octets as sent (semantics 2; RFC 5321 4.5.3.1.3).
 */
const MAX_ADDRESS = 254;

/** Longest local part, in octets (RFC 5321 4.5.3.1.1). */
const MAX_LOCAL_PART = 64;

/**
 * The ASCII symbols allowed in a local part, besides letters, digits and dots: atext of RFC 5322
 * without those to which mail servers give a special meaning, such as a route to another host (`%`,
 * `!`), a program (`|`) or a command (a grave accent).
 */
const ATEXT_SYMBOLS = "#$&'*+-/=?^_{}~";

/** Forbidden first characters of a local part: programs read them as a file or an option. */
const NOT_FIRST = ['/', '-'];

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The result of {@link parseAddress}. */
type ParsedAddress =
  | {
      readonly kind: 'address';
      /** `local@domain`: the local part as given, the domain in lower-case ASCII. */
      readonly address: string;
      readonly domain: string;
    }
  /** More than one address: a list or a group. */
  | { readonly kind: 'several' }
  /** Not an address; `reason` is a sentence with the problem and the remedy. */
  | { readonly kind: 'invalid'; readonly reason: Sentence };

/**
 * Parses exactly one addr-spec (semantics 2): a dot-atom, `@`, a domain name. A local part may have
 * letters and digits of any script (RFC 6531). Quoted local parts, domain literals, comments and
 * display names are refused, since they can smuggle headers and recipients. An internationalised
 * domain is converted to its IDNA form.
 *
 * @param text the address; blanks and tabs around it are dropped.
 */
export function parseAddress(text: string): ParsedAddress {
  if (hasControls(text)) return invalid('It has a line break or another control character');
  const trimmed = text.trim();
  if (countAddresses(trimmed) > 1) return { kind: 'several' };
  if (trimmed.length > 2 * MAX_ADDRESS || [...trimmed].length > MAX_ADDRESS) return tooLong();

  const at = trimmed.lastIndexOf('@');
  if (at < 0) return invalid('It has no @');
  const local = trimmed.slice(0, at);
  if (/[!%|`]/.test(local))
    return invalid(
      'Before the @ stands one of ! % | `, which mail servers read as a route or a command',
    );
  if (!isLocalPart(local))
    return invalid('What stands before the @ is not the plain local part of an address');
  const domain = domainOf(trimmed.slice(at + 1));
  if (domain === undefined) return invalid('What stands after the @ is not a domain name');
  const address = `${local}@${domain}`;
  return Buffer.byteLength(address) > MAX_ADDRESS
    ? tooLong()
    : { kind: 'address', address, domain };
}

/** The mailbox of an address, for comparison: in lower case, without the tag after `+`. */
export function mailboxOf(address: string): string {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf('@');
  const tag = lower.indexOf('+');
  return tag > 0 && tag < at ? lower.slice(0, tag) + lower.slice(at) : lower;
}

/** What the addresses of one mailbox are found by, in a column of keys. */
export interface MailboxKeys {
  /** The mailbox, without a tag. */
  readonly mailbox: string;
  /**
   * Addresses with a tag are from here on, below {@link beyond}, and end with {@link domain} (a
   * pattern of SQL).
   */
  readonly tagged: string;
  readonly beyond: string;
  readonly domain: string;
}

/** Returns what finds all addresses of the mailbox of an address. */
export function mailboxKeys(address: string): MailboxKeys {
  const mailbox = mailboxOf(address);
  const at = mailbox.lastIndexOf('@');
  const local = mailbox.slice(0, at);
  // The comma follows the plus in Unicode.
  return { mailbox, tagged: `${local}+`, beyond: `${local},`, domain: `%${mailbox.slice(at)}` };
}

/** Counts the pieces between separators that contain an `@`. */
function countAddresses(text: string): number {
  let count = 0;
  let counted = false;
  for (const char of text) {
    if (char === '@') {
      if (!counted) count++;
      counted = true;
    } else if (isSeparator(char)) {
      counted = false;
    }
  }
  return count;
}

function isSeparator(char: string): boolean {
  return ',;:<>，；'.includes(char) || char.trim() === '';
}

function isLocalPart(local: string): boolean {
  // "=?" starts an encoded word (RFC 2047), which some mailers decode into another address.
  if (
    local === '' ||
    Buffer.byteLength(local) > MAX_LOCAL_PART ||
    local.includes('=?') ||
    !local.isWellFormed()
  )
    return false;
  if (NOT_FIRST.includes(local[0]!)) return false;
  return local.split('.').every((atom) => atom !== '' && [...atom].every(isAtomCharacter));
}

function isAtomCharacter(char: string): boolean {
  if (char >= '\u0080') return /^[\p{L}\p{M}\p{N}]$/u.test(char);
  return /^[A-Za-z0-9]$/.test(char) || ATEXT_SYMBOLS.includes(char);
}

/** A domain name in lower-case ASCII; `undefined` when the text is not one. */
function domainOf(text: string): string | undefined {
  // domainToASCII parses a URL host with escapes, ports and paths, so it gets only characters of a
  // name.
  if (!/^[A-Za-z0-9.\-\u0080-\u{10ffff}]+$/u.test(text) || !text.isWellFormed()) return undefined;
  const ascii = domainToASCII(text);
  const labels = ascii.split('.');
  const isName =
    ascii.length <= 253 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^[0-9]+$/.test(labels.at(-1)!);
  return isName ? ascii : undefined;
}

function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || (code >= 0x7f && code < 0xa0)) return true;
    if (code === 0x2028 || code === 0x2029) return true;
  }
  return false;
}

function tooLong(): ParsedAddress {
  return invalid(say`It is longer than ${{ most: MAX_ADDRESS }} characters`);
}

function invalid(problem: string | Sentence): ParsedAddress {
  const { template, values } = typeof problem === 'string' ? new Sentence(problem) : problem;
  const remedy = 'write one plain address, like grace@example.com.';
  return { kind: 'invalid', reason: new Sentence(`${template}; ${remedy}`, values) };
}

/**
 * The key of an address for comparison: in lower case, since servers in use ignore the case of
 * `Ada@`.
 */
export function addressKey(address: string): string {
  return address.toLowerCase();
}
