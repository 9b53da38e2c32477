import type { IncomingMessage } from 'node:http';
import { CROWDED } from './slow-readers.ts';
import { hasPlaceFor, PIECE_BYTES, writeLong } from './write-pieces.ts';

// Not by `import`, which reads every export of the module, and with `WebSocket` loads all of fetch:
// 16 MB, 60 ms.
const http = process.getBuiltinModule('node:http');

type Callback = (error?: Error | null) => void;

/**
 * The response of a server whose answers clients may leave unread, for its option `ServerResponse`.
 * A long piece goes to the socket in short ones, each when the reader has taken the one before; the
 * rest counts as unread (`holdUnread`).
 */
export class LongResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends http.ServerResponse<Request> {
  /** What is being written piece by piece, and what waits behind it. */
  #writing: Promise<void> | undefined;
  #isEnding = false;
  #hasBegun = false;
  #isRefused = false;

  override write(
    chunk: unknown,
    encoding?: BufferEncoding | Callback,
    callback?: Callback,
  ): boolean {
    const [coding, done] =
      typeof encoding === 'function' ? [undefined, encoding] : [encoding, callback];
    if (this.#writing === undefined && !this.#isRefused && !isLong(chunk)) {
      this.#hasBegun = true;
      return super.write(chunk as string, coding as BufferEncoding, done as Callback);
    }
    this.#queue(chunk as string | Uint8Array, coding).then(
      () => {
        done?.();
        if (this.#writing === undefined) this.emit('drain');
      },
      (error) => done?.(error),
    );
    return false;
  }

  override end(chunk?: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    if (this.#isEnding || this.#isRefused) return this;
    if (typeof chunk === 'function') return this.end(undefined, undefined, chunk as Callback);
    if (typeof encoding === 'function') return this.end(chunk, undefined, encoding);
    const hasBody = this.req.method !== 'HEAD' && chunk !== undefined && chunk !== null;
    if (this.#writing === undefined && !(hasBody && isLong(chunk))) {
      return super.end(chunk as string, encoding as BufferEncoding, callback as () => void);
    }
    this.#isEnding = true;
    if (this.#writing === undefined) this.#sayLength(chunk as string | Uint8Array, encoding);
    const written = hasBody ? this.#queue(chunk as string | Uint8Array, encoding) : this.#writing;
    written!.then(
      () => super.end(callback as () => void),
      // The client has left.
      () => {},
    );
    return this;
  }

  /** As `node:http` does when all of a body is given at once. */
  #sayLength(body: string | Uint8Array, coding: BufferEncoding | undefined): void {
    if (this.headersSent || this.hasHeader('Content-Length') || this.hasHeader('Transfer-Encoding'))
      return;
    this.setHeader(
      'Content-Length',
      typeof body === 'string' ? Buffer.byteLength(body, coding) : body.length,
    );
  }

  /**
   * Says so past `node:http`, which may have a head already that was not sent, and ends the
   * connection.
   */
  #refuse(): void {
    this.#isRefused = true;
    const { status, headers, body } = CROWDED;
    this.statusCode = status;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.req.socket.write(
      `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    this.req.socket.destroySoon();
  }

  #queue(chunk: string | Uint8Array, coding: BufferEncoding | undefined): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, coding) : chunk;
    if (!this.#hasBegun && !hasPlaceFor(this.req.socket, bytes)) this.#refuse();
    if (this.#isRefused) return Promise.reject(new Error('The answer had no place.'));
    this.#hasBegun = true;
    const send = () =>
      writeLong(this, this.req.socket, bytes, (piece, taken) => super.write(piece, taken));
    // The first one counts at once, or two would find the same place.
    const writing = (this.#writing?.then(send) ?? send()).finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    this.#writing = writing;
    return writing;
  }
}

function isLong(chunk: unknown): boolean {
  if (typeof chunk === 'string')
    return chunk.length > PIECE_BYTES / 3 && Buffer.byteLength(chunk) > PIECE_BYTES;
  return chunk instanceof Uint8Array && chunk.length > PIECE_BYTES;
}
