import { AttachedSink } from '@ws01/asmx/internal/bindings/mtom/attachments';
import { type MessagePart, messagePart } from '@ws01/asmx/internal/bindings/mtom/message-part';
import { XopHandler } from '@ws01/asmx/internal/bindings/mtom/xop';
import type { BinarySink } from '@ws01/asmx/internal/contract/binary';
import type { Limits } from '@ws01/asmx/internal/contract/limits';
import { withSaidType } from '@ws01/asmx/internal/contract/media-type';
import { Base64Decoder } from '@ws01/asmx/internal/message/base64';
import { type ContentType, parseContentType } from '@ws01/asmx/internal/message/http';
import { contentId, PartReader } from '@ws01/asmx/internal/message/multipart';
import type { XmlHandler } from '@ws01/asmx/internal/xml/reader';
import { SoapCallError } from './errors.ts';
import type { Attachment } from './options.ts';

/** What reads the envelope among the parts. */
export interface EnvelopeReading {
  push(bytes: Uint8Array): void;
  end(): void;
}

/** An envelope's handler, whose values may be in parts. */
export type WithIncludes = Required<Pick<XmlHandler, 'leaf' | 'stray'>> &
  XmlHandler & { include(): ((bytes: Uint8Array) => void) | undefined };

interface Part {
  readonly id: string;
  readonly type: string;
  readonly pieces: Uint8Array[];
}

/**
 * Reads an answer of several parts (RFC 2387): the envelope, and beside it bytes that its values
 * refer to (XOP 1.0) or that stand for themselves (SOAP Messages with Attachments). What is held of
 * the parts is bounded by `binaryBodyBytes`.
 */
export class AnswerParts {
  readonly #reader: PartReader;
  readonly #limits: Limits;
  readonly #rootId: string | undefined;
  readonly #openEnvelope: (handler: XopHandler, part: MessagePart) => EnvelopeReading;
  readonly #xop: XopHandler;
  readonly #parts: Part[] = [];
  readonly #wanted = new Map<string, (bytes: Uint8Array) => void>();
  /** The sink of a file that is handed on as it comes, which may refer to a part. */
  readonly #file: AttachedSink;
  #envelope: EnvelopeReading | undefined;
  #open: EnvelopeReading | undefined;
  #held = 0;

  /** @param file takes the bytes of the file that is handed on as it comes. */
  constructor(
    contentType: ContentType,
    limits: Limits,
    handler: WithIncludes,
    file: BinarySink<unknown>,
    openEnvelope: (handler: XopHandler, part: MessagePart) => EnvelopeReading,
  ) {
    this.#limits = limits;
    this.#reader = new PartReader(contentType.parameters.get('boundary'), limits);
    const start = contentType.parameters.get('start');
    this.#rootId = start === undefined ? undefined : contentId(start);
    this.#openEnvelope = openEnvelope;
    this.#file = new AttachedSink(file);
    this.#xop = new XopHandler(handler, {
      openParameter: () => this.#file,
      refer: (sink, id) => {
        sink.contentId = id;
      },
      include: this.refer,
    });
  }

  /** Has the bytes of a part taken at the end. */
  readonly refer = (id: string, take: (bytes: Uint8Array) => void): true => {
    this.#wanted.set(id, take);
    return true;
  };

  /** The file that is handed on begins in the envelope. */
  opensFile(): void {
    this.#xop.createSink();
  }

  /** @throws {ReadError} @throws what the reader of the envelope throws. */
  push(chunk: Uint8Array): void {
    for (const event of this.#reader.push(chunk)) {
      if (event.kind === 'begin') this.#begin(messagePart(event.headers));
      else if (event.kind === 'bytes') this.#open?.push(event.bytes);
      else this.#open?.end();
    }
  }

  /** After the last part. @returns the parts that no value refers to. @throws {SoapCallError} */
  end(): readonly Attachment[] {
    this.#reader.end();
    if (this.#envelope === undefined)
      throw new SoapCallError('answer', 'The answer has no part with the envelope.');
    const left: Attachment[] = [];
    for (const { id, type, pieces } of this.#parts) {
      const bytes = withSaidType(new Uint8Array(Buffer.concat(pieces)), type);
      const take = this.#wanted.get(id);
      this.#wanted.delete(id);
      if (take !== undefined) take(bytes);
      else if (this.#file.contentId === id && !this.#file.arrived) this.#take(bytes);
      else left.push({ id, type, bytes });
    }
    const [missing] = [
      ...this.#wanted.keys(),
      ...(this.#file.contentId === undefined || this.#file.arrived ? [] : [this.#file.contentId]),
    ];
    if (missing !== undefined)
      throw new SoapCallError('answer', `The answer has no part <${missing.slice(0, 100)}>.`);
    return left;
  }

  #take(bytes: Uint8Array): void {
    this.#file.arrived = true;
    this.#file.write(bytes);
  }

  #begin(part: MessagePart): void {
    const { contentId = '', contentType, transferEncoding } = part;
    const isRoot =
      this.#envelope === undefined && (this.#rootId === undefined || contentId === this.#rootId);
    if (isRoot) {
      this.#envelope = this.#openEnvelope(this.#xop, part);
      this.#open = decoded(this.#envelope, transferEncoding);
      return;
    }
    if (contentId !== '' && this.#file.contentId === contentId && !this.#file.arrived) {
      this.#open = decoded({ push: (bytes) => this.#take(bytes), end: () => {} }, transferEncoding);
      this.#file.arrived = true;
      return;
    }
    const pieces: Uint8Array[] = [];
    this.#parts.push({ id: contentId, type: contentType.base, pieces });
    const hold = (bytes: Uint8Array) => {
      this.#held += bytes.length;
      const { binaryBodyBytes } = this.#limits;
      if (this.#held > binaryBodyBytes) {
        const message = `The files of the answer are over the limit binaryBodyBytes of ${binaryBodyBytes} bytes.`;
        throw new SoapCallError('limit', message);
      }
      pieces.push(Buffer.from(bytes));
    };
    this.#open = decoded({ push: hold, end: () => {} }, transferEncoding);
  }
}

/** Decodes the transfer encoding of a part (RFC 2045, 6). */
function decoded(to: EnvelopeReading, encoding: string): EnvelopeReading {
  if (encoding !== 'base64') return to;
  const decoder = new Base64Decoder();
  return {
    push: (bytes) => to.push(decoder.push(Buffer.from(bytes).toString('latin1'))),
    end: () => {
      to.push(decoder.end());
      to.end();
    },
  };
}

/** The charset of the envelope in a message of several parts. */
export function charsetOf({ contentType }: MessagePart): string | undefined {
  return (
    contentType.parameters.get('charset') ??
    parseContentType(contentType.parameters.get('type')).parameters.get('charset')
  );
}
