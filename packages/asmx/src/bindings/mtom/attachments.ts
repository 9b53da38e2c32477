import { type BinarySink, memorySink } from '../../contract/binary.ts';
import { type ErrorExtras, ProtocolError } from '../../contract/errors.ts';
import { withSaidType } from '../../contract/media-type.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ExchangeSink } from '../../exchange/files/exchange-sink.ts';
import type { Intake } from '../../exchange/intake/intake.ts';
import { Base64Decoder, Base64Error } from '../../message/base64.ts';
import type { ElementPlan } from '../../values/plan.ts';
import { type MessagePart, takeExpected } from './message-part.ts';

/**
 * The sink of a file parameter, whose bytes may be in a part of their own. It must be finished
 * after the whole message has been read.
 */
export class AttachedSink implements BinarySink<unknown> {
  /** The sink that receives the bytes: the service's, or the sink of an earlier part. */
  target: BinarySink<unknown>;
  /** The Content-ID of the part that has the bytes; `undefined` while they are in the envelope. */
  contentId: string | undefined;
  arrived = false;
  /** What the part that has them says they are. */
  type = '';

  constructor(target: BinarySink<unknown>) {
    this.target = target;
  }

  write(piece: Uint8Array): void | Promise<void> {
    return this.target.write(piece);
  }

  async finish(): Promise<unknown> {
    return withSaidType(await this.target.finish(), this.type);
  }

  abandon(): void {
    this.target.abandon?.();
  }

  release(): void | Promise<void> {
    return this.target.release();
  }
}

/** The sink for the bytes of a part. */
export interface PartContent {
  write(piece: Uint8Array): void | Promise<void>;
  end(): void | Promise<void>;
}

const SKIPPED: PartContent = { write: () => {}, end: () => {} };

/**
 * The parts of a message beside its envelope, each on its way to the parameter that refers to it
 * (XOP 1.0, 4).
 */
