import type { LexicalContext } from '../lexical/index.ts';
import type { XmlPosition } from '../xml/errors.ts';
import type { ElementPlan, TextPlan } from './plan.ts';
import { atPath, readText, type TextCheck, type ValueError } from './value-reading.ts';
import type { Holder } from './value-target.ts';

/**
 * The parameters of a call, as its binding found them: read to their end, and converted when the
 * call was let in.
 */
export interface Input {
  /** The whole text of a parameter that is one; `undefined` when it is absent, or no text. */
  textAt(index: number): string | undefined;
  /**
   * The values, by the positions of their parameters.
   * @throws {ValueError} of the first parameter, in the order of the contract, that does not match
   *   its type.
   */
  values(): readonly unknown[];
}

const NO_POSITION: XmlPosition = { line: 0, column: 0 };

/** The text of a parameter, or of an item of a list, that is converted when the call was let in. */
export class RawText {
  readonly text: string;
  /** Where in the request it stands; 0 where faults say nothing. */
  readonly line: number;
  readonly column: number;

  constructor(text: string, { line, column }: XmlPosition = NO_POSITION) {
    this.text = text;
    this.line = line;
    this.column = column;
  }
}

/**
 * A value that is made when the call was let in: a text is converted by its plan, others store
 * themselves.
 */
interface Later {
  readonly holder: Holder;
  readonly key: string | number;
  readonly of: TextPlan | (() => void);
  /** Where faults say that it is; 0 where they say nothing. */
  readonly line: number;
  readonly column: number;
  next: Later | undefined;
}

/**
 * The values of a parameter that are made when the call was let in, in the order of the message.
 */
export class LaterValues {
  #first: Later | undefined;
  #last: Later | undefined;

  /** @param key where in its holder the value belongs; a text is there already. */
  add(holder: Holder, key: string | number, of: Later['of'], position = NO_POSITION): void {
    const { line, column } = position;
    const later: Later = { holder, key, of, line, column, next: undefined };
    if (this.#last === undefined) this.#first = later;
    else this.#last.next = later;
    this.#last = later;
  }

  /**
   * Makes all of them.
   * @param root what they are in.
   * @throws {ValueError} of the first that does not match its type.
   */
  make({ context, check }: InputReading, property: string, root: () => unknown): void {
    for (let later = this.#first; later !== undefined; later = later.next) {
      const { holder, key, of } = later;
      if (typeof of === 'function') {
        of();
        continue;
      }
      const { namespaceOf } = of;
      const around = namespaceOf === undefined ? context : { ...context, namespaceOf };
      try {
        holder[key] = readText(of, holder[key] as string, around, check);
      } catch (error) {
        const path = property + (pathWithin(root(), later) ?? '');
        throw atPath(error, path, later.line === 0 ? undefined : placeText(later));
      }
    }
  }
}

/** How the texts of an input are read. */
export interface InputReading {
  readonly context: LexicalContext;
  /** What of each text is still to be checked. */
  readonly check: TextCheck;
  /**
   * What was found wrong while the message was read, by the property of the parameter; `''` for
   * what comes before all.
   */
  readonly failures?: ReadonlyMap<string, ValueError> | undefined;
  /** What is still to be made in each parameter, by its property. */
  readonly later?: ReadonlyMap<string, LaterValues> | undefined;
}

/** Parameters by their positions: values, and texts that are not converted yet. */
export class ElementInput implements Input {
  readonly #elements: readonly ElementPlan[];
  readonly #givenAt: (index: number) => unknown;
  readonly #reading: InputReading;

  /** @param givenAt what was read of each parameter, as far as it is made. */
  constructor(
    elements: readonly ElementPlan[],
    givenAt: (index: number) => unknown,
    reading: InputReading,
  ) {
    this.#elements = elements;
    this.#givenAt = givenAt;
    this.#reading = reading;
  }

  textAt(index: number): string | undefined {
    return textOf(this.#givenAt(index));
  }

  values(): readonly unknown[] {
    const { failures, later } = this.#reading;
    const before = failures?.get('');
    if (before !== undefined) throw before;
    const values: unknown[] = [];
    for (let index = 0; index < this.#elements.length; index++) {
      const element = this.#elements[index]!;
      const { property } = element;
      const failure = failures?.get(property);
      if (failure !== undefined) throw failure;
      later?.get(property)?.make(this.#reading, property, () => this.#givenAt(index));
      const given = this.#givenAt(index);
      if (given instanceof RawText) values.push(this.#text(element, given, property));
      else values.push(isTexts(given) ? this.#list(element, given) : given);
    }
    return values;
  }

  #list(element: ElementPlan, texts: readonly RawText[]): unknown[] {
    const item = element.plan.kind === 'array' ? element.plan.item : element;
    return texts.map((text, at) => this.#text(item, text, element.property, at));
  }

  /** @param at its place in the list of the property. @throws {ValueError} */
  #text(element: ElementPlan, raw: RawText, property: string, at?: number): unknown {
    const { context, check } = this.#reading;
    try {
      return readText(element.text!, raw.text, context, check);
    } catch (error) {
      const place = raw.line === 0 ? undefined : placeText(raw);
      throw atPath(error, at === undefined ? property : `${property}[${at}]`, place);
    }
  }
}

/** A position as ASP.NET's faults have it: ` (1, 300)`. */
export function placeText({ line, column }: XmlPosition): string {
  return ` (${line}, ${column})`;
}

/** The path of a value from what is around it; `undefined` where it is not within. */
function pathWithin(around: unknown, later: Later): string | undefined {
  if (typeof around !== 'object' || around === null) return undefined;
  const step = (name: string | number) => (Array.isArray(around) ? `[${name}]` : `.${name}`);
  const { holder, key, of } = later;
  if (around === holder) return typeof of === 'object' && of.isContent ? '' : step(key);
  for (const [name, member] of Object.entries(around)) {
    const rest = pathWithin(member, later);
    if (rest !== undefined) return step(name) + rest;
  }
  return undefined;
}

/** The whole text of a parameter, as far as it is read. */
export function textOf(given: unknown): string | undefined {
  if (given instanceof RawText) return given.text;
  return typeof given === 'string' ? given : undefined;
}

function isTexts(given: unknown): given is readonly RawText[] {
  return Array.isArray(given) && given[0] instanceof RawText;
}
