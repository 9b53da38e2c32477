import { isDeepStrictEqual } from 'node:util';
import { ECHO_NAMESPACE, type EchoService, startEcho } from '../../kit/echo.ts';
import { type Answer, parseAnswer, withoutRequestId } from './answer.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import { GOLDEN, type GoldenExchange, goldenExchanges, sendBytes } from './exchanges.ts';
import { type Pins, pinnedForm, readPins } from './pins.ts';
import { asRecorded } from './recorder.ts';
import { type RecordedRequest, recordedRequest } from './request.ts';

/**
 * - `same`: to the byte, in status line, headers that matter and body;
 * - `recorder`: to the byte, when the recording server's own traits are corrected;
 * - `purpose`: a difference of the table covers it, and the answer is the one that is written down;
 * - `unexplained`: anything else.
 */
export type Verdict = 'same' | 'recorder' | 'purpose' | 'unexplained';

/** A recorded exchange beside this service's own answer. */
export interface Compared {
  readonly name: string;
  readonly request: RecordedRequest;
  readonly recorded: Answer;
  readonly ours: Answer;
  readonly verdict: Verdict;
  /** The first that covers it; `undefined` where none does, or none is needed. */
  readonly difference: Difference | undefined;
  /** Of `unexplained`: what is wrong. */
  readonly complaint?: string;
}

/** Judges one answer. @param pin the answer that is written down; `undefined` where none is. */
export function judge(
  { name, request, response }: GoldenExchange,
  answered: Answer,
  pin: Pins[string] | undefined,
): Compared {
  const view = recordedRequest(request);
  const raw = parseAnswer(response, view.method === 'HEAD');
  const recorded = asRecorded(raw);
  const ours = withoutRequestId(answered);
  const told = { name, request: view, recorded, ours, difference: undefined };
  if (isDeepStrictEqual(ours, recorded)) {
    return { ...told, verdict: isDeepStrictEqual(raw, recorded) ? 'same' : 'recorder' };
  }
  const difference = DIFFERENCES.find((candidate) =>
    candidate.covers({ name, request: view, recorded, ours }),
  );
  if (difference === undefined)
    return { ...told, verdict: 'unexplained', complaint: 'no difference covers it' };
  if (pin === undefined)
    return { ...told, difference, verdict: 'unexplained', complaint: 'no answer is written down' };
  const kept = pin.difference === difference.id && isDeepStrictEqual(pin.answer, pinnedForm(ours));
  if (kept) return { ...told, difference, verdict: 'purpose' };
  return {
    ...told,
    difference,
    verdict: 'unexplained',
    complaint: 'it is not the answer that is written down',
  };
}

/** The day of the recording: what a time without a date means. */
const RECORDED_AT = Date.parse('2026-11-22T08:00:00Z');

/** The namespaces that the exchanges of a folder were recorded with, where not the usual one. */
const NAMESPACES: Readonly<Record<string, string>> = { 'p-ns': 'http://tempuri.org/' };

/** Replays every recorded exchange below a folder against the echo of the contract, on a real listener. */
export async function compareAll(root = GOLDEN): Promise<Compared[]> {
  const exchanges = goldenExchanges(root);
  const pins = readPins(root, new Set(exchanges.map(({ name }) => folderOf(name))));
  const closers: (() => unknown)[] = [];
  const echoes = new Map<string, EchoService>();
  const echoOf = async (name: string) => {
    const namespace = NAMESPACES[folderOf(name)] ?? ECHO_NAMESPACE;
    let echo = echoes.get(namespace);
    if (echo === undefined) {
      echo = await startEcho(
        { after: (close) => closers.push(close) },
        { namespace, now: () => RECORDED_AT },
      );
      echoes.set(namespace, echo);
    }
    return echo;
  };
  try {
    const compared: Compared[] = [];
    for (const exchange of exchanges) {
      compared.push(
        judge(exchange, await replay(await echoOf(exchange.name), exchange), pins[exchange.name]),
      );
    }
    return compared;
  } finally {
    await Promise.all(closers.map((close) => close()));
  }
}

/** This service's answer to a recorded request, with what its operation understood. */
async function replay(echo: EchoService, { request }: GoldenExchange): Promise<Answer> {
  echo.understood.length = 0;
  const answer = parseAnswer(
    await sendBytes(echo.port, request),
    request.toString('latin1', 0, 5) === 'HEAD ',
  );
  const [understood] = echo.understood;
  return understood === undefined ? answer : { ...answer, understood };
}

export function folderOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

/** How many exchanges have each verdict. */
export function countVerdicts(compared: readonly Compared[]): Record<Verdict, number> {
  const counts = { same: 0, recorder: 0, purpose: 0, unexplained: 0 };
  for (const { verdict } of compared) counts[verdict]++;
  return counts;
}
