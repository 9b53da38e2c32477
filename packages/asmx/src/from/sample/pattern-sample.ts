import { runInNewContext } from 'node:vm';

/** The longest text that is tried. */
const SAMPLE_CHARS = 10_000;
/** How long a pattern may take to match it: some backtrack for ever. ms */
const MATCH_MS = 500;

/**
 * A short text that a pattern of XML Schema matches (XML Schema 2, appendix F), for samples.
 * @returns `undefined` for what is too rich to find one for.
 */
export function patternSample(pattern: string): string | undefined {
  try {
    const form = `^(?:${pattern})$`;
    // What is no pattern of JavaScript, such as one with an open bracket, has no end that could be looked for.
    new RegExp(form, 'u');
    const reader = new PatternReader(pattern);
    const sample = reader.branch();
    const matches = () =>
      runInNewContext("new RegExp(form, 'u').test(sample)", { form, sample }, { timeout: MATCH_MS });
    return reader.atEnd && matches() === true ? sample : undefined;
  } catch {
    return undefined;
  }
}

/** What stands for the classes with a name. */
const CLASSES: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', i: 'a', c: 'a' };
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** What is tried in a class. */
const CANDIDATES = [...'1a0AzZ9- _.:/@,#+xX'];

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  /** The first of some alternatives. */
  branch(): string {
    let sample = '';
    while (!this.atEnd && this.#next !== '|' && this.#next !== ')') sample += this.#piece();
    while (this.#next === '|') {
      this.#at++;
      while (!this.atEnd && this.#next !== '|' && this.#next !== ')') this.#piece();
    }
    return sample;
  }

  get #next(): string | undefined {
    return this.#pattern[this.#at];
  }

  #piece(): string {
    const atom = this.#atom();
    const counted = /^\{(\d+)(?:,\d*)?\}/.exec(this.#pattern.slice(this.#at));
    if (counted !== null) {
      this.#at += counted[0].length;
      const times = Number(counted[1]);
      if (atom.length * times > SAMPLE_CHARS) throw new RangeError('The shortest text of the pattern is too long.');
      return atom.repeat(times);
    }
    if (this.#next === '?' || this.#next === '*') {
      this.#at++;
      return '';
    }
    if (this.#next === '+') this.#at++;
    return atom;
  }

  #atom(): string {
    const unit = this.#pattern[this.#at++]!;
    if (unit === '(') {
      const inside = this.branch();
      this.#at++;
      return inside;
    }
    if (unit === '[') return this.#class();
    if (unit === '.') return 'a';
    // They stand for themselves in XML Schema, and mean nothing where people wrote them.
    if (unit === '^' || unit === '$') return '';
    return unit === '\\' ? this.#escape() : unit;
  }

  #escape(): string {
    const unit = this.#pattern[this.#at++]!;
    if (unit !== 'p' && unit !== 'P') return CLASSES[unit] ?? CONTROLS[unit] ?? unit;
    const end = this.#pattern.indexOf('}', this.#at);
    const name = this.#pattern.slice(this.#at + 1, end);
    this.#at = end + 1;
    const form = new RegExp(`^\\${unit}{${name}}$`, 'u');
    return CANDIDATES.find((each) => form.test(each)) ?? 'a';
  }

  #class(): string {
    const start = this.#at - 1;
    while (this.#next !== ']') this.#at += this.#next === '\\' ? 2 : 1;
    this.#at++;
    const form = new RegExp(`^${this.#pattern.slice(start, this.#at)}$`, 'u');
    const first = this.#pattern[start + 1] === '\\' ? undefined : this.#pattern[start + 1];
    return [...CANDIDATES, ...(first === undefined ? [] : [first])].find((each) => form.test(each)) ?? 'a';
  }
}
