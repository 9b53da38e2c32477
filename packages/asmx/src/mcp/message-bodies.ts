import type { IncomingMessage } from 'node:http';

/** How much of messages that still arrive is held at once, in messages of the longest kind. */
const LONGEST_AT_ONCE = 4;

/** A message that is arriving. */
interface Arriving {
  bytes: number;
  readonly giveUp: () => void;
}

/**
 * Reads the bodies of messages. Nobody has said who they are until a message is there whole: so what is held of those that arrive
 * is bounded, and where it grows beyond, the one that came first gives way.
 */
export class MessageBodies {
  readonly #longest: number;
  readonly #most: number;
  readonly #arriving = new Set<Arriving>();
  #held = 0;

  /** @param longest the longest message, bytes. */
  constructor(longest: number) {
    this.#longest = longest;
    this.#most = longest * LONGEST_AT_ONCE;
  }

  /** @returns the body; or why there is none: `gone` when the connection closed before its end. */
  read(req: IncomingMessage): Promise<string | 'too long' | 'crowded' | 'gone'> {
    if (Number(req.headers['content-length'] ?? 0) > this.#longest) return Promise.resolve('too long');
    return new Promise((resolve) => {
      const pieces: Buffer[] = [];
      const end = (result: string) => {
        req.off('data', add);
        // The rest is nobody's.
        req.resume();
        this.#held -= arriving.bytes;
        arriving.bytes = 0;
        this.#arriving.delete(arriving);
        resolve(result);
      };
      const arriving: Arriving = { bytes: 0, giveUp: () => end('crowded') };
      const add = (piece: Buffer) => {
        pieces.push(piece);
        arriving.bytes += piece.length;
        this.#held += piece.length;
        if (arriving.bytes > this.#longest) return end('too long');
        while (this.#held > this.#most) [...this.#arriving][0]!.giveUp();
      };
      this.#arriving.add(arriving);
      req.on('data', add);
      req.once('end', () => end(Buffer.concat(pieces).toString('utf8')));
      req.once('error', () => end('gone'));
      req.once('close', () => end('gone'));
    });
  }
}
