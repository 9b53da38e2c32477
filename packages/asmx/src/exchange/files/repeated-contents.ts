import { createHash, type Hash } from 'node:crypto';
import { Base64Decoder } from '../../message/base64.ts';
import { DataUrlHead } from '../../message/data-url.ts';
import { ContentBuffer } from '../../message/files/content-buffer.ts';
import { LostPlus, type Reading, readAs } from '../../message/files/lost-plus.ts';
import type { Exchange } from '../exchange.ts';
import type { FileWriter } from './file-writer.ts';

/** How a content of a file is written: as base64, or as it is in a part of a multipart form. */
type ContentForm = 'base64' | 'bytes';

/**
 * The hash by which contents are compared. Processors have instructions for it, which shows with
 * large files.
 */
const DIGEST = 'sha256';

/**
 * Contents that together are a file: identical ones count once, different ones are put together.
 * The first goes straight to the sink; the others wait in a spool until they are known as a whole.
 */
export class RepeatedContents {
  readonly #exchange: Exchange;
  readonly #writer: FileWriter;
  readonly #outOfForm: boolean;
  /** Digests of the contents so far. */
  readonly #seen = new Set<string>();
  #hash: Hash = createHash(DIGEST);
  #length = 0;
  #decoder: Base64Decoder | undefined;
  #spool: ContentBuffer | undefined;

  /** Of base64 out of a form: its blanks may be `+`. */
  #lostPlus:
    | { readonly head: DataUrlHead; readonly blanks: LostPlus; readonly text: ContentBuffer }
    | undefined;

  /** @param outOfForm whether a blank in base64 may be a `+` that was not encoded. */
  constructor(exchange: Exchange, writer: FileWriter, outOfForm: boolean) {
    this.#exchange = exchange;
    this.#writer = writer;
    this.#outOfForm = outOfForm;
  }

  begin(form: ContentForm): void {
    this.#hash = createHash(DIGEST);
    this.#length = 0;
    this.#decoder = form === 'base64' ? new Base64Decoder() : undefined;
    this.#lostPlus = form === 'base64' && this.#outOfForm ? this.#readBlanks() : undefined;
    this.#spool = this.#seen.size === 0 ? undefined : new ContentBuffer();
    if (this.#spool !== undefined) this.#exchange.held.add(this.#spool);
  }

  /** A piece of a content begun as base64. @throws {Base64Error} */
  text(piece: string): void {
    const lostPlus = this.#lostPlus;
    this.bytes(
      this.#decoder!.push(
        lostPlus === undefined ? piece : lostPlus.blanks.take(lostPlus.head.take(piece)),
      ),
    );
  }

  #readBlanks(): {
    readonly head: DataUrlHead;
    readonly blanks: LostPlus;
    readonly text: ContentBuffer;
  } {
    const text = new ContentBuffer();
    this.#exchange.held.add(text);
    const wait = (part: string) => this.#writer.wait(text, Buffer.from(part, 'latin1'));
    return { head: new DataUrlHead(), blanks: new LostPlus(wait), text };
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
    const lostPlus = this.#lostPlus;
    if (lostPlus !== undefined)
      this.bytes(this.#decoder!.push(lostPlus.blanks.take(lostPlus.head.end())));
    const read = lostPlus?.blanks.end();
    const waiting = lostPlus?.blanks.waits && read ? { ...read, text: lostPlus.text } : undefined;
    if (this.#decoder !== undefined && waiting === undefined) this.bytes(this.#decoder.end());
    if (this.#length === 0 && waiting === undefined) return;
    const digest = read?.digest ?? this.#hash.digest('base64');
    const repeated = this.#seen.has(digest);
    this.#seen.add(digest);
    const spool = this.#spool;
    if (!repeated) {
      if (spool !== undefined) {
        this.#writer.count(this.#length);
        this.#writer.copy(spool);
      }
      if (waiting !== undefined) this.#writeWaiting(waiting);
    }
    if (spool !== undefined) this.#writer.steps.add(() => spool.release());
    if (lostPlus !== undefined) this.#writer.steps.add(() => lostPlus.text.release());
  }

  /** Writes the text that had to wait for the end of it, decoded; it is known to be base64. */
  #writeWaiting({
    reading,
    bytes,
    text,
  }: {
    reading: Reading;
    bytes: number;
    text: ContentBuffer;
  }): void {
    const decoder = this.#decoder!;
    this.#writer.count(bytes - decoder.bytes);
    this.#writer.decode(
      text,
      (piece) => decoder.push(readAs(piece, reading).toString('latin1')),
      () => decoder.end(),
    );
  }
}
