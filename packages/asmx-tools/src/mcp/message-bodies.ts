import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of messages is held at once, in messages of the longest kind. */
const LONGEST_AT_ONCE = 4;

/** A message that is arriving, or being answered. */
interface Held {
  bytes: number;
  /** Refuses it; `undefined` once it is there whole. */
  giveWay: (() => void) | undefined;
}

/**
 * Reads the bodies of messages. Nobody has said who they are until a message is there whole, and
 * then it is held until it is answered: so what is held of all is bounded. Where it grows beyond,
 * the one gives way that has been arriving longest.
 */
export class MessageBodies {
  readonly #longest: number;
  readonly #most: number;
  readonly #held = new Set<Held>();
  #bytes = 0;

  /** @param longest the longest message, bytes. */
  constructor(longest: number) {
    this.#longest = longest;
    this.#most = longest * LONGEST_AT_ONCE;
  }

  /**
   * @param res its bytes count until this is closed.
   * @returns the body; or why there is none: `gone` when the connection closed before its end.
   */
  read(
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<Buffer | 'too long' | 'crowded' | 'gone'> {
    if (Number(req.headers['content-length'] ?? 0) > this.#longest)
      return Promise.resolve('too long');
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      const held: Held = { bytes: 0, giveWay: undefined };
      const release = () => {
        this.#bytes -= held.bytes;
        held.bytes = 0;
        this.#held.delete(held);
      };
      const refuse = (reason: 'too long' | 'crowded' | 'gone') => {
        if (held.giveWay === undefined) return;
        held.giveWay = undefined;
        req.off('data', add);
        // The rest is nobody's.
        req.resume();
        release();
        resolve(reason);
      };
      const add = (piece: Buffer) => {
        pieces.push(piece);
        held.bytes += piece.length;
        this.#bytes += piece.length;
        if (held.bytes > this.#longest) return refuse('too long');
        while (this.#bytes > this.#most) this.#oldestArriving()!.giveWay!();
      };
      held.giveWay = () => refuse('crowded');
      this.#held.add(held);
      res.once('close', release);
      req.on('data', add);
      req.once('end', () => {
        held.giveWay = undefined;
        resolve(Buffer.concat(pieces));
      });
      req.once('error', () => refuse('gone'));
      req.once('close', () => refuse('gone'));
    });
  }

  /** There is one whenever a piece arrives: the message that it is of. */
  #oldestArriving(): Held | undefined {
    for (const held of this.#held) if (held.giveWay !== undefined) return held;
    return undefined;
  }
}
