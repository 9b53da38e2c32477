import { ProtocolError } from '../../engine/errors.ts';
import type { Exchange, ReadCall } from '../../engine/exchange.ts';
import { bodyBudget, readBody } from '../../message/body.ts';
import { type ContentType, parseContentType } from '../../message/http.ts';
import { PartReader } from '../../message/multipart.ts';
import { createXmlReader, type XmlReader } from '../../xml/reader.ts';
import { EnvelopeHandler } from '../soap/envelope.ts';
import { unreadableEnvelope } from '../soap/read.ts';
import { routeByAction } from '../soap/route.ts';
import { SOAP11, SOAP12 } from '../soap/version.ts';
import { Attachments, type PartContent } from './attachments.ts';
import { type MessagePart, messagePart } from './message-part.ts';
import { XopHandler } from './xop.ts';

const XOP_TYPE = 'application/xop+xml';

/**
 * Reads a SOAP request of either version that is one part of a multipart message, with files in parts of their own
 * (MTOM, XOP 1.0), as WCF, CXF and gSOAP send it. Nothing is held: the parts' bytes go on to the parameters' sinks as
 * they arrive, in whatever order the parts come.
 * @throws {ServiceError}
 */
export async function read(exchange: Exchange): Promise<ReadCall> {
  const { parameters } = exchange.contentType;
  exchange.protocol = mediaTypeOf(exchange.contentType, undefined) === SOAP12.mediaType ? 'soap12' : 'soap11';
  const message = new Message(exchange);
  // The envelope says which operation it is; until then SOAPAction may.
  const budget = bodyBudget(exchange.service, message.expectedOperation());
  message.onOperation = (operation) => budget.settle(operation);
  try {
    const parts = new PartReader(parameters.get('boundary'), exchange.service.limits);
    await readBody(exchange, budget, async (chunk) => {
      for (const event of parts.push(chunk)) {
        if (event.kind === 'begin') message.begin(messagePart(event.headers));
        else if (event.kind === 'bytes') await message.write(event.bytes);
        else await message.end();
      }
    });
    parts.end();
    return await message.finish();
  } catch (error) {
    throw unreadableEnvelope(error);
  } finally {
    message.tell();
  }
}

/** A message being read: one envelope, and the parts beside it. */
class Message {
  onOperation: ConstructorParameters<typeof EnvelopeHandler>[2] = () => {};
  readonly #exchange: Exchange;
  /** What the envelope's handler takes for the request: one of the envelope alone. */
  #inner: Exchange;
  readonly #attachments: Attachments;
  readonly #rootId: string | undefined;
  #envelope: EnvelopeHandler | undefined;
  #reader: XmlReader | undefined;
  #complete = false;
  #content: PartContent | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#inner = exchange;
    this.#attachments = new Attachments(exchange);
    this.#rootId = exchange.contentType.parameters.get('start')?.replace(/^</, '').replace(/>$/, '');
  }

  /** The operation that SOAPAction names. @throws {ProtocolError} when it names none. */
  expectedOperation() {
    this.#inner = { ...this.#exchange, contentType: envelopeType(this.#exchange.contentType, undefined) };
    const { operation } = routeByAction(this.#inner);
    this.#exchange.operation = operation;
    return operation;
  }

  /** A part begins: the envelope is the one that `start` names, or else the first (RFC 2387, 3.2). */
  begin(part: MessagePart): void {
    this.#attachments.note(part);
    const isRoot = this.#reader === undefined && (this.#rootId === undefined || part.contentId === this.#rootId);
    this.#content = isRoot ? this.#openEnvelope(part) : this.#attachments.openPart(part, this.#reader === undefined);
  }

  write(bytes: Uint8Array): void | Promise<void> {
    return this.#content!.write(bytes);
  }

  end(): void | Promise<void> {
    return this.#content!.end();
  }

  /** @throws {ServiceError} */
  async finish(): Promise<ReadCall> {
    if (this.#envelope === undefined || !this.#complete) {
      throw new ProtocolError('MalformedRequest', 'The message has no part with the envelope.', { status: 400 });
    }
    const { operation, values } = await this.#envelope.finish();
    return { operation, values: await this.#attachments.finish(values) };
  }

  /** Tells the exchange what was understood, also when the reading failed. */
  tell(): void {
    this.#exchange.protocol = this.#inner.protocol;
    this.#exchange.operation = this.#inner.operation;
  }

  #openEnvelope({ contentType, transferEncoding }: MessagePart): PartContent {
    if (transferEncoding === 'base64' || transferEncoding === 'quoted-printable') {
      throw new ProtocolError('MalformedRequest', 'The envelope must be sent as binary, 8bit or 7bit.', {
        status: 400,
      });
    }
    const { service, contentType: outer } = this.#exchange;
    const type = envelopeType(outer, contentType);
    // The handler makes its sinks here, so that a file's bytes may come from another part.
    this.#inner = { ...this.#exchange, contentType: type, createSink: () => xop.createSink() };
    const envelope = new EnvelopeHandler(this.#inner, routeByAction(this.#inner), (operation) =>
      this.onOperation(operation),
    );
    const xop = new XopHandler(envelope, this.#attachments);
    const reader = createXmlReader(xop, { limits: service.limits, charset: type.parameters.get('charset') });
    envelope.nextToken = () => reader.nextToken;
    reader.maxBytes = Math.max(service.limits.bodyBytes, service.limits.binaryBodyBytes);
    this.#envelope = envelope;
    this.#reader = reader;
    return {
      write(bytes) {
        reader.push(bytes);
        return envelope.drained;
      },
      end: () => {
        reader.end();
        this.#complete = true;
        return envelope.drained;
      },
    };
  }
}

/** The content type that the envelope would have by itself. @throws {ProtocolError} UnsupportedMediaType */
function envelopeType(outer: ContentType, part: ContentType | undefined): ContentType {
  const base = mediaTypeOf(outer, part);
  if (base !== SOAP11.mediaType && base !== SOAP12.mediaType) {
    throw new ProtocolError(
      'UnsupportedMediaType',
      `The envelope is of the type "${base.slice(0, 100)}"; SOAP 1.1 is ${SOAP11.mediaType}, SOAP 1.2 is ${SOAP12.mediaType}.`,
      { status: 415 },
    );
  }
  const parameters = new Map<string, string>();
  const charset = part?.parameters.get('charset');
  const action = part?.parameters.get('action') ?? outer.parameters.get('action');
  if (charset !== undefined) parameters.set('charset', charset);
  if (action !== undefined) parameters.set('action', action);
  return { base, parameters };
}

/** Text for a `type` or `start-info` may have parameters of its own; WCF's names the action. */
function mediaTypeOf(outer: ContentType, part: ContentType | undefined): string {
  if (part !== undefined && part.base !== XOP_TYPE && part.base !== '') return part.base;
  const text = part?.parameters.get('type') ?? outer.parameters.get('start-info') ?? outer.parameters.get('type');
  const { base } = parseContentType(text);
  return base === '' || base === XOP_TYPE ? SOAP11.mediaType : base.trim();
}
