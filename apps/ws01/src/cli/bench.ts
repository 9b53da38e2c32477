import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { Command, InvalidArgumentError } from 'commander';
import { UsageFailure } from './failure.ts';
import { withJson } from './io/options.ts';
import { print, printJson, remark } from './io/output.ts';
import { createProgress, shownRate } from './io/progress.ts';
import { table } from './io/table.ts';
import { stopSignal } from './signals.ts';

/** So many callers at once, step by step; each waits for its answer before it calls again. */
const CALLERS = [1, 4, 16, 64];

/** Longest step; s. */
const MOST_SECONDS = 60;

/** An answer that takes longer counts as failed; ms. */
const PATIENCE_MS = 10_000;

/** With so many failed calls in a hundred, no step with more callers follows. */
const MOST_FAILED = 1;

export function benchCommand(): Command {
  return withJson(
    new Command('bench')
      .requiredOption(
        '--url <url>',
        'the service, such as http://127.0.0.1:8080; without a path its endpoint is /WS01.asmx',
      )
      .option('--user <id>', 'the user whose adverts are listed; choose one who has many', 'bench')
      .option(
        '--seconds <number>',
        `how long each step takes, at most ${MOST_SECONDS}`,
        seconds,
        5,
      ),
    `Lists adverts (QueryAdvert) by ${CALLERS.join(', ')} callers at once, and prints how many answers came a second and how long they took. Changes nothing. Ends early where more than ${MOST_FAILED} in 100 calls fail, and at Ctrl-C.

Calls beyond RATE_LIMITS are refused, and counted: try it on a copy that has RATE_LIMITS=off. On the same machine, the callers take a part of the processors.

Exit codes: 0 done; 1 the service failed under the load; 2 it cannot be reached, or its first answer is an error.

Examples:
  ws01 bench --url http://127.0.0.1:8080
  ws01 bench --url https://ws01.example.com/WS01.asmx --user ada --seconds 20`,
  ).action(run);
}

/** What a step came to; times in ms. */
interface Load {
  readonly callers: number;
  readonly answers: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers 429. */
  readonly refused: number;
  /** Other answers than 200, and calls without one. */
  readonly failed: number;
}

interface Options {
  readonly url: string;
  readonly user: string;
  readonly seconds: number;
  readonly json?: true;
}

async function run({ url, user, seconds, json }: Options): Promise<void> {
  const call = callerOf(url, user);
  const first = await call();
  if (first !== 200)
    throw new UsageFailure(`${url} ${saidOf(first)}; name a service that answers QueryAdvert.`);
  const stop = stopSignal();
  const progress = createProgress();
  const steps: Load[] = [];
  for (const callers of CALLERS) {
    progress.show(`${callers} at once, ${seconds} s`, callers === CALLERS.at(-1));
    const step = await stepOf(call, callers, seconds * 1_000, stop);
    steps.push(step);
    if (stop.aborted || hasFailed(step)) break;
  }
  progress.end();
  await (json ? printJson({ url, steps }) : print(shown(steps)));
  if (steps.some(({ refused }) => refused > 0))
    remark('RATE_LIMITS refused some calls; try it on a copy that has RATE_LIMITS=off.');
  if (steps.some(hasFailed)) process.exitCode = 1;
}

function seconds(text: string): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MOST_SECONDS) return number;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_SECONDS}.`);
}

/** What one call came to: its status, or why it has none. */
type Answer = number | Error;

const saidOf = (answer: Answer) =>
  typeof answer === 'number' ? `answers ${answer}` : `cannot be reached: ${answer.message}`;

/** Returns what calls the service once. @throws {CommandFailure} for what is no URL of HTTP. */
function callerOf(url: string, user: string): () => Promise<Answer> {
  const base = URL.parse(url);
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new UsageFailure(`--url must be an http or https URL, not ${url}.`);
  const endpoint = base.pathname === '/' ? '/WS01.asmx' : base.pathname;
  const path = `${endpoint}/QueryAdvert?userId=${encodeURIComponent(user)}`;
  const isPlain = base.protocol === 'http:';
  const [request, Agent] = isPlain ? [plainRequest, PlainAgent] : [tlsRequest, TlsAgent];
  const options = { path, agent: new Agent({ keepAlive: true }), timeout: PATIENCE_MS };
  return () =>
    new Promise((resolve) => {
      const asked = request(base, options, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode!));
        answer.on('error', resolve);
      });
      asked.on('timeout', () => asked.destroy(new Error(`no answer in ${PATIENCE_MS / 1_000} s`)));
      asked.on('error', resolve);
      asked.end();
    });
}

async function stepOf(
  call: () => Promise<Answer>,
  callers: number,
  ms: number,
  stop: AbortSignal,
): Promise<Load> {
  const times: number[] = [];
  let [refused, failed] = [0, 0];
  const began = performance.now();
  const one = async () => {
    while (performance.now() - began < ms && !stop.aborted) {
      const asked = performance.now();
      const answer = await call();
      if (answer === 200) times.push(performance.now() - asked);
      else if (answer === 429) refused++;
      else failed++;
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
  const took = performance.now() - began;
  times.sort((a, b) => a - b);
  const part = (share: number) => rounded(times[Math.floor(times.length * share)] ?? 0);
  const perSecond = rounded((times.length * 1_000) / took);
  const counted = { callers, answers: times.length, refused, failed };
  return { ...counted, perSecond, p50: part(0.5), p99: part(0.99) };
}

const rounded = (number: number) => Math.round(number * 100) / 100;

function hasFailed({ answers, refused, failed }: Load): boolean {
  return failed * 100 > MOST_FAILED * (answers + refused + failed);
}

function shown(steps: readonly Load[]): string {
  const rows = steps.map(({ callers, perSecond, p50, p99, refused, failed }) => [
    ...[callers, shownRate(perSecond), p50, p99, refused, failed].map(String),
  ]);
  return table(['CALLERS', 'PER SECOND', 'P50 MS', 'P99 MS', 'REFUSED', 'FAILED'], rows);
}
