import { LexicalError } from '../lexical-error.ts';
import type { CharSet } from './char-set.ts';
import { type PatternNode, parsePattern } from './parse-pattern.ts';
import { PatternError } from './pattern-error.ts';

/**
 * How many states a pattern may have, with the counts of `{n,m}` written out: enough for up to
 * 10,000 of a class of characters. Each has a UTF-16 code unit of its own in the keys of sets.
 */
const MOST_STATES = 30_000;

/**
 * How much is remembered of all patterns together: about as many words of memory. Then it is
 * forgotten as a whole.
 */
const MOST_KEPT = 1_000_000;

/**
 * A state of the automaton: reads one character of a set, or goes on without one; the end does
 * neither.
 */
interface State {
  readonly set: CharSet | undefined;
  /** Where it goes on. */
  readonly next: number[];
}

/** The state behind the whole text; the first, so that it is found at the start of a sorted set. */
const END = 0;

/**
 * States that are reached at once, and what each character leads to from them, as far as that was
 * asked.
 */
interface Reached {
  /** In order. */
  readonly states: Uint16Array;
  readonly next: Map<number, Reached>;
}

/**
 * How many states one text may be followed through, beside what is remembered: a tenth of a second.
 * Each character of a text leads most patterns to one or two.
 */
const MOST_FOLLOWED = 8_000_000;

const kept = { words: 0, of: new WeakMap<Pattern, Map<string, Reached>>() };

function forget(): void {
  kept.words = 0;
  kept.of = new WeakMap();
}

/**
 * A pattern of XML Schema (part 2, appendix F). Its language is regular, so a text is read only
 * once: all states that the text so far may lead to are followed at the same time (K. Thompson,
 * 1968), and what a set of states makes of a character is remembered. The work is at most the
 * length of the text times the number of states, whatever the text.
 */
export class Pattern {
  readonly #states: readonly State[];
  readonly #start: number;
  /** The last round in which each state was reached. */
  readonly #seen: Float64Array;
  #round = 0;
  #steps = 0;
  #most = 0;

  /**
   * @throws {PatternError} for what is no pattern of XML Schema, or has more than 30,000 states.
   */
  constructor(pattern: string) {
    const { states, start } = new Automaton().of(parsePattern(pattern));
    this.#states = states;
    this.#start = start;
    this.#seen = new Float64Array(states.length);
  }

  /** How many characters and states it has looked at since it was made: a measure of its work. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Whether a text has the form, as a whole.
   * @throws {LexicalError} when that takes too many steps: a long text, each character of which may
   *   stand in thousands of places of the pattern.
   */
  matches(text: string): boolean {
    this.#most = this.#steps + text.length + MOST_FOLLOWED;
    let reached = this.#kept(this.#first());
    let at = 0;
    let hasForgotten = false;
    while (at < text.length) {
      if (reached.states.length === 0) return false;
      if (kept.words > MOST_KEPT) {
        if (hasForgotten) break;
        hasForgotten = true;
        // What other texts left must not decide how far this one is followed.
        forget();
        reached = this.#kept(reached.states);
      }
      const point = text.codePointAt(at)!;
      at += point > 0xffff ? 2 : 1;
      this.#steps++;
      reached = reached.next.get(point) ?? this.#remembered(reached, point);
    }
    return this.#followed(reached.states, text, at)[0] === END;
  }

