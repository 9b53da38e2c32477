import { decodePercentStrictly } from '../../message/percent.ts';
import { looksSecret } from '../emit/secrets.ts';
import { replaceXmlValues } from './xml-values.ts';

/** What is in a recording for a secret. */
export const REDACTED = '***';

/** Names that are secrets in every service: WS-Security and what people call their credentials. */
const ALWAYS = new Set(['password', 'nonce', 'binarysecuritytoken', 'signaturevalue', 'ciphervalue', 'username']);

/** How short a secret may be to be looked for elsewhere in a message: shorter ones stand there by chance. */
const SOUGHT_CHARS = 6;

/** Takes secrets out of one exchange. What was taken in one message is taken wherever else it stands. */
export class Redactor {
  /** The names of what was taken out. */
  readonly names = new Set<string>();
  readonly #secret: (name: string) => boolean;
  readonly #values = new Set<string>();

  /** @param names of parameters and elements that are secrets, in whatever case. */
  constructor(names: ReadonlySet<string>) {
    this.#secret = (name) => {
      const lower = name.toLowerCase();
      return names.has(lower) || (lower !== 'username' && ALWAYS.has(lower)) || looksSecret(name);
    };
  }

  /** A body by its content type, or `undefined` when it cannot be read and so must not be kept. */
  body(text: string, contentType: string): string | undefined {
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    if (type.startsWith('multipart/')) return undefined;
    if (type === 'application/x-www-form-urlencoded') return this.#elsewhere(this.pairs(text));
    if (type === 'application/json' || type.endsWith('+json')) return this.#elsewhere(this.#json(text));
    return this.#elsewhere(
      replaceXmlValues(text, { wants: this.#secret, value: (name, content) => this.#take(name, content) }),
    );
  }

  /** The path and query of a request. */
  target(target: string): string {
    const at = target.indexOf('?');
    return this.#elsewhere(at < 0 ? target : target.slice(0, at + 1) + this.pairs(target.slice(at + 1)));
  }

  /** `name=value` pairs. */
  pairs(text: string): string {
    return text
      .split('&')
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 0) return pair;
        const value = pair.slice(at + 1);
        const taken = this.#take(decodedPart(pair.slice(0, at)), value, decodedPart(value));
        return taken === undefined ? pair : `${pair.slice(0, at)}=${taken}`;
      })
      .join('&');
  }

  #json(text: string): string {
    try {
      const value: unknown = JSON.parse(text);
      // Untouched texts are kept as they are, to the byte.
      const taken = JSON.stringify(value, (name, member) => this.#member(name, member));
      return taken === JSON.stringify(value) ? text : taken;
    } catch {
      const member = /(["']?)([\w$-]+)\1(\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,}\]\s]+)/g;
      return text.replaceAll(member, (whole, quote: string, name: string, colon: string, value: string) => {
        const plain = value.replace(/^["']|["']$/g, '');
        return this.#take(name, plain) === undefined ? whole : `${quote}${name}${quote}${colon}"${REDACTED}"`;
      });
    }
  }

  #member(name: string, member: unknown): unknown {
    if (name === '' || member === null || member === undefined || member === '') return member;
    return this.#take(name, typeof member === 'string' ? member : JSON.stringify(member)) ?? member;
  }

  /** @returns what to put in its place; `undefined` for what is no secret. @param plain the value without its escapes. */
  #take(name: string, content: string, plain = unescaped(content)): string | undefined {
    if (content.trim() === '' || content === REDACTED || !this.#secret(name)) return undefined;
    this.names.add(name);
    for (const value of [content, ...written(plain)]) if (value.length >= SOUGHT_CHARS) this.#values.add(value);
    return REDACTED;
  }

  #elsewhere(text: string): string {
    let cleaned = text;
    for (const value of [...this.#values].sort((a, b) => b.length - a.length))
      cleaned = cleaned.replaceAll(value, REDACTED);
    return cleaned;
  }
}

/** A name or value of a form without its escapes; one that is not UTF-8 stays as it is. */
export function decodedPart(text: string): string {
  return decodePercentStrictly(text.replaceAll('+', ' ')) ?? text;
}

/** A value in the forms in which an answer may repeat it. */
function written(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = text.replaceAll('"', '&quot;');
  const component = encodeURIComponent(value.toWellFormed());
  return [
    ...[value, text, quoted, quoted.replaceAll("'", '&#39;'), quoted.replaceAll("'", '&apos;')],
    ...[JSON.stringify(value).slice(1, -1), component, component.replaceAll('%20', '+')],
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text that an element's or attribute's content stands for. */
function unescaped(content: string): string {
  const section = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(content.trim());
  if (section !== null) return section[1]!;
  return content.replaceAll(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
