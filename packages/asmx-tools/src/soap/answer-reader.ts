import { takeExpected } from '@ws01/asmx/internal/bindings/mtom/message-part';
import type { Limits } from '@ws01/asmx/internal/contract/limits';
import {
  isForUs,
  SOAP11,
  SOAP12,
  type SoapVersion,
  versionOfEnvelope,
} from '@ws01/asmx/internal/exchange/soap-version';
import type { LexicalContext } from '@ws01/asmx/internal/lexical/lexical-context';
import { ElementTree } from '@ws01/asmx/internal/values/element-tree';
import { ElementInput } from '@ws01/asmx/internal/values/input';
import { bodyOf, type MessagePlan } from '@ws01/asmx/internal/values/message-plan';
import { XmlValueReader } from '@ws01/asmx/internal/values/read-xml';
import type { FileText, ValueReading } from '@ws01/asmx/internal/values/reading/frames';
import { XmlCapture } from '@ws01/asmx/internal/values/xml-capture';
import type { XmlPosition } from '@ws01/asmx/internal/xml/errors';
import type {
  Content,
  ContentMode,
  XmlElement,
  XmlHandler,
  XmlReader,
} from '@ws01/asmx/internal/xml/reader';
import { SoapCallError } from './errors.ts';
import { FaultReader, type ReadFault } from './fault-reader.ts';
import type { Attachment } from './options.ts';
import { type StreamPlan, StreamReader } from './stream-reader.ts';

export interface AnswerReading {
  readonly message: MessagePlan;
  readonly limits: Limits;
  readonly timeZone: string;
  /** What is handed on as it comes; `undefined` for nothing. */
  readonly stream: StreamPlan | undefined;
  /** Told that the file which is handed on may be in a part beside the envelope. */
  readonly opensFile: () => void;
  readonly refer: NonNullable<ValueReading['refer']>;
}

/** An answer as it was read. */
export interface ReadAnswer {
  readonly fault: ReadFault | undefined;
  /** The result; with out parameters `{ value, out }`. */
  readonly result: unknown;
  readonly soapHeaders: Readonly<Record<string, unknown>>;
  readonly otherHeaders: readonly string[];
  readonly ignored: readonly string[];
}

/** An answer with the parts beside it that are none of its values. */
export interface WholeAnswer extends ReadAnswer {
  readonly attachments: readonly Attachment[];
}

/** Headers of what is spoken beside SOAP: who reads an answer need not understand them. */
const NOT_FOR_US = /addressing|wss-wssecurity|\/2006\/12\/wsdl|reliable|rm\b/i;

