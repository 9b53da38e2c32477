import { createHash, type Hash } from 'node:crypto';
import type { Exchange } from '../../engine/exchange.ts';
import { Base64Decoder } from '../base64.ts';
import { ContentBuffer } from './content-buffer.ts';
import type { FileWriter } from './file-writer.ts';

/** How a content of a file is written: as base64, or as it is in a part of a multipart form. */
type ContentForm = 'base64' | 'bytes';

/** What contents are told apart by: as sound as SHA-256 and twice as quick, which a large file feels. */
const DIGEST = 'blake2b512';

/**
 * Contents that together are a file: identical ones count once, different ones are put together. The first goes
 * straight to the sink; the others wait in a spool until they are known as a whole.
 */
export class RepeatedContents {
  readonly #exchange: Exchange;
  readonly #writer: FileWriter;
  /** Digests of the contents so far. */
  readonly #seen = new Set<string>();
  #hash: Hash = createHash(DIGEST);
  #length = 0;
  #decoder: Base64Decoder | undefined;
  #spool: ContentBuffer | undefined;

  constructor(exchange: Exchange, writer: FileWriter) {
    this.#exchange = exchange;
    this.#writer = writer;
  }

  begin(form: ContentForm): void {
    this.#hash = createHash(DIGEST);
    this.#length = 0;
    this.#decoder = form === 'base64' ? new Base64Decoder() : undefined;
    this.#spool = this.#seen.size === 0 ? undefined : new ContentBuffer();
    if (this.#spool !== undefined) this.#exchange.held.add(this.#spool);
  }

  /** A piece of a content begun as base64. @throws {Base64Error} */
  text(piece: string): void {
    this.bytes(this.#decoder!.push(piece));
  }

  /** A piece of a content; not changed afterwards. @throws {ProtocolError} TooLarge */
  bytes(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const spool = this.#spool;
    this.#length += piece.length;
    this.#hash.update(piece);
    if (spool !== undefined) {
      this.#writer.wait(spool, piece);
      return;
    }
    this.#writer.count(piece.length);
    this.#writer.write(piece);
  }

  /** The content is complete; an empty one is nothing. @throws {Base64Error | ProtocolError} */
  end(): void {
    if (this.#decoder !== undefined) this.bytes(this.#decoder.end());
    if (this.#length === 0) return;
    const digest = this.#hash.digest('base64');
    const repeated = this.#seen.has(digest);
    this.#seen.add(digest);
    const spool = this.#spool;
    if (spool === undefined) return;
    if (!repeated) {
      this.#writer.count(this.#length);
      this.#writer.copy(spool);
    }
    this.#writer.steps.add(() => spool.release());
  }
}
