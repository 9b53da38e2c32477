import { ANY_CHAR, type CharSet, ESCAPED_SETS, propertySet } from './char-set.ts';
import { PatternError } from './pattern-error.ts';

/** What a pattern is made of. */
export type PatternNode =
  | {
      readonly kind: 'one';
      readonly set: CharSet /** A character of it that the pattern names. */;
      readonly example?: string;
    }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly of: PatternNode;
      readonly min: number;
      readonly max: number;
    };

/** How long a pattern may be: code points. Also bounds what one class of characters costs. */
const MOST_CHARS = 10_000;
/** How deep groups and classes may lie in each other. */
const MOST_DEPTH = 200;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const QUANTIFIERS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '?': [0, 1],
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
};

/**
 * Reads a pattern of XML Schema (part 2, appendix F). `^` and `$` stand for themselves; a backslash
 * before any sign of ASCII that is no letter and no digit names the sign, as everybody reads it.
 * @throws {PatternError} for what is no such pattern.
 */
export function parsePattern(pattern: string): PatternNode {
  const chars = [...pattern];
  if (chars.length > MOST_CHARS)
    throw new PatternError(`it is longer than ${MOST_CHARS} characters`);
  return new PatternParser(chars).whole();
}

class PatternParser {
  readonly #chars: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  whole(): PatternNode {
    const node = this.#choice();
    if (this.#next !== undefined) throw this.#unexpected();
    return node;
  }

  get #next(): string | undefined {
    return this.#chars[this.#at];
  }

  #unexpected(): PatternError {
    if (this.#next === undefined) return new PatternError('it ends too early');
    return new PatternError(
      `there is a ${JSON.stringify(this.#next)} that means nothing at character ${this.#at + 1}`,
    );
  }

  #skip(char: string): void {
    if (this.#next !== char) throw this.#unexpected();
    this.#at++;
  }

  #within<T>(read: () => T): T {
    if (++this.#depth > MOST_DEPTH)
      throw new PatternError(`its brackets are more than ${MOST_DEPTH} deep`);
    const made = read();
    this.#depth--;
    return made;
  }

  #choice(): PatternNode {
    const branches = [this.#branch()];
    while (this.#next === '|') {
      this.#at++;
      branches.push(this.#branch());
    }
    return branches.length === 1 ? branches[0]! : { kind: 'choice', branches };
  }

  #branch(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')')
      parts.push(this.#piece());
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #piece(): PatternNode {
    const of = this.#atom();
    const counts = this.#next === '{' ? this.#counts() : QUANTIFIERS[this.#next ?? ''];
    if (counts === undefined) return of;
    this.#at++;
    const [min, max] = counts;
    return { kind: 'repeat', of, min, max };
  }

  /** `{n}`, `{n,}` or `{n,m}`; stays before the bracket that closes it. */
  #counts(): readonly [min: number, max: number] {
    this.#skip('{');
    const min = this.#count();
    let max = min;
    if (this.#next === ',') {
      this.#at++;
      max = this.#chars[this.#at] === '}' ? Number.POSITIVE_INFINITY : this.#count();
    }
    if (this.#next !== '}') throw this.#unexpected();
    if (min > max)
      throw new PatternError(`nothing is there at least ${min} and at most ${max} times`);
    return [min, max];
  }

  #count(): number {
    let digits = '';
    while (this.#next !== undefined && this.#next >= '0' && this.#next <= '9')
      digits += this.#chars[this.#at++];
    if (digits === '') throw this.#unexpected();
    return Number(digits);
  }

  #atom(): PatternNode {
    const char = this.#next;
    if (char === undefined || '?*+{})]|'.includes(char)) throw this.#unexpected();
    if (char === '[') return this.#within(() => this.#class());
    this.#at++;
    if (char === '.') return { kind: 'one', set: ANY_CHAR };
    if (char === '\\') return this.#escape();
    if (char !== '(') return one(char);
    const inside = this.#within(() => this.#choice());
    this.#skip(')');
    return inside;
  }

  /** What stands behind a backslash. */
  #escape(): PatternNode & { readonly kind: 'one' } {
    const char = this.#next;
    if (char === undefined) throw this.#unexpected();
    this.#at++;
    if (char === 'p' || char === 'P') {
      const set = propertySet(this.#property());
      return { kind: 'one', set: char === 'p' ? set : (point) => !set(point) };
    }
    const set = ESCAPED_SETS.get(char);
    if (set !== undefined) return { kind: 'one', set };
    if (CONTROLS[char] !== undefined) return one(CONTROLS[char]);
    if (/^[ -~]$/.test(char) && !/^[0-9A-Za-z]$/.test(char)) return one(char);
    throw new PatternError(`XML Schema has no ${JSON.stringify(`\\${char}`)}`);
  }

  #property(): string {
    this.#skip('{');
    let name = '';
    while (this.#next !== undefined && this.#next !== '}') name += this.#chars[this.#at++];
    this.#skip('}');
    return name;
  }

  /** `[…]`, `[^…]` and, of either, `[…-[…]]`. */
  #class(): PatternNode & { readonly kind: 'one' } {
    this.#skip('[');
    const isNegative = this.#next === '^';
    if (isNegative) this.#at++;
    const sets: CharSet[] = [];
    let example: string | undefined;
    let without: CharSet | undefined;
    while (this.#next !== ']' && without === undefined) {
      if (this.#next === '-' && this.#chars[this.#at + 1] === '[' && sets.length > 0) {
        this.#at++;
        without = this.#within(() => this.#class()).set;
        continue;
      }
      const { set, example: named } = this.#range();
      sets.push(set);
      example ??= named;
    }
    if (sets.length === 0) throw this.#unexpected();
    this.#skip(']');
    const set: CharSet = (point) =>
      sets.some((each) => each(point)) !== isNegative && (without === undefined || !without(point));
    return { kind: 'one', set, ...(isNegative || example === undefined ? {} : { example }) };
  }

  /**
   * A character, a range of them, or an escape, within a class. A `-` that can join nothing stands
   * for itself.
   */
  #range(): PatternNode & { readonly kind: 'one' } {
    const first = this.#member();
    const behind = this.#chars[this.#at + 1];
    const isRange = this.#next === '-' && behind !== undefined && behind !== ']' && behind !== '[';
    if (!isRange || first.example === undefined) return first;
    this.#at++;
    const last = this.#member().example;
    if (last === undefined)
      throw new PatternError('a range ends with something that is no character');
    const [from, to] = [first.example.codePointAt(0)!, last.codePointAt(0)!];
    if (from > to) throw new PatternError(`the range ${first.example}-${last} is upside down`);
    return { kind: 'one', set: (point) => point >= from && point <= to, example: first.example };
  }

  #member(): PatternNode & { readonly kind: 'one' } {
    const char = this.#next;
    if (char === undefined || char === '[') throw this.#unexpected();
    this.#at++;
    return char === '\\' ? this.#escape() : one(char);
  }
}

function one(char: string): PatternNode & { readonly kind: 'one'; readonly example: string } {
  const own = char.codePointAt(0)!;
  return { kind: 'one', set: (point) => point === own, example: char };
}
