import { ProtocolError } from '../contract/errors.ts';
import { cutOff } from './cut-off.ts';
import { bytesBody, type WireBody } from './http.ts';

/** A body that comes piece by piece while it is read, and whose reading can be stopped. */
export abstract class ArrivingBody implements WireBody {
  protected stopped: Error | undefined;
  /** Has what waits for a piece fail. */
  protected fail: (error: Error) => void = () => {};

  readonly stop = (error: Error): void => {
    this.stopped ??= error;
    this.fail(error);
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const chunks = this.begin();
    try {
      for (;;) {
        const next = await this.#next(chunks);
        if (next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw error === this.stopped ? error : cutOff(error);
    } finally {
      this.end();
      // Not waited for: it goes through only when the client sends more, or the connection closes.
      chunks.return?.().catch(() => {});
    }
  }

  /** The reading begins. */
  protected abstract begin(): AsyncIterator<Uint8Array>;

  /** The reading is over, for whatever reason. */
  protected abstract end(): void;

  #next(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      this.fail = reject;
      if (this.stopped !== undefined) reject(this.stopped);
      else chunks.next().then(resolve, reject);
    });
  }
}

/**
 * A body that something else in the server has read.
 * @param left what that left of it: its bytes or its text; anything else is refused when it is
 *   read.
 */
export function bodyReadByOthers(left: unknown): WireBody {
  if (left instanceof Uint8Array) return bytesBody(left);
  if (typeof left === 'string') return bytesBody(Buffer.from(left));
  const refuse = () => {
    const message =
      'Something in this server read the request body before the endpoint could; ' +
      'the endpoint must come before body parsers, or they must leave the raw bytes in req.body.';
    throw new ProtocolError('Internal', message);
  };
  return { whole: refuse, [Symbol.asyncIterator]: refuse };
}
