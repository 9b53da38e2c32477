import { Command } from 'commander';
import { RecordingError, recordTraffic, replayTraffic, UsageError } from '../app/traffic.ts';
import { UsageFailure } from './failure.ts';
import { gather, withJson } from './io/options.ts';
import { remark } from './io/output.ts';
import { stopSignal } from './signals.ts';

export function recordCommand(): Command {
  return new Command('record')
    .argument('<recording>', 'a new file, one JSON object a line')
    .requiredOption('--to <url>', 'the old server')
    .option('--port <number>', 'the port of the proxy; 0 takes a free one', '8081')
    .option('--host <address>', 'on which address', '127.0.0.1')
    .option(
      '--secret <name>',
      'another parameter, member or result that is a secret; repeatable',
      gather,
    )
    .option('--redact <name>', 'the same, as it was called in 0.2', gather)
    .option(
      '--network <cidr>',
      'a private network that the old server may be in; other private networks are refused',
      gather,
    )
    .option('--json', 'print one JSON object at the end')
    .addHelpText(
      'after',
      `
Runs a proxy in front of the old server: forwards every request unchanged and records it with its answer, until Ctrl-C. Credentials are removed, found by the words in the names of parameters, members and results, and wherever their values occur again. Personal data is kept, so only the user who made the file can read it.

Examples:
  ws01 record traffic.jsonl --to https://old.example.com
  ws01 record traffic.jsonl --to http://10.0.0.5 --network 10.0.0.0/8`,
    )
    .action((file: string, options: Readonly<Record<string, unknown>>) =>
      run(recordTraffic, file, options),
    );
}

export function replayCommand(): Command {
  return withJson(
    new Command('replay')
      .argument(
        '<recording>',
        'a file made by ws01 record, a HAR file, or an access log of nginx, Apache or IIS (only GET)',
      )
      .requiredOption(
        '--new <url>',
        'the new server; if the URL has a path, calls go to it instead of the recorded path',
      )
      .option(
        '--old <url>',
        'also call the old server; without it, compare with the recorded answers',
      )
      .option('--only <operation>', 'only this operation; repeatable', gather)
      .option(
        '--secrets <file>',
        'a JSON object with the values of the removed credentials, by name',
      )
      .option(
        '--mask <pattern>',
        'a pattern of values to ignore; keys (GUIDs) and times always are',
        gather,
      )
      .option(
        '--network <cidr>',
        'a private network that the servers may be in; other private networks are refused',
        gather,
      ),
    `Sends the recorded requests again, one after the other, and counts differences by operation and cause. The calls take effect: name servers whose data may change.

Exit codes: 0 no differences; 1 there are differences; 2 the recording cannot be read, or nothing was replayed.

Examples:
  ws01 replay traffic.jsonl --new http://127.0.0.1:8080 --network 127.0.0.0/8
  ws01 replay access.log --old https://old.example.com --new https://new.example.com/WS01.asmx --json`,
  ).action((file: string, options: Readonly<Record<string, unknown>>) =>
    run(replayTraffic, file, options),
  );
}

async function run(
  act: typeof recordTraffic,
  file: string,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const stop = stopSignal();
  try {
    process.exitCode = await act(file, options, {
      print: (text) => process.stdout.write(text),
      remark,
      stop,
    });
  } catch (error) {
    if (error instanceof UsageError) throw new UsageFailure(`${error.message}.`);
    if (error instanceof RecordingError) throw new UsageFailure(error.message);
    throw error;
  }
}
