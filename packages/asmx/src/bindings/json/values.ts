import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { FileParameters } from '../../exchange/files/file-parameters.ts';
import type { FileValues } from '../../exchange/files/file-values.ts';
import type { PartialValues } from '../../exchange/intake/intake.ts';
import { JsonNumber } from '../../lexical/json-number.ts';
import { IgnoredMembers } from '../../message/ignored-members.ts';
import { TextCollector } from '../../message/text-collector.ts';
import type { Input } from '../../values/input.ts';
import { type ElementPlan, isScalar } from '../../values/plan.ts';
import { JsonValueReader, parseNested, scalarText } from '../../values/read-json.ts';
import { ValueError } from '../../values/value-reading.ts';
import type { JsonContent, JsonHandler, JsonKind, NestedText } from './json-reader.ts';

const FILE_CONTENT: JsonContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };
const FILE_BYTE: JsonContent = { mode: 'text', isFile: true };

/**
 * Turns the members of one JSON object into parameters. Names count in any case, as over GET and
 * POST. If a name is repeated, a member that is spelled as in the contract wins; else the first
 * value that is not `null`. Unknown members are ignored, and reported. A file is a base64 string or
 * an array of numbers, as ASP.NET writes it. Lists and objects are kept as they are written until
 * their end, then parsed.
 */
export class JsonValues implements JsonHandler, PartialValues {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #elements: readonly ElementPlan[];
  /**
   * By position: texts, numbers as their digits, booleans, `null`, and parsed lists and objects.
   */
  readonly #given: unknown[];
  readonly #failures = new Map<string, ValueError>();
  readonly #files: FileParameters;
  #current = -1;
  /**
   * The last name that was met, and the position of its parameter: an array has many values of one
   * name.
   */
  #lastName: string | undefined;
  #lastIndex = -1;
  /** Whether it is spelled as in the contract. */
  #isExact = false;
  /** Positions whose value came by another spelling. */
  readonly #misspelled = new Set<number>();
  /** Members that nothing in the contract has; all of them when the values are converted. */
  readonly ignored = new IgnoredMembers();
  /** Of the parameter at {@link #fileIndex}. */
  #file: FileValues | undefined;
  #fileIndex = -1;
  #kind: JsonKind = 'null';
  readonly #text = new TextCollector();

  constructor(exchange: Exchange, operation: CompiledOperation) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#elements = operation.message.request.elements;
    this.#files = new FileParameters(exchange, operation, 'json');
    this.#given = this.#elements.map(() => undefined);
  }

  textAt(index: number): string | undefined {
    const element = this.#elements[index];
    return element?.plan.kind === 'simple'
      ? scalarText(element.plan, this.#given[index])
      : undefined;
  }

  /**
   * Resolves when the sinks of the files have accepted the data; `undefined` when they already
   * have.
   */
  get drained(): Promise<unknown> | undefined {
    return this.#files.drained;
  }

  /** Called at the end of the object. */
  async finish(): Promise<Input> {
    const wrong = await this.#files.finish(this.#given);
    for (const [parameter, failure] of wrong ?? []) this.#failures.set(parameter, failure);
    return { textAt: (index) => this.textAt(index), values: () => this.#values() };
  }

  /** @throws {ValueError} */
  #values(): readonly unknown[] {
    const { timeZone, now, limits } = this.#exchange.service;
    const reader = new JsonValueReader({ form: 'text', timeZone, now }, limits, this.ignored);
    return this.#elements.map((element, index) => {
      const failure = this.#failures.get(element.property);
      if (failure !== undefined) throw failure;
      const given = this.#given[index];
      return element.streams ? (given ?? element.absent) : reader.parameter(element, given);
    });
  }

  open(name: string, kind: JsonKind): 'text' | 'skip' | JsonContent {
    this.#current = -1;
    const index = this.#indexOf(name);
    if (index < 0 || this.#isGiven(index)) return 'skip';
    if (kind === 'null') {
      this.#given[index] ??= null;
      return 'skip';
    }
    this.#accept(index);
    if (index !== this.#fileIndex) {
      this.#fileIndex = index;
      this.#file = this.#files.at(index);
    }
    this.#kind = kind;
    if (this.#file === undefined ? isNested(kind) : kind !== 'string' && kind !== 'number') {
      if (this.#file !== undefined)
        this.#file.refuse('it must be base64 in a string, or an array of numbers.');
      else this.#refuse(index, 'it must be a string, a number, true, false or null.');
      return 'skip';
    }
    this.#current = index;
    if (this.#file === undefined) return 'text';
    if (kind === 'number') return FILE_BYTE;
    this.#file.begin('text');
    return FILE_CONTENT;
  }

  text(piece: string): void {
    if (this.#file === undefined) {
      this.#text.add(piece);
      return;
    }
    this.#exchange.intake.passedOn(piece.length + 1);
    if (this.#kind === 'number') this.#file.number(piece);
    else this.#file.text(piece);
  }

  takesNumbers(): boolean {
    return this.#file?.takesNumbers === true;
  }

  numbers(numbers: Uint16Array, chars: number): void {
    this.#exchange.intake.passedOn(chars);
    this.#file!.numbers(numbers);
  }

  close(): void {
    if (this.#current < 0) return;
    if (this.#file === undefined) this.#given[this.#current] = this.#scalar(this.#text.take());
    else if (this.#kind === 'string') this.#file.end();
    this.#current = -1;
  }

  nested(name: string, at: number): NestedText | undefined {
    const index = this.#indexOf(name);
    const element = this.#elements[index];
    if (element === undefined || this.#isGiven(index) || !mayBeNested(element)) return undefined;
    this.#accept(index);
    const text = new TextCollector();
    return {
      text: (piece) => text.add(piece),
      close: () => {
        this.#given[index] = parseNested(text.take(), at);
      },
    };
  }

  #indexOf(name: string): number {
    if (name === this.#lastName) return this.#lastIndex;
    this.#lastName = name;
    const { indexByProperty, indexByLowerProperty } = this.#operation;
    const exact = indexByProperty.get(name);
    this.#isExact = exact !== undefined;
    this.#lastIndex = exact ?? indexByLowerProperty.get(name.toLowerCase()) ?? -1;
    if (this.#lastIndex < 0) this.ignored.add(name);
    return this.#lastIndex;
  }

  /** Whether a parameter has its value, which the present name does not replace. */
  #isGiven(index: number): boolean {
    if (this.#isExact && this.#misspelled.has(index)) return false;
    return (
      (this.#given[index] ?? undefined) !== undefined ||
      this.#failures.has(this.#elements[index]!.property)
    );
  }

  /** The present name gives a parameter its value. */
  #accept(index: number): void {
    if (!this.#isExact) this.#misspelled.add(index);
    else if (this.#misspelled.delete(index)) this.#failures.delete(this.#elements[index]!.property);
  }

  #refuse(index: number, reason: string): void {
    const { property } = this.#elements[index]!;
    this.#failures.set(property, new ValueError(property, reason));
  }

  #scalar(text: string): unknown {
    if (this.#kind === 'number') return new JsonNumber(text);
    return this.#kind === 'boolean' ? text === 'true' : text;
  }
}

const isNested = (kind: JsonKind): boolean => kind === 'object' || kind === 'array';

/** Whether an element is a list or an object in JSON, or may be one. */
function mayBeNested(element: ElementPlan): boolean {
  const { plan, streams } = element;
  if (streams) return false;
  return (
    !isScalar(element) ||
    plan.kind !== 'simple' ||
    plan.json === 'list' ||
    plan.bytes !== undefined ||
    plan.scalar === 'hexBinary'
  );
}
