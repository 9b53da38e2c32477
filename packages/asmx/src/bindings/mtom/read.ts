import { ProtocolError } from '../../contract/errors.ts';
import { BodyBudget, readBody } from '../../exchange/body.ts';
import { type Call, failedCall, type PartialCall } from '../../exchange/call.ts';
import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { MEDIA_TYPES, SOAP11, versionOfMediaType } from '../../exchange/soap-version.ts';
import { refuseUnreadCharset } from '../../message/charsets/unread.ts';
import { type ContentType, parseContentType } from '../../message/http.ts';
import { contentId, PartReader } from '../../message/multipart.ts';
import { createXmlReader, type XmlReader } from '../../xml/reader.ts';
import { EnvelopeHandler } from '../soap/envelope.ts';
import { asProtocolError } from '../soap/read.ts';
import { routeByAction } from '../soap/route.ts';
import { Attachments, type PartContent } from './attachments.ts';
import { type MessagePart, messagePart } from './message-part.ts';
import { XopHandler } from './xop.ts';

const XOP_TYPE = 'application/xop+xml';

/**
 * Reads a SOAP request of either version that is one part of a multipart message, with files in
 * parts of their own (MTOM, XOP 1.0), as WCF, CXF and gSOAP send it. The parts may come in any
 * order. Their bytes go to the sinks of the parameters as they arrive, and are not held.
 * @throws {FailedCall}
 */
export async function read(exchange: Exchange): Promise<Call> {
  const { service, request, contentType } = exchange;
  const version = versionOfMediaType(mediaTypeOf(contentType, undefined)) ?? SOAP11;
  let expected: PartialCall = { protocol: version.name, version, operation: undefined };
  let message: Message | undefined;
  try {
    // The envelope says which operation it is; until then SOAPAction may.
    const { operation } = routeByAction(service, request, envelopeType(contentType, undefined));
    expected = { ...expected, operation };
    const budget = new BodyBudget(service, operation);
    const reading = new Message(exchange, expected, budget);
    message = reading;
    const parts = new PartReader(contentType.parameters.get('boundary'), service.limits);
    await readBody(exchange, budget, async (chunk) => {
      for (const event of parts.push(chunk)) {
        if (event.kind === 'begin') reading.begin(messagePart(event.headers));
        else if (event.kind === 'bytes') await reading.write(event.bytes);
        else await reading.end();
      }
    });
    parts.end();
    return await reading.finish();
  } catch (error) {
    throw failedCall(message?.call ?? expected, asProtocolError(error));
  }
}

/** A message being read: an envelope and the parts beside it. */
class Message {
  readonly #exchange: Exchange;
  readonly #expected: PartialCall;
  readonly #budget: BodyBudget;
  readonly #attachments: Attachments;
  readonly #rootId: string | undefined;
  #envelope: EnvelopeHandler | undefined;
  #reader: XmlReader | undefined;
  /** What the envelope calls, once that is complete. */
  #operation: CompiledOperation | undefined;
  #content: PartContent | undefined;

  /**
   * @param expected the call according to the headers of the message.
   * @param budget told of the operation, when it is known.
   */
  constructor(exchange: Exchange, expected: PartialCall, budget: BodyBudget) {
    this.#exchange = exchange;
    this.#expected = expected;
    this.#budget = budget;
    this.#attachments = new Attachments(exchange);
    const start = exchange.contentType.parameters.get('start');
    this.#rootId = start === undefined ? undefined : contentId(start);
  }

  /** The part of the call that is known so far. */
  get call(): PartialCall {
    return this.#envelope?.call ?? this.#expected;
  }

  /**
   * A part begins: the envelope is the one that `start` names, or else the first (RFC 2387, 3.2).
   */
  begin(part: MessagePart): void {
    this.#attachments.note(part);
    const isRoot =
      this.#reader === undefined && (this.#rootId === undefined || part.contentId === this.#rootId);
    this.#content = isRoot
      ? this.#openEnvelope(part)
      : this.#attachments.openPart(part, this.#reader === undefined);
  }

  write(bytes: Uint8Array): void | Promise<void> {
    return this.#content!.write(bytes);
  }

  end(): void | Promise<void> {
    return this.#content!.end();
  }

  /** @throws {ServiceError} */
  async finish(): Promise<Call> {
    if (this.#envelope === undefined || this.#operation === undefined) {
      throw new ProtocolError('MalformedRequest', 'The message has no part with the envelope.', {
        status: 400,
      });
    }
    await this.#attachments.fill();
    for (const part of this.#attachments.unread) this.#envelope.ignore(part);
    return this.#envelope.finish(this.#operation);
  }

  #openEnvelope({ contentType, transferEncoding }: MessagePart): PartContent {
    if (transferEncoding === 'base64' || transferEncoding === 'quoted-printable') {
      throw new ProtocolError(
        'MalformedRequest',
        'The envelope must be sent as binary, 8bit or 7bit.',
        {
          status: 400,
        },
      );
    }
    const { service, request, contentType: outer } = this.#exchange;
    const type = envelopeType(outer, contentType);
    const envelope = new EnvelopeHandler(this.#exchange, {
      expected: this.#expected,
      route: routeByAction(service, request, type),
      mediaType: type.base,
      // A file's bytes may come from another part.
      createSink: () => xop.createSink(),
      refer: (contentId, take) => this.#attachments.include(contentId, take),
      budget: this.#budget,
    });
    const xop = new XopHandler(envelope, this.#attachments);
    refuseUnreadCharset(type.parameters.get('charset'));
    const reader = createXmlReader(xop, {
      limits: service.limits,
      charset: type.parameters.get('charset'),
    });
    envelope.reader = reader;
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
        this.#operation = envelope.complete();
        this.#attachments.expect(this.#operation.message.attachmentsIn, (parameter, value) =>
          envelope.attached(parameter, value),
        );
        return envelope.drained;
      },
    };
  }
}

/**
 * The content type of the envelope without the parts.
 * @throws {ProtocolError} `UnsupportedMediaType`
 */
function envelopeType(outer: ContentType, part: ContentType | undefined): ContentType {
  const base = mediaTypeOf(outer, part);
  if (versionOfMediaType(base) === undefined) {
    const message = `The envelope is of the type "${base.slice(0, 100)}"; ${MEDIA_TYPES}.`;
    throw new ProtocolError('UnsupportedMediaType', message, { status: 415 });
  }
  const parameters = new Map<string, string>();
  const charset = part?.parameters.get('charset');
  const action = part?.parameters.get('action') ?? outer.parameters.get('action');
  if (charset !== undefined) parameters.set('charset', charset);
  if (action !== undefined) parameters.set('action', action);
  return { base, parameters };
}

/**
 * The media type of the envelope. `type` and `start-info` may have parameters of their own; WCF's
 * has the action.
 */
function mediaTypeOf(outer: ContentType, part: ContentType | undefined): string {
  if (part !== undefined && part.base !== XOP_TYPE && part.base !== '') return part.base;
  const text =
    part?.parameters.get('type') ??
    outer.parameters.get('start-info') ??
    outer.parameters.get('type');
  const { base } = parseContentType(text);
  return base === '' || base === XOP_TYPE ? SOAP11.mediaType : base.trim();
}
