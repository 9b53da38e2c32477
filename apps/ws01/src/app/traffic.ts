import { RecordingError, record, runReplay, UsageError } from '@ws01/asmx/from';
import { WS01 } from '../contract/service.ts';

export { RecordingError, UsageError };

/** What the engine tells while it records or replays. */
type Terminal = Parameters<typeof record>[3];

/** The parameters of this service that are credentials, in lower case. */
const SECRETS: ReadonlySet<string> = new Set(
  WS01.operations.flatMap(({ parameters }) =>
    parameters
      .filter((parameter) => 'secret' in parameter && parameter.secret === true)
      .map(({ name }) => name.toLowerCase()),
  ),
);

/** Records the traffic of an old server of this contract, without its credentials, until it is stopped. */
export function recordTraffic(
  file: string,
  options: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  return record(file, options, SECRETS, terminal);
}

/** Asks what was recorded again and compares. @returns the exit code. */
export function replayTraffic(
  file: string,
  options: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  return runReplay(file, options, terminal);
}
