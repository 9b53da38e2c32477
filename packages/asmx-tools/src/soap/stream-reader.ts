import { Base64Decoder, Base64Error } from '@ws01/asmx/internal/message/base64';
import type { MessagePlan } from '@ws01/asmx/internal/values/message-plan';
import type { ElementPlan } from '@ws01/asmx/internal/values/plan';
import { XmlValueReader } from '@ws01/asmx/internal/values/read-xml';
import type { ValueReading } from '@ws01/asmx/internal/values/reading/frames';
import type { Content, ContentMode, XmlElement } from '@ws01/asmx/internal/xml/reader';
import { SoapCallError } from './errors.ts';

/** Where in an answer the items, or the bytes, are that are handed on as they come. */
export interface StreamPlan {
  /** Names of elements from the result down. */
  readonly path: readonly string[];
  /** An item; `undefined` where the last element of the path has bytes. */
  readonly item: ElementPlan | undefined;
  /** Whether other elements may stand beside the items. */
  readonly isMixed: boolean;
}

/**
 * What of an operation's answer can be handed on as it comes.
 * @throws {TypeError} for one that has neither list nor file.
 */
export function streamPlanOf(name: string, { result, encoded }: MessagePlan): StreamPlan {
  const path: string[] = [];
  for (let at = encoded ? undefined : result; at !== undefined; ) {
    if (at.repeated) {
      const item = { ...at, repeated: false };
      return { path, item, isMixed: true };
    }
    path.push(at.name);
    const { plan } = at;
    if (plan.kind === 'array' && plan.rank === 1) return { path, item: plan.item, isMixed: false };
    if (plan.kind === 'simple' && plan.bytes === 'inside')
      return { path, item: undefined, isMixed: false };
    at = plan.kind === 'object' && plan.elements.length === 1 ? plan.elements[0] : undefined;
  }
  throw new TypeError(`${name}: its answer is neither a list nor a file.`);
}

/** A text of any length: only one piece of it is held. */
const FILE_TEXT: Content = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };

/** Reads the elements of a result whose items, or bytes, are handed on. */
export class StreamReader {
  /** What was read and not handed on yet. */
  taken: unknown[] = [];
  readonly #plan: StreamPlan;
  readonly #values: XmlValueReader;
  /** Whether the open elements are of the path. */
  readonly #open: boolean[] = [];
  #level = 0;
  readonly #decoder = new Base64Decoder();
  /** Told that the bytes may come from a part beside the envelope. */
  readonly #opensFile: () => void;

  constructor(plan: StreamPlan, reading: ValueReading, opensFile: () => void) {
    this.#plan = plan;
    this.#values = new XmlValueReader(reading);
    this.#opensFile = opensFile;
  }

  get busy(): boolean {
    return this.#open.length > 0;
  }

  /**
   * Begins at an element whose content holds that of the path.
   * @param isOfPath whether it is the first of the path itself.
   */
  begin(element: XmlElement, isOfPath: boolean): ContentMode | Content {
    if (isOfPath) return this.open(element);
    this.#open.push(false);
    return 'elements';
  }

  open(element: XmlElement): ContentMode | Content {
    if (this.#values.busy) return this.#values.open(element);
    const { path, item, isMixed } = this.#plan;
    const isInside = this.#level === path.length;
    if (isInside && item !== undefined && (!isMixed || element.local === item.name)) {
      const to = {
        holder: (value: unknown) => {
          this.taken.push(value);
        },
        index: undefined,
        name: item.property,
      };
      return this.#values.beginElement(item, element, to, false);
    }
    const isOfPath = !isInside && element.local === path[this.#level];
    this.#open.push(isOfPath);
    if (!isOfPath) return 'skip';
    this.#level++;
    if (item !== undefined || this.#level < path.length) return 'elements';
    this.#opensFile();
    return FILE_TEXT;
  }

  text(piece: string): void {
    if (this.#values.busy) this.#values.text(piece);
    else if (this.#plan.item === undefined) this.#decode(() => this.#decoder.push(piece));
  }

  leaf(index: number, text: string): void {
    this.#values.leaf(index, text);
  }

  close(): void {
    if (this.#values.busy) {
      this.#values.close();
      const [wrong] = this.#values.failures.values();
      if (wrong !== undefined) throw wrong;
      return;
    }
    if (this.#open.pop() !== true) return;
    if (this.#plan.item === undefined && this.#level === this.#plan.path.length)
      this.#decode(() => this.#decoder.end());
    this.#level--;
  }

  include(): ((bytes: Uint8Array) => void) | undefined {
    return this.#values.busy ? this.#values.include() : undefined;
  }

  #decode(step: () => Uint8Array): void {
    try {
      const bytes = step();
      if (bytes.length > 0) this.taken.push(bytes);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      throw new SoapCallError('value', `The file of the answer is no base64. ${error.message}`);
    }
  }
}
