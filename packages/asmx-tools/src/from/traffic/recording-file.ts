import { createWriteStream, type WriteStream } from 'node:fs';
import type { RecordedExchange } from './exchange.ts';

/** The first line of a recording. */
interface Heading {
  readonly recording: 1;
  /** The origin that was recorded. */
  readonly of: string;
}

/** Writes a recording: one JSON object a line, readable by its owner alone. */
export class RecordingFile {
  readonly #stream: WriteStream;
  #error: Error | undefined;
  /** Exchanges written. */
  count = 0;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
    stream.on('error', (error) => {
      this.#error = error;
    });
  }

  /** @param file must not be there. @throws the system's error when it cannot be made. */
  static async create(file: string, of: string): Promise<RecordingFile> {
    const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await new Promise<void>((resolve, reject) => {
      stream.once('open', () => resolve());
      stream.once('error', reject);
    });
    const heading: Heading = { recording: 1, of };
    stream.write(`${JSON.stringify(heading)}\n`);
    return new RecordingFile(stream);
  }

  add(exchange: RecordedExchange): void {
    this.count++;
    this.#stream.write(`${JSON.stringify(exchange)}\n`);
  }

  /** Ends the file. @throws what failed in writing it. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#error !== undefined) resolve();
      else this.#stream.end(resolve);
      this.#stream.once('error', () => resolve());
    });
    if (this.#error !== undefined) throw this.#error;
  }
}

/** Whether a line is the first one of a recording. */
export function isHeading(value: unknown): value is Heading {
  return typeof value === 'object' && value !== null && (value as Heading).recording === 1;
}
