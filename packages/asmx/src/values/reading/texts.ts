import type { LexicalContext } from '../../lexical/index.ts';
import { contentIdOf } from '../../message/multipart.ts';
import type { XmlElement } from '../../xml/handler.ts';
import { LaterValues, placeText, RawText } from '../input.ts';
import type { ElementPlan, SimplePlan, TextPlan } from '../plan.ts';
import { prefixesOf } from '../prefixes.ts';
import { atPath, readText, ValueError } from '../value-reading.ts';
import { type Holder, pathWith, storeValue, type ValueTarget } from '../value-target.ts';
import type { ValueReading } from './frames.ts';

/**
 * How the texts of a message become values: texts of headers at once, and all texts where every
 * caller is let in; others when the call was let in. What does not match its type is kept among the
 * failures.
 */
export class TextReading {
  /** The first value of each parameter that did not match its type, by the parameter's property. */
  readonly failures = new Map<string, ValueError>();
  /** What is made in each parameter when the call was let in, by its property. */
  readonly later = new Map<string, LaterValues>();
  /** The property of the parameter that is being read; `''` for a header. */
  parameter = '';
  readonly #reading: ValueReading;
  readonly #context: LexicalContext;
  readonly #isOpen: boolean;

  constructor(reading: ValueReading) {
    this.#reading = reading;
    this.#context = reading.context;
    this.#isOpen = reading.isOpen;
  }

  /** A text with its place, where faults may say that. */
  raw({ text: of }: ElementPlan, text: string): RawText {
    return new RawText(text, of!.isPlaced ? this.#reading.position : undefined);
  }

  /**
   * Reads a text without prefixes into a member of an object, or an item of a list.
   * @param path that of the object or list.
   */
  readInto(
    holder: Holder,
    key: string | number,
    text: string,
    of: TextPlan,
    path: () => string,
  ): void {
    if (of.isVerbatim) holder[key] = text;
    else if (this.#isAtOnce) {
      try {
        holder[key] = this.#hasFailed ? undefined : readText(of, text, this.#context, 'bounds');
      } catch (error) {
        // It was there: of repeated ones the first wins.
        holder[key] = undefined;
        this.#refused(error, pathWith(path(), key));
      }
    } else {
      holder[key] = text;
      const position = of.isPlaced ? this.#reading.position : undefined;
      this.#laterValues().add(holder, key, of, position);
    }
  }

  /**
   * Reads a text.
   * @param namespaceOf what prefixes mean where it stands.
   * @param path that of its value.
   */
  read(
    to: ValueTarget,
    text: string,
    of: TextPlan,
    namespaceOf: XmlElement['namespaceOf'],
    path: () => string,
  ): void {
    if (of.isVerbatim) {
      storeValue(to, text);
      return;
    }
    if (of.isReference) {
      this.#refer(to, text, of, path);
      return;
    }
    if (!this.#isAtOnce) {
      storeValue(to, text);
      const position = of.isPlaced ? this.#reading.position : undefined;
      const named = of.hasNames ? { ...of, namespaceOf: prefixesOf(text, namespaceOf) } : of;
      this.#laterValues().add(to.holder as Holder, to.index ?? to.name, named, position);
      return;
    }
    const context = of.hasNames ? { ...this.#context, namespaceOf } : this.#context;
    try {
      storeValue(to, this.#hasFailed ? undefined : readText(of, text, context, 'bounds'));
    } catch (error) {
      storeValue(to, undefined);
      this.#refused(error, path());
    }
  }

  /** What takes the bytes of a value that came beside the message, after it was read. */
  bytes(to: ValueTarget, { checkBytes }: SimplePlan, path: string): (bytes: Uint8Array) => void {
    const { parameter } = this;
    return (bytes) => {
      storeValue(to, bytes);
      if (checkBytes === undefined || this.#context.passesFacets || this.failures.has(parameter))
        return;
      try {
        checkBytes(bytes);
      } catch (error) {
        const failure = atPath(error, path);
        if (!(failure instanceof ValueError)) throw failure;
        this.failures.set(parameter, failure);
      }
    };
  }

  /** Has the bytes stored to which a text refers (WS-I Attachments Profile 1.0, 4.4). */
  #refer(to: ValueTarget, text: string, { absent }: TextPlan, path: () => string): void {
    const url = text.trim();
    storeValue(to, absent);
    if (url === '') return;
    const id = contentIdOf(url);
    if (id === undefined)
      this.fail(path(), 'it must be the cid: URL of a part beside the message.');
    else if (this.#reading.refer?.(id, (bytes) => storeValue(to, bytes)) !== true)
      this.fail(path(), 'it refers to a part beside the message, which has none.');
  }

  /** Stores a value that takes work to make. */
  make(to: ValueTarget, make: () => unknown): void {
    const store = () => storeValue(to, make());
    if (this.#isAtOnce) store();
    else this.#laterValues().add(to.holder as Holder, to.index ?? to.name, store);
  }

  /** The value at a path does not match its type. */
  fail(path: string, reason: string): void {
    this.#failed(new ValueError(path, reason));
  }

  /** A header is converted at once: it may be what lets the call in. */
  get #isAtOnce(): boolean {
    return this.#isOpen || this.parameter === '';
  }

  /** Only the first failure counts, and another takes as long as to read a thousand values. */
  get #hasFailed(): boolean {
    return this.failures.size > 0 && this.failures.has(this.parameter);
  }

  /** A text was none of its type. */
  #refused(error: unknown, path: string): void {
    const failure = atPath(error, path, placeText(this.#reading.position));
    if (!(failure instanceof ValueError)) throw failure;
    this.#failed(failure);
  }

  #failed(error: ValueError): void {
    if (!this.failures.has(this.parameter)) this.failures.set(this.parameter, error);
  }

  /** Those of the present parameter. */
  #laterValues(): LaterValues {
    let values = this.later.get(this.parameter);
    if (values === undefined) {
      values = new LaterValues();
      this.later.set(this.parameter, values);
    }
    return values;
  }
}