/** Interprets the envelope of an answer while it is read. */
export class AnswerReader implements XmlHandler, ValueReading {
  /** Set by its creator before it reads. */
  reader: Pick<XmlReader, 'nextToken'> = { nextToken: { line: 1, column: 1 } };
  readonly limits: Limits;
  readonly context: LexicalContext;
  readonly isOpen = true;
  readonly byLocalName = true;
  readonly #answer: AnswerReading;
  readonly #stream: StreamReader | undefined;
  readonly #values: XmlValueReader;
  readonly #headerValues: XmlValueReader;
  readonly #fault: FaultReader;
  readonly #tree = new ElementTree();
  /** What reads the headers that the tree keeps. */
  readonly #blocks: (() => void)[] = [];
  #header: XmlCapture | undefined;
  #nested: Pick<XmlHandler, 'open' | 'text' | 'close'> & {
    readonly busy: boolean;
    leaf?(index: number, text: string): void;
    stray?(): void;
  };
  #version: SoapVersion | undefined;
  #depth = 0;
  #place: 'envelope' | 'header' | 'body' = 'envelope';
  #bodySeen = false;
  #hasFault = false;
  /** An element of the body that is not called as the contract has it. */
  #foreign: string | undefined;
  #hasMessage = false;
  readonly #read: Record<string, unknown> = {};
  readonly #soapHeaders: Record<string, unknown> = {};
  readonly #otherHeaders: string[] = [];
  readonly #ignored: string[] = [];

  constructor(answer: AnswerReading) {
    this.#answer = answer;
    this.limits = answer.limits;
    this.context = {
      form: 'element',
      timeZone: answer.timeZone,
      now: Date.now,
      passesFacets: true,
    };
    this.#values = new XmlValueReader(this);
    this.#headerValues = new XmlValueReader(this);
    this.#fault = new FaultReader(answer.message.faults, this, this.#tree);
    this.#nested = this.#values;
    if (answer.stream !== undefined)
      this.#stream = new StreamReader(answer.stream, this, answer.opensFile);
  }

  get position(): XmlPosition {
    return this.reader.nextToken;
  }

  /** What was read of a list or a file since it was asked for last. */
  taken(): readonly unknown[] {
    if (this.#stream === undefined || this.#stream.taken.length === 0) return [];
    const { taken } = this.#stream;
    this.#stream.taken = [];
    return taken;
  }

  /** Bytes of the file that is handed on, from a part beside the envelope. */
  take(bytes: Uint8Array): void {
    this.#stream?.taken.push(bytes);
  }

  openFile(): FileText {
    throw new TypeError('An answer has no file parameters.');
  }

  ignore(path: string): void {
    if (this.#ignored.length < MOST_IGNORED && !this.#ignored.includes(path))
      this.#ignored.push(path);
  }

  refer(contentId: string, take: (bytes: Uint8Array) => void): boolean {
    return this.#answer.refer(contentId, take);
  }

  /** The open element refers to bytes beside the envelope. */
  include(): ((bytes: Uint8Array) => void) | undefined {
    const readers = [this.#values, this.#fault, this.#stream] as const;
    return readers.find((each) => each === this.#nested)?.include();
  }

  open(element: XmlElement): ContentMode | Content {
    const depth = this.#depth++;
    const isHeader = this.#place === 'header';
    if (this.#nested.busy) return content(this.#nested.open(element), isHeader);
    if (this.#header !== undefined) {
      this.#header.open(element);
      return content('text', true);
    }
    switch (depth) {
      case 0:
        return this.#openEnvelope(element);
      case 1:
        return this.#openPart(element);
      case 2:
        return isHeader ? content(this.#openHeader(element), true) : this.#openBodyChild(element);
      default:
        return 'skip';
    }
  }

  text(piece: string): void {
    if (this.#nested.busy) this.#nested.text(piece);
    else this.#header?.text(piece);
  }

  stray(): void {
    if (this.#nested.busy) this.#nested.stray?.();
  }

  leaf(index: number, text: string): void {
    this.#nested.leaf!(index, text);
  }

  close(): void {
    const depth = --this.#depth;
    if (this.#nested.busy) this.#nested.close();
    else if (this.#header !== undefined) {
      this.#header.close();
      if (this.#header.complete) {
        this.#otherHeaders.push(this.#header.content ?? '');
        this.#header = undefined;
      }
    } else if (depth === 1) this.#place = 'envelope';
  }

  /** At the end of the envelope, before its parts are looked at. */
  complete(): void {
    for (const readBlock of this.#blocks) readBlock();
    this.#fault.complete();
    const { response, bare, encoded } = this.#answer.message;
    if (this.#hasFault || !encoded) return;
    this.#tree.replay(this.#values, { request: response, bare }, this.#read, (path) =>
      this.ignore(path),
    );
  }

  /**
   * At the end of the answer.
   * @param parts the parts that no value refers to. @throws {SoapCallError} @throws {ValueError}
   */
  finish(parts: readonly Attachment[]): WholeAnswer {
    const expected = [...this.#answer.message.attachmentsOut];
    const attachments = parts.filter(({ id, bytes }) => {
      const element = takeExpected(id === '' ? undefined : id, expected);
      if (element !== undefined) this.#read[element.property] = bytes;
      return element === undefined;
    });
    return { ...this.#finish(), attachments };
  }

  #finish(): ReadAnswer {
    if (!this.#bodySeen) throw noAnswer('it has no soap:Body');
    const rest = {
      soapHeaders: this.#soapHeaders,
      otherHeaders: this.#otherHeaders,
      ignored: this.#ignored,
    };
    if (this.#hasFault) return { fault: this.#fault.finish(), result: undefined, ...rest };
    const { message, stream } = this.#answer;
    const { response, result, out, bare } = message;
    if (this.#foreign !== undefined && this.#ignored.length > 0)
      throw noAnswer(`it holds <${this.#foreign}>, and not ${message.output.name}`);
    if (!this.#hasMessage && bodyOf(response).length > 0 && !bare)
      throw noAnswer(`its body is empty, and not ${message.output.name}`);
    const [wrong] = this.#headerValues.failures.values();
    if (wrong !== undefined) throw wrong;
    const valueAt = (index: number) => this.#read[response.elements[index]!.property];
    const values = new ElementInput(response.elements, valueAt, {
      context: this.context,
      check: 'bounds',
      failures: this.#values.failures,
      later: this.#values.later,
    }).values();
    const value = result === undefined || stream !== undefined ? undefined : values[0];
    if (out.length === 0) return { fault: undefined, result: value, ...rest };
    const first = result === undefined ? 0 : 1;
    const outs = Object.fromEntries(out.map(({ property }, at) => [property, values[first + at]]));
    return {
      fault: undefined,
      result: { ...(result === undefined ? {} : { value }), out: outs },
      ...rest,
    };
  }

  #openEnvelope({ uri, local }: XmlElement): ContentMode {
    this.#version = versionOfEnvelope(uri);
    if (this.#version === undefined || local !== 'Envelope')
      throw noAnswer(`it is <${local.slice(0, 100)}>, and no envelope of SOAP`);
    return 'elements';
  }

  #openPart({ uri, local }: XmlElement): ContentMode {
    if (uri !== this.#version!.envelope || this.#bodySeen) return 'skip';
    if (local === 'Body') {
      this.#bodySeen = true;
      this.#place = 'body';
      return 'elements';
    }
    if (local !== 'Header') return 'skip';
    this.#place = 'header';
    return 'elements';
  }

  #openHeader(element: XmlElement): ContentMode | Content {
    const { uri, local } = element;
    const known = this.#answer.message.headersOut.find(
      ({ name, namespace }) => name === local && namespace === uri,
    );
    if (known === undefined) {
      if (isMandatory(element) && !NOT_FOR_US.test(uri))
        throw noAnswer(`its SOAP header ${local} must be understood, and the contract has none`);
      this.#header = new XmlCapture('drop');
      this.#header.open(element);
      return 'text';
    }
    const to = { holder: this.#soapHeaders, index: undefined, name: known.property };
    const reader = this.#headerValues;
    const read = (its: XmlElement) => reader.beginElement(known, its, to, false, known.encoded);
    if (known.encoded) {
      this.#nested = this.#tree;
      this.#blocks.push(this.#tree.beginBlock(element, reader, read));
      return 'text';
    }
    this.#nested = reader;
    return read(element);
  }

  #openBodyChild(element: XmlElement): ContentMode | Content {
    if (element.uri === this.#version!.envelope && element.local === 'Fault') {
      this.#hasFault = true;
      this.#nested = this.#fault;
      return this.#fault.open(element);
    }
    const { bare, encoded, output, response, oneWay } = this.#answer.message;
    if (this.#hasFault) {
      this.#nested = this.#fault;
      return this.#fault.beside(element);
    }
    if (oneWay) return 'skip';
    if (encoded) {
      this.#hasMessage = true;
      this.#nested = this.#tree;
      return this.#tree.begin(element);
    }
    const elements = bodyOf(response);
    const isNamed = (each: { readonly name: string }) => each.name === element.local;
    const expected = bare
      ? (elements.find((each) => isNamed(each) && each.namespace === element.uri) ??
        elements.find(isNamed))
      : undefined;
    if (expected === undefined && (this.#hasMessage || (bare && elements.length > 1)))
      return 'skip';
    this.#hasMessage = true;
    if (expected === undefined && !(isNamed(output) && !bare))
      this.#foreign ??= element.local.slice(0, 100);
    if (this.#stream !== undefined) {
      this.#nested = this.#stream;
      return this.#stream.begin(element, bare);
    }
    this.#nested = this.#values;
    if (!bare || elements.length === 0) return this.#values.begin(response, element, this.#read);
    const plan = expected ?? elements[0]!;
    if (Object.hasOwn(this.#read, plan.property)) return 'skip';
    const to = { holder: this.#read, index: undefined, name: plan.property };
    return this.#values.beginElement(plan, element, to, true);
  }
}

/** So many paths are kept. */
const MOST_IGNORED = 10;

function content(of: ContentMode | Content, header: boolean): ContentMode | Content {
  return header ? { ...(typeof of === 'string' ? { mode: of } : of), header } : of;
}

/** Whether the client must understand a header (SOAP 1.1, 4.2.3; SOAP 1.2 part 1, 5.2.3). */
function isMandatory({ attributes }: XmlElement): boolean {
  const says = attributes.some(
    ({ uri, local, value }) =>
      local === 'mustUnderstand' &&
      [SOAP11.envelope, SOAP12.envelope].includes(uri) &&
      ['1', 'true'].includes(value),
  );
  return says && isForUs(attributes);
}

function noAnswer(reason: string): SoapCallError {
  return new SoapCallError('answer', `The answer is none of this call: ${reason}.`);
}
