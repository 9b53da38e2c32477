import { ProtocolError } from '@ws01/asmx/internal/contract/errors';
import type { Limits } from '@ws01/asmx/internal/contract/limits';
import { refuseUnreadCharset } from '@ws01/asmx/internal/message/charsets/unread';
import { parseContentType } from '@ws01/asmx/internal/message/http';
import { ReadError } from '@ws01/asmx/internal/message/read-error';
import type { MessagePlan } from '@ws01/asmx/internal/values/message-plan';
import { ValueError } from '@ws01/asmx/internal/values/value-reading';
import { createXmlReader, type XmlHandler, type XmlReader } from '@ws01/asmx/internal/xml/reader';
import { AnswerReader, type WholeAnswer } from './answer-reader.ts';
import { SoapCallError } from './errors.ts';
import { streamLimits } from './limits.ts';
import { AnswerParts, charsetOf, type EnvelopeReading } from './read-parts.ts';
import type { StreamPlan } from './stream-reader.ts';

export interface AnswerWish {
  readonly message: MessagePlan;
  readonly limits: Limits;
  readonly timeZone: string;
  /** What is handed on as it comes, and to whom; `undefined` for nothing. */
  readonly stream: { readonly plan: StreamPlan; take(part: unknown): unknown } | undefined;
  /** The connection ended before the answer did. @returns what is thrown. */
  readonly lost: (error: unknown) => unknown;
}

/** Of an answer that cannot be read, so much is shown. */
const SHOWN_CHARS = 200;

/**
 * Reads an answer as it comes.
 * @throws {SoapCallError} `answer`, `limit`, `value`; `status` where HTTP says that the call failed
 *   and there is no fault.
 * @throws what `take` and `lost` do.
 */
export async function readAnswer(response: Response, wish: AnswerWish): Promise<WholeAnswer> {
  const { message } = wish;
  const reading = new AnswerBytes(response.headers.get('content-type') ?? undefined, wish);
  try {
    for await (const chunk of piecesOf(response, wish.lost)) {
      reading.push(chunk);
      if (wish.stream !== undefined)
        for (const part of reading.handler.taken()) await wish.stream.take(part);
    }
    if (reading.isEmpty) {
      if (!response.ok) throw statusError(response, '');
      const isExpected = message.oneWay || message.response.elements.length === 0;
      if (!isExpected) throw new SoapCallError('answer', 'The answer is empty.');
      return NOTHING;
    }
    const answer = reading.end();
    // What came in parts behind the envelope.
    if (wish.stream !== undefined)
      for (const part of reading.handler.taken()) await wish.stream.take(part);
    return answer;
  } catch (error) {
    const told = asCallError(error);
    const isUnread = told instanceof SoapCallError && told.kind === 'answer';
    throw isUnread && !response.ok ? statusError(response, reading.beginning) : told;
  }
}

async function* piecesOf(
  { body }: Response,
  lost: AnswerWish['lost'],
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  let isDone = false;
  try {
    while (!isDone) {
      const read = await reader.read().catch((error: unknown) => {
        isDone = true;
        throw lost(error);
      });
      isDone = read.done;
      if (read.value !== undefined) yield read.value;
    }
  } finally {
    // A caller that stops reading it gives the connection up.
    if (!isDone) await reader.cancel();
  }
}

const NOTHING: WholeAnswer = {
  fault: undefined,
  result: undefined,
  soapHeaders: {},
  otherHeaders: [],
  ignored: [],
  attachments: [],
};

/** An answer of HTTP that says only its status. */
function statusError(response: Response, beginning: string): SoapCallError {
  const { status, statusText, headers } = response;
  const wait = Number(headers.get('retry-after') ?? 'none');
  const shown = beginning === '' ? '' : ` It begins: ${JSON.stringify(beginning)}`;
  return new SoapCallError('status', `The server answers ${status} ${statusText}.${shown}`, {
    status,
    ...(Number.isFinite(wait) ? { retryAfter: wait } : {}),
  });
}

/** What the readers throw, as errors of a call. */
function asCallError(error: unknown): unknown {
  if (error instanceof ValueError) {
    const message = `A value of the answer is none of its type. ${error.path}: ${error.reason}`;
    return new SoapCallError('value', message, { cause: error });
  }
  const isLimit = error instanceof ReadError && error.code === 'limit';
  if (isLimit || (error instanceof ProtocolError && error.code === 'TooLarge'))
    return new SoapCallError('limit', `The answer is too large. ${error.message}`, {
      cause: error,
    });
  if (error instanceof ReadError || error instanceof ProtocolError)
    return new SoapCallError('answer', `The answer cannot be read. ${error.message}`, {
      cause: error,
    });
  return error;
}

/** The bytes of one answer. */
class AnswerBytes {
  readonly handler: AnswerReader;
  /** How it begins, for errors. */
  beginning = '';
  readonly #parts: AnswerParts | undefined;
  readonly #limits: Limits;
  #reader: EnvelopeReading;
  #started = false;

  constructor(header: string | undefined, { message, limits, timeZone, stream }: AnswerWish) {
    this.#limits = stream === undefined ? limits : streamLimits(limits);
    const contentType = parseContentType(header);
    this.handler = new AnswerReader({
      message,
      limits: this.#limits,
      timeZone,
      stream: stream?.plan,
      opensFile: () => this.#parts?.opensFile(),
      refer: (id, take) => this.#parts?.refer(id, take) ?? false,
    });
    if (contentType.base.trim() === 'multipart/related') {
      const { handler } = this;
      const file = {
        write: (bytes: Uint8Array) => handler.take(bytes),
        finish: () => undefined,
        release: () => {},
      };
      this.#parts = new AnswerParts(contentType, this.#limits, handler, file, (xop, part) =>
        this.#xmlReader(xop, charsetOf(part)),
      );
      this.#reader = { push: (bytes) => this.#parts!.push(bytes), end: () => {} };
    } else this.#reader = this.#xmlReader(this.handler, contentType.parameters.get('charset'));
  }

  get isEmpty(): boolean {
    return !this.#started;
  }

  push(chunk: Uint8Array): void {
    if (this.beginning.length < SHOWN_CHARS)
      this.beginning += Buffer.from(chunk.subarray(0, SHOWN_CHARS)).toString();
    // Scripts of servers leave blank lines before the XML declaration, where XML allows none.
    const from = this.#started || this.#parts !== undefined ? 0 : firstOf(chunk);
    if (from === chunk.length) return;
    this.#started = true;
    this.#reader.push(from === 0 ? chunk : chunk.subarray(from));
  }

  end(): WholeAnswer {
    this.#reader.end();
    this.handler.complete();
    return this.handler.finish(this.#parts?.end() ?? []);
  }

  #xmlReader(handler: XmlHandler, charset: string | undefined): XmlReader {
    refuseUnreadCharset(charset);
    const reader = createXmlReader(handler, {
      limits: this.#limits,
      charset,
      endsAtNul: true,
      forgiving: { legacyCharset: undefined },
    });
    this.handler.reader = reader;
    return reader;
  }
}

/** Where the first byte is that is no blank. */
function firstOf(chunk: Uint8Array): number {
  const at = chunk.findIndex((byte) => byte > 0x20);
  return at < 0 ? chunk.length : at;
}
