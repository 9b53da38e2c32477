import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  UPSTREAM_ANSWER_BYTES,
  UPSTREAM_TIMEOUT_MS,
  Upstream,
} from '@ws01/asmx/internal/node/upstream/ask';
import { Networks } from '@ws01/asmx/internal/node/upstream/networks';
import { createRecordingProxy } from '@ws01/asmx/internal/node/upstream/recording-proxy';
import { keepExchange } from '../traffic/keep-exchange.ts';
import { RecordingFile } from '../traffic/recording-file.ts';
import { Secrets } from '../traffic/redact.ts';
import { type Command, type Terminal, UsageError } from './command.ts';

/** What names secrets. `--redact` is the name that `record` had for it in 0.2. */
export const SECRET_OPTIONS = {
  secret: { type: 'string', multiple: true },
  redact: { type: 'string', multiple: true },
} as const;

/** What is taken out of recordings. */
export const SECRETS_HELP =
  'Passwords, tokens, tickets, session ids, keys and other secrets are taken out of requests and answers: they are found by the words in the names of parameters, members, attributes and results, and wherever their values come again.';

/** What help says of the option. */
export const SECRET_HELP =
  '--secret <name>    another parameter, member or result that is a secret; repeatable; --redact is the same';

/** The names that a person gave. */
export function secretsOf({
  secret,
  redact,
}: Readonly<Record<string, unknown>>): readonly string[] {
  return [...texts(secret), ...texts(redact)];
}

/** Where the proxy listens, by default. */
const PORT = 8081;

export const recordCommand: Command = {
  name: 'record',
  parameters: ['<recording>'],
  summary:
    'Run a proxy in front of an old server that forwards requests unchanged and records them with their answers.',
  options: {
    to: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
    ...SECRET_OPTIONS,
    network: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  help: `
<recording> is a new file, one JSON object per line, that only its owner can read. ${SECRETS_HELP} Of the headers, only Content-Type, SOAPAction, Accept and User-Agent are kept. Personal data is kept.

  --to <url>         the old server
  --port <number>    the port of the proxy; default ${PORT}; 0 takes a free one
  --host <address>   the address to listen on; default 127.0.0.1
  ${SECRET_HELP}
  --network <cidr>   a private network that the old server may be in, such as 10.0.0.0/8; other private ones are refused
  --json             print one JSON object at the end

Stop it with Ctrl-C. Exit codes: 0 done; 1 it cannot listen or write; 2 usage error.

Examples:
  asmx record traffic.jsonl --to https://old.example.com
  asmx record traffic.jsonl --to http://10.0.0.5 --network 10.0.0.0/8 --secret customerNo`,
  run: ([file = ''], options, terminal) => record(file, options, new Set(), terminal),
};

/**
 * Records until it is stopped.
 * @param secrets names of parameters that a contract marks as credentials.
 * @throws {UsageError} @throws the system's error when it cannot listen or write.
 */
export async function record(
  file: string,
  options: Readonly<Record<string, unknown>>,
  secrets: ReadonlySet<string>,
  { print, remark, stop }: Pick<Terminal, 'print' | 'remark' | 'stop'>,
): Promise<number> {
  const url = upstreamUrl(options.to, '--to');
  const networks = networksOf(options.network);
  const taken = new Secrets([...secrets, ...secretsOf(options)]);
  const port = options.port === undefined ? PORT : Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError('--port must be a number from 0 to 65535');
  const upstream = new Upstream({
    url,
    networks,
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    answerBytes: UPSTREAM_ANSWER_BYTES,
  });
  const recording = await RecordingFile.create(file, url.origin, ({ message }) =>
    remark(`Nothing is recorded: ${message}. Calls are forwarded as before.`),
  );
  let unanswered = 0;
  const server = createRecordingProxy(upstream, (proxied) => {
    if (proxied.answer === undefined) unanswered++;
    recording.add(keepExchange(proxied, taken));
  });
  try {
    server.listen(port, typeof options.host === 'string' ? options.host : '127.0.0.1');
    await once(server, 'listening');
    const { address, port: actual } = server.address() as AddressInfo;
    const host = address.includes(':') ? `[${address}]` : address;
    remark(`Recording ${url.origin} at http://${host}:${actual}; Ctrl-C ends it.`);
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    server.close();
    server.closeIdleConnections();
    if (server.listening) await once(server, 'close');
    upstream.close();
    await recording.close();
  }
  const { count } = recording;
  const without = unanswered > 0 ? `, ${unanswered} without an answer` : '';
  print(
    options.json
      ? `${JSON.stringify({ file, exchanges: count, unanswered })}\n`
      : `${file}: ${count} exchanges${without}.\n`,
  );
  return 0;
}

/** A server that a person named. @throws {UsageError} */
export function upstreamUrl(text: unknown, option: string): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`${option} must be an http or https URL`);
  }
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${option} must not hold a user or password`);
  return url;
}

/** @throws {UsageError} */
export function networksOf(networks: unknown): Networks {
  try {
    return new Networks(texts(networks));
  } catch (error) {
    throw new UsageError(`--network: ${(error as Error).message.replace(/\.$/, '')}`);
  }
}

export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
