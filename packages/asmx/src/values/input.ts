import type { LexicalContext } from '../lexical/index.ts';
import type { XmlPosition } from '../xml/errors.ts';
import type { ElementPlan, TextPlan } from './plan.ts';
import { readText, type TextCheck, ValueError } from './value-reading.ts';
import type { ValueTarget } from './value-target.ts';

/** The parameters of a call, as its binding found them: read to their end, and converted when the call was let in. */
export interface Input {
  /** The whole text of a parameter that is one; `undefined` when it is absent, or no text. */
  textAt(index: number): string | undefined;
  /**
   * The values, by the positions of their parameters.
   * @throws {ValueError} of the first parameter, in the order of the contract, that does not match its type.
   */
  values(): readonly unknown[];
}

/** The text of a parameter, or of an item of a list, that is converted when the call was let in. */
export class RawText {
  readonly text: string;
  /** Its position in the request, in the format of ASP.NET's faults, such as ` (1, 300)`; absent where none is said. */
  readonly place: (() => string) | undefined;

  constructor(text: string, place?: () => string) {
    this.text = text;
    this.place = place;
  }
}

/** A value that is made when the call was let in: a text is converted by its plan, others store themselves. */
interface Later {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
  readonly of: TextPlan | (() => void);
  /** Where faults say that it is; 0 where they say nothing. */
  readonly line: number;
  readonly column: number;
  next: Later | undefined;
}

/** The values of a parameter that are made when the call was let in, in the order of the message. */
export class LaterValues {
  #first: Later | undefined;
  #last: Later | undefined;

  /** @param to where the value belongs; a text is there already. */
  add({ holder, index, name }: ValueTarget, of: Later['of'], position = NO_POSITION): void {
    const { line, column } = position;
    const key = index ?? name;
    const later: Later = {
      holder: holder as Later['holder'],
      key,
      of,
      line,
      column,
      next: undefined,
    };
    if (this.#last === undefined) this.#first = later;
    else this.#last.next = later;
    this.#last = later;
  }

  /** Makes all of them. @param root what they are in. @throws {ValueError} of the first that does not match its type. */
  make({ context, check }: InputReading, property: string, root: () => unknown): void {
    let later = this.#first;
    const path = () => property + (pathWithin(root(), later!) ?? '');
    for (; later !== undefined; later = later.next) {
      const { holder, key, of } = later;
      if (typeof of === 'function') {
        of();
        continue;
      }
      const { namespaceOf } = of;
      const around = namespaceOf === undefined ? context : { ...context, namespaceOf };
      try {
        holder[key] = readText(of, holder[key] as string, around, path, check);
      } catch (error) {
        throw withPlace(error, later.line === 0 ? undefined : placeOf(later));
      }
    }
  }
}

const NO_POSITION: XmlPosition = { line: 0, column: 0 };

/** How the texts of an input are read. */
export interface InputReading {
  readonly context: LexicalContext;
  /** What of each text is still to be checked. */
  readonly check: TextCheck;
  /** What was found wrong while the message was read, by the property of the parameter; `''` for what comes before all. */
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
    return this.#elements.map((element, index) => {
      const { property } = element;
      const failure = failures?.get(property);
      if (failure !== undefined) throw failure;
      later?.get(property)?.make(this.#reading, property, () => this.#givenAt(index));
      const given = this.#givenAt(index);
      if (given instanceof RawText) return this.#text(element, given, () => property);
      return isTexts(given) ? this.#list(element, given) : given;
    });
  }

  #list(element: ElementPlan, texts: readonly RawText[]): unknown[] {
    const item = element.plan.kind === 'array' ? element.plan.item : element;
    return texts.map((text, at) => this.#text(item, text, () => `${element.property}[${at}]`));
  }

  /** @throws {ValueError} */
  #text(element: ElementPlan, { text, place }: RawText, path: () => string): unknown {
    const { context, check } = this.#reading;
    try {
      return readText(element.text!, text, context, path, check);
    } catch (error) {
      throw withPlace(error, place);
    }
  }
}

function withPlace(error: unknown, place: (() => string) | undefined): unknown {
  if (!(error instanceof ValueError) || place === undefined) return error;
  return new ValueError(error.path, error.reason, error.aspnetReason, place());
}

/** ` (1, 300)`, to be asked for later. */
export function placeOf({ line, column }: XmlPosition): () => string {
  return () => ` (${line}, ${column})`;
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
