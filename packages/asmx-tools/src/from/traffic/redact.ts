import { words } from '@ws01/asmx/internal/contract/words';
import { decodePercentStrictly } from '@ws01/asmx/internal/message/percent';
import { parseRelaxed } from '@ws01/asmx/internal/values/relaxed-json';
import { escapeAttribute } from '@ws01/asmx/internal/xml/writer';
import { answersSecret, looksSecret } from '../secret-names.ts';
import { KnownValues } from './known-values.ts';
import { replaceXmlValues, type Wanted } from './xml-values.ts';

/** What is in a recording for a secret. */
export const REDACTED = '***';

/**
 * Names that are secrets in every service beside those that look so: XML Signature and XML
 * Encryption.
 */
const ALWAYS = new Set(['signaturevalue', 'ciphervalue', 'digestvalue', 'binarysecret']);
/** Elements that hold a secret among other things, whose members are checked by their own names. */
const HOLDERS = /token|ticket|signature|session|cookie|result$/i;
/**
 * Answers, which are called like their operation: `SetCredentialsResponse` holds whatever that
 * gives. Its own values are what
 * the operation gives; what lies in them has names of its own.
 */
const ANSWERS = /response$/i;
/**
 * Members that say nothing by their names: what they hold is what the element around them is
 * called.
 */
const PLAIN = new Set<string>(
  words(
    'string guid anytype base64binary int long value data text key id code d return result item',
    'hash content',
  ),
);

/**
 * What a recording is to hold no secrets by. Values that were taken out once are taken out wherever
 * they come again.
 */
export class Secrets {
  readonly known = new KnownValues();
  readonly #names: ReadonlySet<string>;

  /** @param names of parameters, members and elements that are secrets, in whatever case. */
  constructor(names: Iterable<string>) {
    this.#names = new Set([...names].map((name) => name.toLowerCase()));
  }

  /** How far the value of a name is a secret. @param parent what lies around it. */
  wanted(name: string, parent: string): Wanted {
    if (this.#names.has(name.toLowerCase())) return 'all';
    if (ALWAYS.has(name.toLowerCase())) return 'all';
    const isHolder = (each: string) => HOLDERS.test(each) || ANSWERS.test(each);
    if (looksSecret(name)) return isHolder(name) ? 'text' : 'all';
    // The name of an element says that it holds secrets alone; a user's name in it is none.
    const isGiven = ANSWERS.test(parent) && !HOLDERS.test(parent);
    const saysNothing = isGiven || PLAIN.has(name.toLowerCase());
    return saysNothing && this.#isSecret(parent) ? 'text' : undefined;
  }

  #isSecret(name: string): boolean {
    return this.#names.has(name.toLowerCase()) || looksSecret(name);
  }
}

/** Takes secrets out of the messages of one side of an exchange. */
export class Redactor {
  /** The names of what was taken out. */
  readonly names = new Set<string>();
  readonly #secrets: Secrets;
  /** The operation, when its answer is a secret by itself. */
  readonly #gives: string | undefined;

  /** @param operation that is answered; `undefined` for a request. */
  constructor(secrets: Secrets, operation?: string) {
    this.#secrets = secrets;
    const result = `${operation ?? ''}Result`;
    const gives =
      operation !== undefined &&
      (answersSecret(operation) || secrets.wanted(result, '') !== undefined);
    this.#gives = gives ? operation.toLowerCase() : undefined;
  }

  /** A body by its content type, or `undefined` when it cannot be read and so must not be kept. */
  body(text: string, contentType: string): string | undefined {
    const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
    if (type.startsWith('multipart/')) return undefined;
    if (type === 'application/x-www-form-urlencoded') return this.pairs(text);
    if (type === 'application/json' || type.endsWith('+json')) return this.#json(text, MOST_DEPTH);
    if (type.endsWith('xml')) return this.#xml(text, MOST_DEPTH);
    // Old clients send a form without its type, or as plain text.
    const start = text.trimStart()[0];
    if (start === '<') return this.#xml(text, MOST_DEPTH);
    return start === '{' || start === '[' ? this.#json(text, MOST_DEPTH) : this.pairs(text);
  }

  /** The path and query of a request, or a URL. */
  target(target: string): string {
    const at = target.indexOf('?');
    const path = this.#addresses(at < 0 ? target : target.slice(0, at)).replaceAll(
      COOKIELESS,
      (whole, session: string) => whole.replace(session, this.#take('session', session) ?? session),
    );
    return at < 0 ? path : `${path}?${this.pairs(target.slice(at + 1))}`;
  }

