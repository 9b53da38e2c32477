import { RecordingError, record, runReplay, UsageError } from '@ws01/asmx-tools';
import { WS01 } from '../contract/service.ts';

export { RecordingError, runReplay as replayTraffic, UsageError };

/** Progress output of the engine's recorder and replayer. */
type Terminal = Parameters<typeof record>[3];

/** The credential parameters of this service, in lower case. */
const SECRETS: ReadonlySet<string> = new Set(
  WS01.operations.flatMap(({ parameters }) =>
    parameters
      .filter((parameter) => 'secret' in parameter && parameter.secret === true)
      .map(({ name }) => name.toLowerCase()),
  ),
);

/** Records the traffic to an old server of this contract, without credentials, until stopped. */
export function recordTraffic(
  file: string,
  options: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<number> {
  return record(file, options, SECRETS, terminal);
}
