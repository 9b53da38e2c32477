import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Passed } from '@ws01/asmx/internal/node/upstream/pass-through';
import { keepExchange } from './keep-exchange.ts';
import { RecordingFile } from './recording-file.ts';
import { Secrets } from './redact.ts';

/** Keeps calls that were passed on to an old server as test cases, without their secrets. */
export interface Recorder {
  /** Never throws; the first call that cannot be written is reported. */
  readonly add: (passed: Passed) => void;
  /** Ends the file. */
  close(): Promise<void>;
}

/**
 * Makes a recorder. Its file, named after the moment, is made with the first call; `asmx replay`
 * reads it.
 * @param folder is made where it is missing. @param origin of the old server.
 * @param secrets names of parameters and members that are secrets beside those that look so, in
 *   whatever case.
 */
export function createRecorder(
  folder: string,
  origin: string,
  secrets: readonly string[],
): Recorder {
  const taken = new Secrets(secrets);
  const unrecorded = ({ message }: Error) => process.emitWarning(`Nothing is recorded: ${message}`);
  let opening: Promise<RecordingFile | undefined> | undefined;
  const open = async (): Promise<RecordingFile | undefined> => {
    try {
      mkdirSync(folder, { recursive: true });
      const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
      return await RecordingFile.create(join(folder, name), origin, unrecorded);
    } catch (error) {
      unrecorded(error as Error);
      return undefined;
    }
  };
  return {
    add(passed) {
      const { answer, durationMs, request } = passed;
      opening ??= open();
      const exchange = keepExchange(
        { at: Date.now() - durationMs, durationMs, request, answer },
        taken,
      );
      opening.then((file) => file?.add(exchange));
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