  /**
   * A text without the secrets of addresses in it: `https://ada:secret@example.com/;token=a?key=b`.
   */
  #addresses(text: string): string {
    return text
      .replaceAll(OF_ADDRESS, (whole, name: string, value: string) => {
        const known = decodedPart(name);
        const put =
          this.#wants(known, '') === undefined ? undefined : this.#take(known, decodedPart(value));
        return put === undefined ? whole : whole.slice(0, whole.length - value.length) + put;
      })
      .replaceAll(USER, (whole, password: string) => {
        const put = this.#take('password', decodedPart(password));
        return put === undefined ? whole : `${whole.slice(0, -1 - password.length)}${put}@`;
      });
  }

  /** `name=value` pairs. */
  pairs(text: string): string {
    return text
      .split('&')
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 0) return pair;
        const [name, value] = [decodedPart(pair.slice(0, at)), decodedPart(pair.slice(at + 1))];
        const put =
          this.#wants(name, '') === undefined
            ? this.#nested(value, MOST_DEPTH)
            : this.#take(name, value);
        return put === undefined
          ? pair
          : `${pair.slice(0, at)}=${put === REDACTED ? put : encodeURIComponent(put)}`;
      })
      .join('&');
  }

  /** A text without the values that were ever taken out; names of theirs are added. */
  elsewhere(text: string): string {
    return this.#secrets.known.removedFrom(text, REDACTED, (name) => this.names.add(name));
  }

  #wants(name: string, parent: string): Wanted {
    return this.#secrets.wanted(name, parent) ?? (this.#isGiven(name, parent) ? 'text' : undefined);
  }

  /** Whether a value is the result of an operation that gives a secret, in whatever binding. */
  #isGiven(name: string, parent: string): boolean {
    if (this.#gives === undefined) return false;
    const [own, around] = [name.toLowerCase(), parent.toLowerCase()];
    const result = `${this.#gives}result`;
    if (own === result) return true;
    const isPlain = PLAIN.has(own) || own.startsWith('arrayof');
    return (
      isPlain &&
      ['', 'd', result, `${this.#gives}response`, 'arrayofstring', 'result', 'return'].includes(
        around,
      )
    );
  }

  #xml(text: string, depth: number): string {
    return replaceXmlValues(text, {
      wants: (name, parent) => this.#wants(name, parent),
      value: (name, content) => this.#take(name, unescaped(content)),
      other: (content) => {
        const inside = /[&?]|\/\/|^\s*(?:<!\[CDATA\[|[[{])/.test(content)
          ? unescaped(content)
          : undefined;
        const put = inside === undefined ? undefined : this.#nested(inside, depth - 1);
        return put === undefined ? undefined : escapeAttribute(put);
      },
    });
  }

  /** A text that is a document itself, without its secrets; `undefined` when it has none. */
  #nested(text: string, depth: number): string | undefined {
    if (depth === 0) return undefined;
    const put = this.#document(text, depth);
    return put === text ? undefined : put;
  }

  #document(text: string, depth: number): string | undefined {
    const start = text.trimStart()[0];
    if (start === '<') return this.#xml(text, depth);
    return start === '{' || start === '[' ? this.#json(text, depth) : this.#addresses(text);
  }

  #json(text: string, depth: number): string | undefined {
    const value = jsonOf(text);
    if (value === undefined) return depth === MOST_DEPTH ? undefined : text;
    let isSame = true;
    const cleaned = (each: unknown, name: string, parent: string, wanted: Wanted): unknown => {
      if (Array.isArray(each)) return each.map((item) => cleaned(item, name, parent, wanted));
      if (typeof each === 'object' && each !== null) {
        return Object.fromEntries(
          Object.entries(each).map(([member, held]) => {
            const own = wanted === 'all' ? wanted : this.#wants(member, name);
            return [member, cleaned(held, member, name, own)];
          }),
        );
      }
      if (each === null) return each;
      const put =
        wanted === undefined
          ? typeof each === 'string' && this.#nested(each, depth - 1)
          : this.#take(name, String(each));
      if (put === undefined || put === false) return each;
      isSame = false;
      return put;
    };
    const made = cleaned(value, '', '', undefined);
    // Untouched texts are kept as they are, to the byte.
    return isSame ? text : JSON.stringify(made);
  }

  /**
   * @returns what to put in its place; `undefined` for what is no secret.
   * @param plain the value without its escapes.
   */
  #take(name: string, plain: string): string | undefined {
    const value = plain.trim();
    if (value === '' || value === REDACTED || /^(?:true|false)$/i.test(value)) return undefined;
    // Codes of success and failure.
    if (this.#gives !== undefined && /^-?\d{1,2}$/.test(value)) return undefined;
    this.names.add(name);
    this.#secrets.known.add(plain, name);
    if (value !== plain) this.#secrets.known.add(value, name);
    return REDACTED;
  }
}

/** A pair of a query, or a parameter of a path, in an address. */
const OF_ADDRESS = /[?&;]([^?&;=\s"'<>]{1,100})=([^?&;\s"'<>#]*)/g;
/** The password of a user in an address. */
const USER = /\/\/[^\s/@:]{0,100}:([^\s/@]{1,200})@/g;
/** What ASP.NET has in a path for a cookie: `(S(lit3py55t21z5v55vlm25s55))`. */
const COOKIELESS = /\([A-Z]\(([^()/]{8,200})\)/g;

/** How deep documents within texts of documents are looked into. */
const MOST_DEPTH = 3;

/** What a JSON text says, also as ASMX reads it; `undefined` when nobody can read it. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parseRelaxed(text, 0, Number);
    } catch {
      return undefined;
    }
  }
}

/** A name or value of a form without its escapes; one that is not UTF-8 stays as it is. */
export function decodedPart(text: string): string {
  return decodePercentStrictly(text.replaceAll('+', ' ')) ?? text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** What a text in XML stands for, with its CDATA sections. */
function unescaped(content: string): string {
  return content
    .split('<![CDATA[')
    .map((part, index) => {
      if (index === 0) return withoutEntities(part);
      const end = part.indexOf(']]>');
      return end < 0 ? part : part.slice(0, end) + withoutEntities(part.slice(end + 3));
    })
    .join('');
}

function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}
