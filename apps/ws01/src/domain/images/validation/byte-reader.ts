import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForeignContent } from './foreign-content.ts';
import { unreadable } from './refusal.ts';

const BUFFER_BYTES = 64 * 1024;
const MAX_PARTS = 100_000;
const MEAN_PART_BYTES = 256;
const PARTS_A_TURN = 1_000;

/**
 * Reads a file from its beginning to its end through one buffer. What is read or passed over is looked at for content
 * that is no image's, except where {@link skipPixels} passes over compressed pixels.
 *
 * Whatever the format, everybody else goes on after a thousand parts, and while the buffer is filled. A part is whatever
 * is taken, and each sub-block of a GIF.
 */
export class ByteReader {
  /** Size of the file. */
  readonly size: number;
  readonly #file: Pick<FileHandle, 'read'>;
  readonly #foreign = new ForeignContent();
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #start = 0;
  #end = 0;
  /** Where in the file the buffer's end is. */
  #filled = 0;
  #parts = 0;
  /** How many parts there were when everybody else last went on. */
  #partsAtTurn = 0;

  constructor(file: Pick<FileHandle, 'read'>, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** How many bytes have been read or passed over. */
  get position(): number {
    return this.#filled - (this.#end - this.#start);
  }

  get remaining(): number {
    return this.size - this.position;
  }

  /**
   * The next bytes; valid until the next call.
   * @param count at most 64 KiB.
   * @throws {ImageRefusal} when the file ends before.
   */
  async take(count: number): Promise<Buffer> {
    this.#countPart();
    if (this.#turnIsDue) await this.#giveTurn();
    if (this.#end - this.#start < count) await this.#fillTo(count);
    const bytes = this.#buffer.subarray(this.#start, this.#start + count);
    this.#start += count;
    this.#foreign.look(bytes);
    return bytes;
  }

  /** The next bytes without passing over them. @throws {ImageRefusal} when the file ends before. */
  async peek(count: number): Promise<Buffer> {
    await this.#fillTo(count);
    return this.#buffer.subarray(this.#start, this.#start + count);
  }

  /** Passes over bytes that are no pixels. @throws {ImageRefusal} when the file ends before. */
  async skip(count: number): Promise<void> {
    this.#assertWithin(count);
    for (let left = count; left > 0; ) {
      if (this.#end === this.#start) await this.#fillTo(1);
      const step = Math.min(left, this.#end - this.#start);
      this.#foreign.look(this.#buffer.subarray(this.#start, this.#start + step));
      this.#start += step;
      left -= step;
    }
  }

  /**
   * Passes over a byte that is repeated, however often; then the next byte is another one.
   * @throws {ImageRefusal} when the file ends before.
   */
  async skipRun(byte: number): Promise<void> {
    do {
      await this.#fillTo(1);
      const from = this.#start;
      while (this.#start < this.#end && this.#buffer[this.#start] === byte) this.#start++;
      this.#foreign.look(this.#buffer.subarray(from, this.#start));
    } while (this.#start === this.#end);
  }

  /** Passes over compressed pixels. @throws {ImageRefusal} when the file ends before. */
  async skipPixels(count: number): Promise<void> {
    this.#foreign.interrupt();
    this.#assertWithin(count);
    const buffered = Math.min(count, this.#end - this.#start);
    this.#start += buffered;
    // Nobody looks at them, so that they need not be read.
    this.#filled += count - buffered;
  }

  /**
   * Passes over compressed pixels up to a 0xFF whose next byte `ends` them; that 0xFF is the next byte then.
   * @throws {ImageRefusal} when it does not come.
   */
  async skipPixelsToMarker(ends: (next: number) => boolean): Promise<void> {
    this.#foreign.interrupt();
    for (;;) {
      // Byte by byte: a search for each 0xFF would take twenty times as long where there are many.
      const last = this.#end - 1;
      let at = this.#start;
      while (at < last && !(this.#buffer[at] === 0xff && ends(this.#buffer[at + 1]!))) at++;
      this.#start = at;
      if (at < last) return;
      if (at === last && this.#buffer[at] !== 0xff) this.#start++;
      if (!(await this.#fill())) throw unreadable('The file ends in the middle of its pixels.');
    }
  }

  /**
   * Passes over the sub-blocks of a GIF (GIF89a specification, 15), each with its length before it, up to the empty one.
   * Those in the buffer are passed over in one go, however many: a block may have one byte.
   * @param look whether they are no pixels; what they hold is looked at without their lengths in between.
   * @throws {ImageRefusal} when the file ends before, or in too many parts.
   */
  async skipSubBlocks(look: boolean): Promise<void> {
    this.#foreign.interrupt();
    for (let left = 0; ; ) {
      if (this.#start === this.#end) await this.#fillTo(1);
      const from = this.#start;
      let contentEnd = from;
      while (this.#start < this.#end && !this.#turnIsDue) {
        if (left === 0) {
          left = this.#buffer[this.#start++]!;
          this.#countPart();
          if (left > 0) continue;
          if (look) this.#foreign.look(this.#buffer.subarray(from, contentEnd));
          return;
        }
        const step = Math.min(left, this.#end - this.#start);
        // Contents close up over the lengths, where they have been read.
        if (look) this.#buffer.copyWithin(contentEnd, this.#start, this.#start + step);
        contentEnd += step;
        this.#start += step;
        left -= step;
      }
      if (look) this.#foreign.look(this.#buffer.subarray(from, contentEnd));
      if (this.#turnIsDue) await this.#giveTurn();
    }
  }

  /** Passes over the rest of the file, in which there is no image. */
  async skipRest(): Promise<void> {
    await this.skip(this.remaining);
    this.#foreign.end();
  }

  /** Far more than any writer makes: a walk from part to part is not to take longer than the decoding. */
  #countPart(): void {
    if (++this.#parts > MAX_PARTS + this.size / MEAN_PART_BYTES) throw unreadable('The file is in too many parts.');
  }

  get #turnIsDue(): boolean {
    return this.#parts - this.#partsAtTurn >= PARTS_A_TURN;
  }

  async #giveTurn(): Promise<void> {
    this.#partsAtTurn = this.#parts;
    await nextTurn();
  }

  #assertWithin(count: number): void {
    if (count > this.remaining) throw unreadable('A part of the file is longer than the file.');
  }

  /** @throws {ImageRefusal} when the file ends before. */
  async #fillTo(count: number): Promise<void> {
    while (this.#end - this.#start < count) {
      if (!(await this.#fill())) throw unreadable('The file ends in the middle.');
    }
  }

  /** @returns whether there was more. */
  async #fill(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    const { bytesRead } = await this.#file.read(this.#buffer, this.#end, BUFFER_BYTES - this.#end, this.#filled);
    this.#end += bytesRead;
    this.#filled += bytesRead;
    return bytesRead > 0;
  }
}
