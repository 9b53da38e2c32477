import { type Logger, pino } from 'pino';
import { LOG_SERIALIZERS } from '../../src/cli/log.ts';

/** A line of the log. */
type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** A log that is kept, line by line, as the service writes it. */
export interface KeptLog {
  readonly log: Logger;
  readonly lines: readonly LogLine[];
  /** Every line as it was written. */
  text(): string;
}

export function keptLog(): KeptLog {
  const written: string[] = [];
  const lines: LogLine[] = [];
  const log = pino(
    { level: 'trace', serializers: LOG_SERIALIZERS },
    {
      write(line) {
        written.push(line);
        lines.push(JSON.parse(line));
      },
    },
  );
  return { log, lines, text: () => written.join('') };
}
