import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ForeignContent } from './foreign-content.ts';
import { unreadable } from './refusal.ts';

const BUFFER_BYTES = 256 * 1024;
const MAX_PARTS = 100_000;
const MEAN_PART_BYTES = 256;
const PARTS_A_TURN = 1_000;

/**
 * Compressed pixels have a 0xFF every 200 bytes. Native searches for them, up to one for so many
 * bytes, take half the time of a look at each byte; where 0xFF are more frequent, they take longer.
 */
const BYTES_A_SEARCH = 128;

/**
 * Reads a file from start to end through one buffer. It searches everything for foreign content,
 * except compressed pixels ({@link skipPixels}).
 *
 * After each thousand parts, and while the buffer is filled, it yields to other work. A part is
 * each read, and each sub-block of a GIF.
 */
export class ByteReader {
  /** Size of the file; bytes. */
  readonly size: number;
  readonly #file: Pick<FileHandle, 'read'>;
  readonly #foreign = new ForeignContent();
  readonly #buffer: Buffer;
  #start = 0;
  #end = 0;
  /** The position in the file of the buffer's end. */
  #filled = 0;
  #parts = 0;
  /** The number of parts at the last yield. */
  #partsAtTurn = 0;

  constructor(file: Pick<FileHandle, 'read'>, size: number) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafe(Math.min(size, BUFFER_BYTES));
    this.size = size;
  }

  /** Number of bytes read or skipped. */
  get position(): number {
    return this.#filled - (this.#end - this.#start);
  }

  get remaining(): number {
    return this.size - this.position;
  }

  /**
   * Returns the next bytes, valid until the next call.
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

  /**
   * Returns the next bytes without consuming them.
   * @throws {ImageRefusal} when the file ends before.
   */
  async peek(count: number): Promise<Buffer> {
    await this.#fillTo(count);
    return this.#buffer.subarray(this.#start, this.#start + count);
  }

  /**
   * Skips bytes that are not pixels.
   * @throws {ImageRefusal} when the file ends before.
   */
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
   * Skips compressed pixels.
   * @throws {ImageRefusal} when the file ends before.
   */
  async skipPixels(count: number): Promise<void> {
    this.#foreign.interrupt();
    this.#assertWithin(count);
    const buffered = Math.min(count, this.#end - this.#start);
    this.#start += buffered;
    // They are not searched, so they need not be read.
    this.#filled += count - buffered;
  }

  /**
   * Skips compressed pixels up to a 0xFF whose next byte `ends` them; that 0xFF is not consumed.
   * @returns whether there is one; if not, all is skipped.
   */
  async skipPixelsToMarker(ends: (next: number) => boolean): Promise<boolean> {
    this.#foreign.interrupt();
    return this.#skipToMarker(ends, () => {});
  }

  /**
   * As {@link skipPixelsToMarker}, for bytes that are not pixels.
   */
  async skipToMarker(ends: (next: number) => boolean): Promise<boolean> {
    return this.#skipToMarker(ends, (bytes) => this.#foreign.look(bytes));
  }

  async #skipToMarker(
    ends: (next: number) => boolean,
    see: (bytes: Uint8Array) => void,
  ): Promise<boolean> {
    this.#countPart();
    if (this.#turnIsDue) await this.#giveTurn();
    for (;;) {
      const last = this.#end - 1;
      let at = this.#start;
      let searches = (last - at) / BYTES_A_SEARCH;
      while (at < last && !(this.#buffer[at] === 0xff && ends(this.#buffer[at + 1]!))) {
        at = searches-- > 0 ? this.#markerFrom(at + 1, last) : at + 1;
      }
      if (at === last && this.#buffer[at] !== 0xff) at++;
      see(this.#buffer.subarray(this.#start, at));
      this.#start = at;
      if (at < last) return true;
      if (!(await this.#fill())) {
        this.#start = this.#end;
        return false;
      }
    }
  }

  /** @returns where the next 0xFF is in the buffer; `last` if there is none before it. */
  #markerFrom(from: number, last: number): number {
    const found = this.#buffer.indexOf(0xff, from);
    return found < 0 ? last : Math.min(found, last);
  }

  /**
   * Skips the sub-blocks of a GIF (GIF89a specification, 15), each preceded by its length, up to
   * the empty one. Those in the buffer are skipped in one go, because a block may have a single
   * byte.
   * @param look whether they are not pixels; their contents are then searched without the lengths
   *   between them.
   * @returns whether there is an empty one; if not, all is skipped.
   * @throws {ImageRefusal} when the file has too many parts.
   */
  async skipSubBlocks(look: boolean): Promise<boolean> {
    this.#foreign.interrupt();
    for (let left = 0; ; ) {
      if (this.#start === this.#end && !(await this.#fill())) return false;
      const from = this.#start;
      let contentEnd = from;
      while (this.#start < this.#end && !this.#turnIsDue) {
        if (left === 0) {
          left = this.#buffer[this.#start++]!;
          this.#countPart();
          if (left > 0) continue;
          if (look) this.#foreign.look(this.#buffer.subarray(from, contentEnd));
          return true;
        }
        const step = Math.min(left, this.#end - this.#start);
        // Removes the lengths between the contents.
        if (look) this.#buffer.copyWithin(contentEnd, this.#start, this.#start + step);
        contentEnd += step;
        this.#start += step;
        left -= step;
      }
      if (look) this.#foreign.look(this.#buffer.subarray(from, contentEnd));
      if (this.#turnIsDue) await this.#giveTurn();
    }
  }

  /** Skips the rest of the file, which must not contain an image. */
  async skipRest(): Promise<void> {
    await this.skip(this.remaining);
    this.#foreign.end();
  }

  /**
   * The limit is far above what any encoder writes; it keeps the walk shorter than the decoding.
   */
  #countPart(): void {
    if (++this.#parts > MAX_PARTS + this.size / MEAN_PART_BYTES)
      throw unreadable('The file is in too many parts.');
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
    const { bytesRead } = await this.#file.read(
      this.#buffer,
      this.#end,
      this.#buffer.length - this.#end,
      this.#filled,
    );
    this.#end += bytesRead;
    this.#filled += bytesRead;
    return bytesRead > 0;
  }
}
