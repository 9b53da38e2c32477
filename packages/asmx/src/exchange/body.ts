import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ProtocolError } from '../contract/errors.ts';
import { contentCodingOf } from '../message/compression.ts';
import { header } from '../message/http.ts';
import type { CompiledOperation, CompiledService } from './compiled.ts';
import type { Exchange } from './exchange.ts';
import type { Arrival } from './intake/arrivals.ts';

/**
 * How many bytes a body may have. That depends on the operation, which may become known only while
 * the body is read: the image bound if it carries a file; `bodyBytes` for all others, and while the
 * operation is unknown (semantics 2).
 */
export class BodyBudget {
  /** The bound in force; bytes, on the wire and after decompression alike. */
  bytes: number;
  /** The bound for a declared Content-Length, before the operation is known. */
  declaredBytes: number;
  readonly #most: number;
  readonly #usual: number;

  constructor({ limits }: CompiledService, operation: CompiledOperation | undefined) {
    const { bodyBytes, binaryBodyBytes } = limits;
    this.#usual = bodyBytes;
    this.#most = Math.max(binaryBodyBytes, bodyBytes);
    this.bytes = bodyBytes;
    this.declaredBytes = this.#most;
    if (operation !== undefined) this.settle(operation);
  }

  /** The operation is known now. */
  settle({ hasBinary }: CompiledOperation): void {
    this.bytes = hasBinary ? this.#most : this.#usual;
    this.declaredBytes = this.bytes;
  }
}

/**
 * The whole body of a request, where it is small, of a declared length and not compressed.
 * @returns `undefined` where it is to be read piece by piece; also when it is over `bodyBytes`,
 *   which {@link readBody} then tells.
 */
export function wholeBody(exchange: Exchange): Uint8Array | Promise<Uint8Array> | undefined {
  const { request, service } = exchange;
  if (request.body.whole === undefined || contentCodingOf(request) !== undefined) return undefined;
  return Number(header(request, 'content-length') ?? 0) > service.limits.bodyBytes
    ? undefined
    : (request.body.bytes ?? takeWhole(exchange));
}

/** Takes a piece of the body; what it returns is waited for before the next piece is read. */
type TakeChunk = (chunk: Uint8Array) => Promise<unknown> | undefined;

/**
 * Reads a body to its end, decompressing gzip and deflate, never beyond the budget, nor beyond what
 * {@link Intake} allows.
 * @throws {ProtocolError} TooLarge over the budget, MalformedRequest for a broken body,
 *   UnsupportedMediaType for an unknown Content-Encoding; Busy; what refuses the credential; and
 *   whatever `take` throws.
 */
export async function readBody(
  exchange: Exchange,
  budget: BodyBudget,
  take: TakeChunk,
): Promise<void> {
  const { request } = exchange;
  const declared = Number(header(request, 'content-length') ?? 0);
  if (declared > budget.declaredBytes) throw tooLarge(budget.declaredBytes);
  const coding = contentCodingOf(request);
  if (coding !== undefined) return readCompressed(exchange, coding, budget, take);
  // The budget may grow while the piece that names the operation is taken, so each piece is counted
  // after it.
  let total = 0;
  const count = (chunk: Uint8Array) => {
    total += chunk.length;
    if (total > budget.bytes) throw tooLarge(budget.bytes);
  };
  if (request.body.whole !== undefined) {
    const chunk = await takeWhole(exchange);
    await take(chunk);
    count(chunk);
    return;
  }
  const { intake } = exchange;
  for await (const chunk of arriving(exchange)) {
    intake.arrival?.hold(chunk.length);
    await take(chunk);
    count(chunk);
    await intake.bodyRead(total, false);
  }
}

/**
 * Bytes go through the inflater in bounded steps; both sides of it are counted as they come, so a
 * bomb stops when it has grown by more than any text does, and at the budget at the latest. A small
 * body waits until all of it has come, so a body that never ends holds only what was sent.
 */
