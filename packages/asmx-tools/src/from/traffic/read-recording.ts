import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { accessLogReader } from './access-log.ts';
import { isExchange, type RecordedExchange } from './exchange.ts';
import { harExchanges } from './har.ts';
import { isHeading } from './recording-file.ts';

/** What was read of a recording: an exchange, or a line that cannot be replayed and why. */
export type Recorded =
  | { readonly line: number; readonly exchange: RecordedExchange }
  | { readonly line: number; readonly skipped: string };

/** A recording cannot be read. The message is one line with what would be right. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** In UTF-8, each byte read as one character. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** A HAR file is one JSON text and is read whole; bytes. */
const MAX_HAR_BYTES = 512 * 1024 * 1024;

/**
 * Reads recorded traffic, whatever wrote it: `asmx record`, a browser or proxy (HAR), nginx or
 * Apache (common and combined log), IIS (W3C extended log). Of logs only GET can be replayed.
 * @throws {RecordingError}
 */
export async function* readRecording(file: string): AsyncGenerator<Recorded> {
  const start = await firstBytes(file);
  if (/^\s*\{/.test(start) && !/^\s*\{"recording":/.test(start)) {
    yield* readHar(file);
    return;
  }
  const log = start.trimStart().startsWith('{') ? undefined : accessLogReader();
  const input = createReadStream(file, log === undefined ? 'utf8' : 'latin1');
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const read =
      log === undefined ? recordedLine(line, number) : log(line.replace(BYTE_ORDER_MARK, ''));
    if (read === undefined) continue;
    yield typeof read === 'string'
      ? { line: number, skipped: read }
      : { line: number, exchange: read };
  }
}

/**
 * The exchanges of a file that `asmx record` or a project of `asmx from --proxy` wrote, with the
 * origin that was recorded. A line that was cut off is passed over. @throws {RecordingError} for
 * what is no such file.
 */
export async function* keptExchanges(
  file: string,
): AsyncGenerator<{ readonly of: string; readonly exchange: RecordedExchange }> {
  const start = await firstBytes(file);
  const [first = ''] = start.split('\n', 1);
  const heading = jsonOf(first);
  if (!isHeading(heading)) {
    throw new RecordingError(
      `${file} is no recording of asmx: HAR files and access logs are not written again.`,
    );
  }
  for await (const recorded of readRecording(file)) {
    if ('exchange' in recorded) yield { of: heading.of, exchange: recorded.exchange };
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function firstBytes(file: string): Promise<string> {
  try {
    if ((await stat(file)).isDirectory())
      throw new RecordingError(`${file} is a folder; name a file.`);
    let start = '';
    for await (const chunk of createReadStream(file, { encoding: 'utf8', end: 4095 }))
      start += chunk;
    if (start.trim() === '') throw new RecordingError(`${file} is empty.`);
    return start.replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new RecordingError(
      code === 'ENOENT' ? `${file}: There is no such file.` : `${file} cannot be read (${code}).`,
    );
  }
}

function recordedLine(line: string, number: number): RecordedExchange | string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The last line of a recording that was cut off.
    return 'the line is not complete';
  }
  if (isHeading(value)) return undefined;
  if (isExchange(value)) return value;
  return number === 1 ? 'it is not a recording' : 'the line is not an exchange';
}

async function* readHar(file: string): AsyncGenerator<Recorded> {
  const { size } = await stat(file);
  if (size > MAX_HAR_BYTES)
    throw new RecordingError(`${file} has more than ${MAX_HAR_BYTES} bytes; split it.`);
  let entries: readonly (RecordedExchange | string)[] | undefined;
  try {
    entries = harExchanges(JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, '')));
  } catch (error) {
    throw new RecordingError(
      `${file} is neither a recording nor HAR: ${(error as Error).message}.`,
    );
  }
  if (entries === undefined)
    throw new RecordingError(`${file} is neither a recording nor HAR: it has no log.entries.`);
  for (const [index, entry] of entries.entries()) {
    yield typeof entry === 'string'
      ? { line: index + 1, skipped: entry }
      : { line: index + 1, exchange: entry };
  }
}