export class Attachments {
  readonly #exchange: Exchange;
  /**
   * What has its bytes in a part, by its Content-ID; there may be as many as values in an envelope.
   */
  readonly #referred = new Map<string, AttachedSink>();
  readonly #included: {
    readonly sink: AttachedSink;
    readonly take: (bytes: never) => void;
  }[] = [];
  /** The parameters that are parts themselves, and whose part has not come. */
  readonly #expected: ElementPlan[] = [];
  #takeParameter: (parameter: ElementPlan, value: unknown) => void = () => {};
  /**
   * The Content-IDs of the parts so far, including the envelope's. Parts that came before the
   * envelope have their sinks.
   */
  readonly #parts = new Map<string, AttachedSink | undefined>();
  /** The Content-IDs of the parts beside the envelope; `undefined` for one without. */
  readonly #beside: (string | undefined)[] = [];
  #earlyParts = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Starts a file parameter. */
  openParameter(): AttachedSink {
    return new AttachedSink(new ExchangeSink(this.#exchange));
  }

  /**
   * Called when a value inside a message refers to a part; the value is set when the message is
   * complete.
   */
  include(contentId: string, take: (bytes: Uint8Array) => void): true {
    const sink = new AttachedSink(memorySink());
    this.refer(sink, contentId);
    this.#included.push({ sink, take });
    return true;
  }

  /** The envelope is complete: these parameters come in parts of their own, or came before it. */
  expect(
    parameters: readonly ElementPlan[],
    take: (parameter: ElementPlan, value: unknown) => void,
  ): void {
    this.#expected.push(...parameters);
    this.#takeParameter = take;
    for (const [contentId, early] of this.#parts) {
      if (early === undefined || this.#referred.has(contentId)) continue;
      const sink = this.#claim(contentId);
      if (sink === undefined) continue;
      sink.target = early.target;
      sink.type = early.type;
      sink.arrived = true;
    }
  }

  /** The sink of the parameter that a part is. */
  #claim(contentId: string | undefined): AttachedSink | undefined {
    const parameter = takeExpected(contentId, this.#expected);
    if (parameter === undefined) return undefined;
    const sink = new AttachedSink(
      parameter.streams ? new ExchangeSink(this.#exchange) : memorySink(),
    );
    if (contentId !== undefined) this.#referTo(contentId, sink);
    this.#exchange.held.add(sink);
    const take = (value: unknown) => this.#takeParameter(parameter, value);
    this.#included.push({ sink, take });
    return sink;
  }

  /**
   * After the last part: sets the values inside others that refer to parts.
   * @throws {ProtocolError} when a part is missing.
   */
  async fill(): Promise<void> {
    this.#checkArrived();
    for (const { sink, take } of this.#included) take((await sink.finish()) as never);
  }

  /**
   * After the last part: the URLs of those that nothing refers to; `part` for one without a
   * Content-ID.
   */
  get unread(): readonly string[] {
    return this.#beside
      .filter((id) => id === undefined || !this.#referred.has(id))
      .map((id) => (id === undefined ? 'part' : `cid:${id}`));
  }

  /**
   * Called when the parameter refers to a part, which may have come already.
   * @throws {ProtocolError} for a second reference.
   */
  refer(sink: AttachedSink, contentId: string): void {
    if (sink.contentId !== undefined) throw malformed('A file refers to two parts.');
    if (this.#referred.has(contentId)) throw malformed('Two files refer to one part.');
    this.#referTo(contentId, sink);
    const early = this.#parts.get(contentId);
    if (early === undefined) return;
    sink.target = early.target;
    sink.type = early.type;
    sink.arrived = true;
  }

  #referTo(contentId: string, sink: AttachedSink): void {
    sink.contentId = contentId;
    this.#referred.set(contentId, sink);
  }

  /**
   * A part begins. Its Content-ID must be unique (RFC 2045, 7).
   * @throws {ProtocolError} when another one has it.
   */
  note({ contentId }: MessagePart): void {
    if (contentId === undefined) return;
    if (this.#parts.has(contentId))
      throw malformed(`Two parts have the Content-ID <${contentId.slice(0, 100)}>.`);
    this.#parts.set(contentId, undefined);
  }

  /**
   * A part begins that is not the envelope.
   * @param early whether the envelope is still to come.
   * @throws {ProtocolError}
   */
  openPart(part: MessagePart, early: boolean): PartContent {
    const { contentId, contentType } = part;
    if (early) this.#countEarly();
    const sink = early ? this.#openEarly(contentId) : this.#sinkOf(contentId);
    if (contentId !== undefined || sink === undefined) this.#beside.push(contentId);
    if (sink === undefined || sink.arrived) return SKIPPED;
    sink.arrived = true;
    sink.type = contentType.base;
    const { intake, service } = this.#exchange;
    return decoded(bounded(sink, service.limits.binaryBytes, intake), part.transferEncoding);
  }

  #checkArrived(): void {
    for (const [contentId, { arrived }] of this.#referred)
      if (!arrived) throw malformed(`The message has no part with the Content-ID <${contentId}>.`);
  }

  #sinkOf(contentId: string | undefined): AttachedSink | undefined {
    return this.#referred.get(contentId ?? '') ?? this.#claim(contentId);
  }

  #openEarly(contentId: string | undefined): AttachedSink | undefined {
    if (contentId === undefined) return undefined;
    const sink = new AttachedSink(new ExchangeSink(this.#exchange));
    this.#exchange.held.add(sink);
    this.#parts.set(contentId, sink);
    return sink;
  }

  #countEarly(): void {
    const { earlyParts } = this.#exchange.service.limits;
    if (++this.#earlyParts <= earlyParts) return;
    const message = `More parts come before the envelope than the limit earlyParts of ${earlyParts}.`;
    throw malformed(message, { limit: 'earlyParts' });
  }
}

function bounded(sink: AttachedSink, limit: number, intake: Intake): PartContent {
  let bytes = 0;
  return {
    write(piece) {
      bytes += piece.length;
      intake.passedOn(piece.length);
      if (bytes > limit)
        throw new ProtocolError(
          'TooLarge',
          `A file is over the limit binaryBytes of ${limit} bytes.`,
        );
      return sink.write(piece);
    },
    end: () => {},
  };
}

/** Decodes the transfer encoding of a part (RFC 2045, 6). @throws {ProtocolError} */
function decoded(content: PartContent, encoding: string): PartContent {
  if (encoding === 'binary' || encoding === '8bit' || encoding === '7bit') return content;
  if (encoding !== 'base64')
    throw malformed(`The Content-Transfer-Encoding "${encoding.slice(0, 40)}" is not known.`);
  const decoder = new Base64Decoder();
  const step = (take: () => Uint8Array) => {
    try {
      return content.write(take());
    } catch (error) {
      throw error instanceof Base64Error
        ? malformed(`A part is not base64. ${error.message}`)
        : error;
    }
  };
  return {
    write: (piece) => step(() => decoder.push(Buffer.from(piece).toString('latin1'))),
    end: () => step(() => decoder.end()),
  };
}

function malformed(message: string, parts?: ErrorExtras): ProtocolError {
  return new ProtocolError('MalformedRequest', message, { status: 400 }, parts);
}
