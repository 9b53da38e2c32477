import { type FileHandle, open } from 'node:fs/promises';
import type { RecordedExchange } from './exchange.ts';

/** The first line of a recording. */
interface Heading {
  readonly recording: 1;
  /** The origin that was recorded. */
  readonly of: string;
}

/** So much may wait for a slow disk; bytes. What comes then is not recorded. */
const MOST_WAITING = 64 * 1024 * 1024;

/**
 * Writes a recording: one JSON object a line, readable by its owner alone. A line that cannot be
 * written whole is taken back; the next ones are tried again, as a disk may have room again.
 */
export class RecordingFile {
  readonly #file: FileHandle;
  readonly #onFailure: (error: Error) => void;
  /** Of whole lines; bytes. */
  #length = 0;
  #waiting = 0;
  #turn = Promise.resolve();
  #isFailing = false;
  #error: Error | undefined;
  #isClosed = false;
  /** Exchanges written. */
  count = 0;

  private constructor(file: FileHandle, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
  }

  /**
   * @param file its path; nothing may be there.
   * @param onFailure called with an error of writing, once until a write succeeds again.
   * @throws the system's error when it cannot be made, or its first line cannot be written.
   */
  static async create(
    file: string,
    of: string,
    onFailure: (error: Error) => void = () => {},
  ): Promise<RecordingFile> {
    const recording = new RecordingFile(await open(file, 'wx', 0o600), onFailure);
    const heading: Heading = { recording: 1, of };
    await recording.#write(`${JSON.stringify(heading)}\n`);
    // Closing throws what failed.
    if (recording.#error !== undefined) await recording.close();
    return recording;
  }

  /** Resolves when the exchange is written, or could not be; one that comes after the end is no part of it. */
  add(exchange: RecordedExchange): Promise<void> {
    if (this.#isClosed) return this.#turn;
    const line = `${JSON.stringify(exchange)}\n`;
    if (this.#waiting + line.length > MOST_WAITING) {
      this.#failed(new Error('the disk is too slow for the calls'));
      return this.#turn;
    }
    this.#waiting += line.length;
    this.#turn = this.#turn.then(async () => {
      if (await this.#write(line)) this.count++;
      this.#waiting -= line.length;
    });
    return this.#turn;
  }

  /** Ends the file. @throws what failed first, if an exchange was not written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    await this.#file.close();
    if (this.#error !== undefined) throw this.#error;
  }

  /** @returns whether it was written. */
  async #write(line: string): Promise<boolean> {
    const bytes = Buffer.from(line);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { length } = bytes;
        const at = this.#length + done;
        done += (await this.#file.write(bytes, done, length - done, at)).bytesWritten;
      }
    } catch (error) {
      await this.#file.truncate(this.#length).catch(() => {});
      this.#failed(error as Error);
      return false;
    }
    this.#length += bytes.length;
    this.#isFailing = false;
    return true;
  }

  #failed(error: Error): void {
    this.#error ??= error;
    if (!this.#isFailing) this.#onFailure(error);
    this.#isFailing = true;
  }
}

/** Whether a line is the first one of a recording. */
export function isHeading(value: unknown): value is Heading {
  return typeof value === 'object' && value !== null && (value as Heading).recording === 1;
}
