import type { LexicalContext } from '../lexical/index.ts';
import { valueOfType } from './any-value.ts';
import type { ElementPlan, SimplePlan } from './plan.ts';
import { readText, type TextCheck, type TextPlace, ValueError } from './value-reading.ts';

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

/** A text within a parameter: of a member, an item or an attribute. */
export class MemberText {
  readonly text: string;
  readonly plan: SimplePlan;
  readonly of: TextPlace;
  /** What prefixes mean there; `undefined` where no value can have one. */
  readonly namespaceOf: LexicalContext['namespaceOf'];
  readonly place: (() => string) | undefined;
  /** Whether it is the content of the object that holds it, and no member. */
  readonly isContent: boolean;

  constructor(
    text: string,
    plan: SimplePlan,
    of: TextPlace,
    namespaceOf: LexicalContext['namespaceOf'],
    place: (() => string) | undefined,
    isContent: boolean,
  ) {
    this.text = text;
    this.plan = plan;
    this.of = of;
    this.namespaceOf = namespaceOf;
    this.place = place;
    this.isContent = isContent;
  }
}

/** A value whose texts are converted when the call was let in, by what read them. */
export class LaterValue {
  readonly value: () => unknown;

  constructor(value: () => unknown) {
    this.value = value;
  }
}

/** Whether faults may say where a text of the element stands: .NET has words for what cannot be read of its type. */
export function isPlaced({ plan }: Pick<ElementPlan, 'plan'>): boolean {
  return plan.kind === 'simple' && (!plan.reference || plan.json === 'number');
}

/** How the texts of an input are read. */
export interface InputReading {
  readonly context: LexicalContext;
  /** What of each text is still to be checked. */
  readonly check: TextCheck;
  /** What was found wrong while the message was read, by the property of the parameter; `''` for what comes before all. */
  readonly failures?: ReadonlyMap<string, ValueError> | undefined;
}

/** Parameters by their positions: values, and texts that are not converted yet. */
export class ElementInput implements Input {
  readonly #elements: readonly ElementPlan[];
  readonly #given: readonly unknown[];
  readonly #reading: InputReading;
  /** Where in the parameters the text is that is being converted: names and indexes; `''` for what adds nothing. */
  #path: (string | number)[] = [];
  readonly #pathHere = (): string =>
    this.#path
      .map((step) => (typeof step === 'number' ? `[${step}]` : step === '' ? '' : `.${step}`))
      .join('')
      .slice(1);

  constructor(elements: readonly ElementPlan[], given: readonly unknown[], reading: InputReading) {
    this.#elements = elements;
    this.#given = given;
    this.#reading = reading;
  }

  textAt(index: number): string | undefined {
    return textOf(this.#given[index]);
  }

  values(): readonly unknown[] {
    const { failures } = this.#reading;
    const before = failures?.get('');
    if (before !== undefined) throw before;
    return this.#elements.map((element, index) => {
      const failure = failures?.get(element.property);
      if (failure !== undefined) throw failure;
      const given = this.#given[index];
      if (given instanceof RawText) return this.#text(element, given, () => element.property);
      if (isTexts(given)) return this.#list(element, given);
      if (element.streams) return given;
      this.#path = [element.property];
      return this.#nested(given);
    });
  }

  /** Converts the texts in a value, in their order. @throws {ValueError} of the first that does not match its type. */
  #nested(given: unknown): unknown {
    if (given instanceof MemberText) return this.#member(given);
    if (given instanceof LaterValue) return given.value();
    if (Array.isArray(given)) {
      for (let index = 0; index < given.length; index++) {
        const item: unknown = given[index];
        if (typeof item !== 'object') continue;
        this.#path.push(index);
        given[index] = this.#nested(item);
        this.#path.pop();
      }
    } else if (isMembers(given)) {
      for (const name in given) {
        const member = given[name];
        if (typeof member !== 'object') continue;
        this.#path.push(member instanceof MemberText && member.isContent ? '' : name);
        given[name] = this.#nested(member);
        this.#path.pop();
      }
    }
    return given;
  }

  #member({ text, plan, of, namespaceOf, place }: MemberText): unknown {
    const { context, check } = this.#reading;
    const around = namespaceOf === undefined ? context : { ...context, namespaceOf };
    try {
      const value = readText(plan, text, of, around, this.#pathHere, check);
      return of.$type === undefined ? value : valueOfType(of.$type, value);
    } catch (error) {
      throw withPlace(error, place);
    }
  }

  #list(element: ElementPlan, texts: readonly RawText[]): unknown[] {
    const item = element.plan.kind === 'array' ? element.plan.item : element;
    return texts.map((text, at) => this.#text(item, text, () => `${element.property}[${at}]`));
  }

  /** @throws {ValueError} */
  #text(element: ElementPlan, { text, place }: RawText, path: () => string): unknown {
    const { context, check } = this.#reading;
    try {
      return readText(element.plan as SimplePlan, text, element, context, path, check);
    } catch (error) {
      throw withPlace(error, place);
    }
  }
}

function withPlace(error: unknown, place: (() => string) | undefined): unknown {
  if (!(error instanceof ValueError) || place === undefined) return error;
  return new ValueError(error.path, error.reason, error.aspnetReason, place());
}

/** Whether it is an object that a reader of values made. */
function isMembers(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** The whole text of a parameter, as far as it is read. */
export function textOf(given: unknown): string | undefined {
  if (given instanceof RawText || given instanceof MemberText) return given.text;
  return typeof given === 'string' ? given : undefined;
}

function isTexts(given: unknown): given is readonly RawText[] {
  return Array.isArray(given) && given[0] instanceof RawText;
}
