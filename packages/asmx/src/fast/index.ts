/**
 * The entry `./fast`. `fastPath`, an option of `createEndpoint`, reads the envelopes of generated
 * proxies without the XML reader and defers calls. The answers are the same; `npm run bench --
 * fast` shows the saved CPU time.
 * @packageDocumentation
 */

import type { FastPath } from '../exchange/fast-path.ts';
import { readFastEnvelope } from './envelope/envelope.ts';

export type { FastPath } from '../exchange/fast-path.ts';

/** For `createEndpoint(contract, { fastPath, … })`. */
export const fastPath: FastPath = { defer: deferToEndOfTurn, readEnvelope: readFastEnvelope };

let waiting: (() => void)[] = [];

/**
 * Defers `proceed` to the end of the event-loop turn, so that concurrent calls run phase by phase:
 * each phase for all of them, while its code and data are in the processor's caches. A call that is
 * alone waits for nothing.
 *
 * Without it a call takes 1 to 1.2 times the CPU time (`npm run bench -- fast`: countUserPosted, 32
 * connections).
 */
function deferToEndOfTurn(proceed: () => void): void {
  if (waiting.push(proceed) === 1) setImmediate(proceedAll);
}

function proceedAll(): void {
  const all = waiting;
  waiting = [];
  for (const proceed of all) proceed();
}
