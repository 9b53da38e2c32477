import { readFile } from 'node:fs/promises';
import {
  UPSTREAM_ANSWER_BYTES,
  UPSTREAM_TIMEOUT_MS,
  Upstream,
} from '@ws01/asmx/internal/node/upstream/ask';
import { masker } from '../traffic/mask.ts';
import { readRecording } from '../traffic/read-recording.ts';
import { replay } from '../traffic/replay.ts';
import { replayLines } from '../traffic/replay-report.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { networksOf, texts, upstreamUrl } from './record-command.ts';

/** Interval of progress messages; exchanges. */
const TELL_EVERY = 1_000;

export const replayCommand: Command = {
  name: 'replay',
  parameters: ['<recording>'],
  summary:
    'Replay recorded requests against the new server and, if given, the old one, and compare the answers.',
  options: {
    new: { type: 'string' },
    old: { type: 'string' },
    only: { type: 'string', multiple: true },
    secrets: { type: 'string' },
    mask: { type: 'string', multiple: true },
    network: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  help: `
<recording> is a file made by asmx record, a HAR file, or an access log of nginx, Apache or IIS (only GET is replayed). The calls take effect: name servers whose data may change.

  --new <url>       the new server; if the URL has a path, calls go to it instead of the recorded path
  --old <url>       also call the old server; without it, compare with the recorded answers
  --only <name>     only this operation; repeatable
  --secrets <file>  a JSON object with the values of the removed credentials, by name
  --mask <pattern>  a pattern of values to ignore; keys (GUIDs) and times always are
  --network <cidr>  a private network that the servers may be in, such as 127.0.0.0/8; other private ones are refused
  --json            print one JSON object

Compares status, content type and content; XML and JSON by meaning, not by bytes. Differences are counted by operation and cause. Exit codes: 0 no differences; 1 there are differences; 2 the recording cannot be read, or nothing was replayed.

Examples:
  asmx replay traffic.jsonl --new http://127.0.0.1:8080 --network 127.0.0.0/8
  asmx replay access.log --old https://old.example.com --new https://new.example.com --json`,
  run: ([file = ''], options, terminal) => runReplay(file, options, terminal),
};

/** Replays a recording. @returns the exit code. @throws {UsageError} @throws {RecordingError} */
export async function runReplay(
  file: string,
  options: Readonly<Record<string, unknown>>,
  { print, remark, stop }: Pick<Terminal, 'print' | 'remark' | 'stop'>,
): Promise<number> {
  const networks = networksOf(options.network);
  const upstream = (url: URL) =>
    new Upstream({
      url,
      networks,
      timeoutMs: UPSTREAM_TIMEOUT_MS,
      answerBytes: UPSTREAM_ANSWER_BYTES,
    });
  const newUrl = upstreamUrl(options.new, '--new');
  const ours = upstream(newUrl);
  const old = options.old === undefined ? undefined : upstream(upstreamUrl(options.old, '--old'));
  try {
    const report = await replay(readRecording(file), {
      ours,
      old,
      ourPath: newUrl.pathname === '/' ? undefined : newUrl.pathname,
      secrets: await readSecrets(options.secrets),
      only: new Set(texts(options.only)),
      mask: masker(texts(options.mask).map(pattern)),
      onDone: (done) => {
        if (done % TELL_EVERY === 0) remark(`${done} replayed …`);
      },
      stop,
    });
    print(options.json ? `${JSON.stringify(report)}\n` : `${replayLines(report).join('\n')}\n`);
    if (report.replayed === 0) return 2;
    return report.different === 0 ? 0 : 1;
  } finally {
    ours.close();
    old?.close();
  }
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(`--mask: ${(error as Error).message}`);
  }
}

/** The values that were taken out, by lower-case name. @throws {UsageError} */
async function readSecrets(file: unknown): Promise<ReadonlyMap<string, string>> {
  if (typeof file !== 'string') return new Map();
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(
      `--secrets: ${file} is not a JSON file (${(error as NodeJS.ErrnoException).code ?? 'syntax'})`,
    );
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0 || entries.some(([, secret]) => typeof secret !== 'string')) {
    throw new UsageError(`--secrets: ${file} must be a JSON object such as {"token": "…"}`);
  }
  const secrets = new Map<string, string>();
  for (const [name, secret] of entries) {
    if (secrets.has(name.toLowerCase()))
      throw new UsageError(
        `--secrets: ${file} has ${name} twice; upper and lower case are the same`,
      );
    secrets.set(name.toLowerCase(), secret as string);
  }
  return secrets;
}