  /** The states behind the rest of a text, when there is no room to remember more. */
  #followed(from: ArrayLike<number>, text: string, start: number): ArrayLike<number> {
    let states = from;
    for (let at = start; at < text.length && states.length > 0; ) {
      const point = text.codePointAt(at)!;
      at += point > 0xffff ? 2 : 1;
      states = this.#after(states, point);
    }
    return states.length > 1 ? Uint16Array.from(states).sort() : states;
  }

  #remembered(reached: Reached, point: number): Reached {
    const next = this.#kept(this.#after(reached.states, point));
    reached.next.set(point, next);
    kept.words += 4;
    return next;
  }

  /** The one object for a set of states. */
  #kept(found: ArrayLike<number>): Reached {
    const states = Uint16Array.from(found).sort();
    const own = kept.of.get(this) ?? new Map<string, Reached>();
    kept.of.set(this, own);
    const key = keyOf(states);
    const known = own.get(key);
    if (known !== undefined) return known;
    const made: Reached = { states, next: new Map() };
    own.set(key, made);
    kept.words += states.length + 30;
    return made;
  }

  /** The states that a character leads to. */
  #after(states: ArrayLike<number>, point: number): number[] {
    this.#round++;
    this.#steps += states.length;
    if (this.#steps > this.#most)
      throw new LexicalError(
        'The text is too long for the pattern of its type; send a shorter one.',
      );
    const found: number[] = [];
    for (let index = 0; index < states.length; index++) {
      const { set, next } = this.#states[states[index]!]!;
      if (set?.(point) === true) this.#reach(next[0]!, found);
    }
    return found;
  }

  #first(): number[] {
    this.#round++;
    const found: number[] = [];
    this.#reach(this.#start, found);
    return found;
  }

  /**
   * Adds the states that read a character, and the end, that are reached from one without a
   * character; each once.
   */
  #reach(from: number, found: number[]): void {
    let open: number[] | undefined;
    for (let index: number | undefined = from; index !== undefined; index = open?.pop()) {
      if (this.#seen[index] === this.#round) continue;
      this.#seen[index] = this.#round;
      this.#steps++;
      const { set, next } = this.#states[index]!;
      if (set !== undefined || index === END) found.push(index);
      else if (open === undefined) open = [...next];
      else open.push(...next);
    }
  }
}

function anyOf(sets: readonly CharSet[]): CharSet {
  return (point) => sets.some((set) => set(point));
}

/** A text with a code unit for each state. */
function keyOf(states: Uint16Array): string {
  let key = '';
  for (let at = 0; at < states.length; at += 1_000)
    key += String.fromCharCode(...states.subarray(at, at + 1_000));
  return key;
}

/** Makes the states of a pattern from its end to its start. */
class Automaton {
  readonly #states: State[] = [{ set: undefined, next: [] }];
  #built = 0;

  of(node: PatternNode): { readonly states: readonly State[]; readonly start: number } {
    const start = this.#before(node, END);
    return { states: this.#states, start };
  }

  #state(set: CharSet | undefined, next: number[]): number {
    return this.#states.push({ set, next }) - 1;
  }

  /**
   * The state where a node begins, before the state `next`. What is empty counts too: it may stand
   * there many times.
   */
  #before(node: PatternNode, next: number): number {
    this.#built++;
    if (this.#built > MOST_STATES || this.#states.length >= MOST_STATES) {
      throw new PatternError(
        `it has more than ${MOST_STATES} states when its counts are written out`,
      );
    }
    if (node.kind === 'one') return this.#state(node.set, [next]);
    if (node.kind === 'sequence')
      return node.parts.reduceRight((behind, part) => this.#before(part, behind), next);
    if (node.kind === 'choice') {
      const sets = node.branches.map((branch) => (branch.kind === 'one' ? branch.set : undefined));
      if (sets.every((set) => set !== undefined)) return this.#state(anyOf(sets), [next]);
      return this.#state(
        undefined,
        node.branches.map((branch) => this.#before(branch, next)),
      );
    }
    return this.#repeated(node, next);
  }

  #repeated({ of, min, max }: PatternNode & { readonly kind: 'repeat' }, next: number): number {
    let start = next;
    let left = min;
    if (max === Number.POSITIVE_INFINITY) {
      // The last of those that must be there is where more of them begin.
      const again: number[] = [next];
      const loop = this.#state(undefined, again);
      const body = this.#before(of, loop);
      again.push(body);
      start = min === 0 ? loop : body;
      left = Math.max(min - 1, 0);
    }
    // Each that may be missing leads straight to what is behind all, not through the others.
    else
      for (let count = min; count < max; count++)
        start = this.#state(undefined, [this.#before(of, start), next]);
    for (let count = 0; count < left; count++) start = this.#before(of, start);
    return start;
  }
}
