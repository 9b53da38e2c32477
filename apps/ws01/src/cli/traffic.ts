import { Command } from 'commander';
import { RecordingError, recordTraffic, replayTraffic, UsageError } from '../app/traffic.ts';
import { CommandFailure } from './failure.ts';
import { remark } from './io/output.ts';
import { firstSignal } from './signals.ts';

/** Gathers what an option that may stand several times is given. */
const gather = (value: string, values: readonly string[] = []): readonly string[] => [...values, value];

export function recordCommand(): Command {
  return new Command('record')
    .argument('<recording>', 'a new file, one JSON object a line')
    .requiredOption('--to <url>', 'the old server')
    .option('--port <number>', 'where the proxy listens; 0 for any free one', '8081')
    .option('--host <address>', 'on which address', '127.0.0.1')
    .option('--redact <name>', 'one more parameter that is a secret; as often as needed', gather)
    .option('--network <cidr>', 'a private network that the old server may be in; others are refused', gather)
    .option('--json', 'print one JSON object at the end')
    .addHelpText(
      'after',
      `
Stands before the old server, hands every request on as it is, and records it with its answer, until Ctrl-C. Credentials
are taken out by their names and wherever else their values stand; personal data stays. Only its owner can read the file.

Examples:
  ws01 record traffic.jsonl --to https://old.example.com
  ws01 record traffic.jsonl --to http://10.0.0.5 --network 10.0.0.0/8`,
    )
    .action((file: string, options: Readonly<Record<string, unknown>>) => run(recordTraffic, file, options));
}

export function replayCommand(): Command {
  return new Command('replay')
    .argument('<recording>', 'what ws01 record wrote, a HAR file, or an access log of nginx, Apache or IIS (GET alone)')
    .requiredOption('--new <url>', 'the new server; with a path, calls go there whatever path was recorded')
    .option('--old <url>', 'the old server, asked as well; without it the recorded answers count')
    .option('--only <operation>', 'only this one; as often as needed', gather)
    .option('--secrets <file>', 'a JSON object with the values that were taken out, by name')
    .option('--mask <pattern>', 'what is another one each time; keys (GUIDs) and times always are', gather)
    .option('--network <cidr>', 'a private network that the servers may be in; others are refused', gather)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Asks what was recorded again, one call after the other, and counts differences by operation and cause. What was recorded
is really called: name servers whose data may change.

Exit codes: 0 all the same; 1 there are differences; 2 the recording cannot be read, or nothing was replayed.

Examples:
  ws01 replay traffic.jsonl --new http://127.0.0.1:8080 --network 127.0.0.0/8
  ws01 replay access.log --old https://old.example.com --new https://new.example.com/WS01.asmx --json`,
    )
    .action((file: string, options: Readonly<Record<string, unknown>>) => run(replayTraffic, file, options));
}

async function run(act: typeof recordTraffic, file: string, options: Readonly<Record<string, unknown>>): Promise<void> {
  const stop = new AbortController();
  firstSignal().then(() => stop.abort());
  try {
    process.exitCode = await act(file, options, {
      print: (text) => process.stdout.write(text),
      remark,
      stop: stop.signal,
    });
  } catch (error) {
    if (error instanceof UsageError) throw new CommandFailure(`${error.message}.`, { exitCode: 2 });
    if (error instanceof RecordingError) throw new CommandFailure(error.message, { exitCode: 2 });
    throw error;
  }
}
