import type { BinarySink } from '../../contract/binary.ts';
import type { CompiledOperation } from '../../contract/compiled.ts';
import { PlacedText } from '../../engine/call.ts';
import { ProtocolError } from '../../engine/errors.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { UnreadableValue } from '../../engine/unreadable-value.ts';
import { Base64Decoder, Base64Error } from '../../message/base64.ts';
import { FileWriter } from '../../message/files/file-writer.ts';
import { TextCollector } from '../../message/text-collector.ts';
import { isNil } from '../../values/xsi.ts';
import type { Content, ContentMode, XmlElement } from '../../xml/handler.ts';
import type { XmlReader } from '../../xml/reader.ts';

/** The text of a file is never stored, so only the size of the body limits it. */
const FILE_CONTENT: Content = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };

/** Tells where the token behind the tag just reported is. */
export type NextToken = Pick<XmlReader, 'nextToken'>;

/**
 * Reads the parameters of an operation without a message plan, one element each (wire 5). A value is a text or, for a
 * file, what its sink made of it. Values are stored by the position of their parameter, so that no name from a request
 * becomes a key.
 */
export class ParameterReader {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #createSink: () => BinarySink<unknown>;
  readonly #reader: NextToken;
  readonly #values: unknown[];
  readonly #given: boolean[];
  /** Position of the parameter being read; -1 outside one. */
  #current = -1;
  readonly #text = new TextCollector();
  #reading: 'text' | 'value' | 'file' = 'text';
  /** Of the file being read; `undefined` once its text was no base64. */
  #decoder: Base64Decoder | undefined;
  #file: FileWriter | undefined;
  /** The files that were read to their end, by position. */
  readonly #files = new Map<number, FileWriter>();

  constructor(
    exchange: Exchange,
    operation: CompiledOperation,
    createSink: () => BinarySink<unknown>,
    reader: NextToken,
  ) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#createSink = createSink;
    this.#reader = reader;
    const { length } = operation.operation.parameters;
    this.#values = new Array(length).fill(undefined);
    this.#given = new Array(length).fill(false);
  }

  /** Whether the value of a parameter is being read. */
  get busy(): boolean {
    return this.#current >= 0;
  }

  /** Resolves when the sink of the file has accepted the data; `undefined` when it already has. */
  get drained(): Promise<void> | undefined {
    return this.#file?.steps.done;
  }

  textAt(index: number): string | undefined {
    const value = this.#values[index];
    return typeof value === 'string' ? value : undefined;
  }

  /** An element of the operation. @throws {ProtocolError} for one inside a value. */
  open(element: XmlElement): ContentMode | Content {
    if (this.busy) throw elementInValue(element, this.#operation.operation.parameters[this.#current]!.name);
    if (element.uri !== this.#exchange.service.namespace) return 'skip';
    const index = this.#operation.indexByName.get(element.local);
    // Unknown ones are ignored, of repeated ones the first wins.
    if (index === undefined || this.#given[index]) return 'skip';
    this.#given[index] = true;
    if (isNil(element)) return 'skip';
    this.#current = index;
    const { type } = this.#operation.operation.parameters[index]!;
    this.#reading = type === 'base64Binary' ? 'file' : type === 'string' ? 'text' : 'value';
    if (this.#reading !== 'file') return 'text';
    this.#file = new FileWriter(this.#exchange, element.local, this.#createSink());
    this.#decoder = new Base64Decoder();
    return FILE_CONTENT;
  }

  text(piece: string): void {
    if (this.#reading === 'file') {
      this.#exchange.intake.passedOn(piece.length);
      this.#decodeFile((decoder) => decoder.push(piece));
    } else this.#text.add(piece);
  }

  /** The end of the parameter that is being read. */
  close(): void {
    const index = this.#current;
    if (this.#reading === 'text') this.#values[index] = this.#text.take();
    else if (this.#reading === 'value') this.#values[index] = this.#placedText();
    else this.#closeFile(index);
    this.#current = -1;
  }

  /** @returns the values, each at the position of its parameter; `undefined` where there was none. */
  async finish(): Promise<unknown[]> {
    for (const [index, file] of this.#files) this.#values[index] = await file.finish();
    return this.#values;
  }

  /**
   * Adds the place of the value, which is known only here. ASP.NET's fault names it if the value cannot be converted.
   */
  #placedText(): PlacedText {
    const { line, column } = this.#reader.nextToken;
    return new PlacedText(this.#text.take(), () => ` (${line}, ${column})`);
  }

  #closeFile(index: number): void {
    this.#decodeFile((decoder) => decoder.end());
    if (this.#decoder !== undefined) this.#files.set(index, this.#file!);
  }

  /** Invalid base64 is an error of this parameter, reported in order; the rest of its text is skipped. */
  #decodeFile(step: (decoder: Base64Decoder) => Uint8Array): void {
    if (this.#decoder === undefined) return;
    try {
      const bytes = step(this.#decoder);
      this.#file!.count(bytes.length);
      this.#file!.write(bytes);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      this.#decoder = undefined;
      this.#values[this.#current] = new UnreadableValue(`it is not base64. ${error.message}`);
    }
  }
}

function elementInValue(element: XmlElement, parameter: string): ProtocolError {
  return new ProtocolError(
    'MalformedRequest',
    `The value of ${parameter} holds the element <${element.local}>; write markup as &lt;${element.local}&gt; or in CDATA.`,
    { status: 400 },
    { parameter },
  );
}