async function readCompressed(
  exchange: Exchange,
  encoding: string,
  budget: BodyBudget,
  take: TakeChunk,
): Promise<void> {
  const { intake, service, request } = exchange;
  const { inflationAllowance, inflationRatio } = service.limits;
  let arrived = 0;
  const encoded = counted(
    request.body.whole === undefined ? arriving(exchange) : whole(exchange),
    (total) => {
      arrived = total;
      if (total > budget.bytes) throw tooLarge(budget.bytes);
    },
  );
  const first = await encoded.next();
  if (first.done)
    throw new ProtocolError('MalformedRequest', `The ${encoding} body is empty.`, { status: 400 });
  const inflater = createInflater(encoding, first.value[0]!);
  intake.arrival?.hold(INFLATER_BYTES);
  const source = async function* () {
    yield first.value;
    yield* encoded;
  };
  let inflated = 0;
  const check = (total: number) => {
    inflated = total;
    if (total > budget.bytes) throw tooLarge(budget.bytes);
    if (total > inflationAllowance + arrived * inflationRatio)
      throw inflatesTooMuch(encoding, inflationRatio);
  };
  try {
    await pipeline(source, inflater, async (decoded: AsyncIterable<Uint8Array>) => {
      for await (const chunk of counted(decoded, check)) {
        intake.arrival?.hold(chunk.length);
        await take(chunk);
        await intake.bodyRead(inflated, true);
      }
    });
    intake.arrival?.release(INFLATER_BYTES);
  } catch (error) {
    if (!isZlibError(error)) throw error;
    const message = `The body is not valid ${encoding}: ${error.message}.`;
    throw new ProtocolError('MalformedRequest', message, { status: 400 }, { cause: error });
  }
}

/**
 * What an inflater takes: its window and state (RFC 1951: 32 KiB), and the two buffers of its
 * stream.
 */
const INFLATER_BYTES = 96 * 1024;

/** The body in one piece. What the client has sent of it so far is held. */
async function takeWhole(exchange: Exchange): Promise<Uint8Array> {
  const { body } = exchange.request;
  const arrival = beginArrival(exchange);
  const bytes = await body.whole!((chunk) => {
    arrival?.came(chunk);
    arrival?.hold(chunk);
    arrival?.waits();
  });
  arrival?.complete();
  arrival?.release(bytes.length);
  return bytes;
}

async function* whole(exchange: Exchange): AsyncGenerator<Uint8Array> {
  yield await takeWhole(exchange);
}

/** The body piece by piece, with the time that the client takes for each. */
async function* arriving(exchange: Exchange): AsyncGenerator<Uint8Array> {
  const arrival = beginArrival(exchange);
  const { body } = exchange.request;
  for await (const chunk of body) {
    arrival?.came(chunk.length, body.chunks);
    arrival?.carry(chunk.length);
    yield chunk;
    arrival?.waits();
  }
  arrival?.carry(0);
  arrival?.complete();
}

/** @returns `undefined` for a body that is already there. */
function beginArrival({ intake, held, request: { body }, service }: Exchange): Arrival | undefined {
  if (body.stop === undefined) return undefined;
  intake.arrival = service.arrivals.begin((error) => {
    body.stop?.(error);
    held.abandon();
  });
  intake.arrival.waits();
  return intake.arrival;
}

/** @param check gets the total before each piece is handed on; throws when that is too much. */
async function* counted(source: AsyncIterable<Uint8Array>, check: (total: number) => void) {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    check(total);
    if (chunk.length > 0) yield chunk;
  }
}

/**
 * `deflate` is sent both with and without the zlib wrapper; its first byte tells (RFC 1950 2.2,
 * RFC 9110 8.4.1.2).
 */
function createInflater(encoding: string, firstByte: number) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate')
    return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw();
  const message = `The Content-Encoding "${encoding.slice(0, 40)}" is not supported; send gzip, deflate or none.`;
  throw new ProtocolError('UnsupportedMediaType', message, { status: 415 });
}

function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('Z_')
  );
}

function inflatesTooMuch(encoding: string, ratio: number): ProtocolError {
  const message = `The ${encoding} body inflates to more than the limit inflationRatio of ${ratio} times its size; send it as it is.`;
  return new ProtocolError('TooLarge', message, {
    faultstring: `Maximum request length exceeded. ${message}`,
  });
}

function tooLarge(bytes: number): ProtocolError {
  return new ProtocolError('TooLarge', `The request body is over the limit of ${bytes} bytes.`, {
    faultstring: `Maximum request length exceeded. The request body is over the limit of ${bytes} bytes.`,
  });
}
