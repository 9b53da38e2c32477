import type { Random } from '../../../../packages/asmx/test/kit/random.ts';
import type { MailTransport } from '../../src/adapters/mail/transport.ts';
import type { SmsGateway } from '../../src/adapters/sms/gateway.ts';
import { DependencyError } from '../../src/failure/dependency-error.ts';
import { countFault, type Tally } from './tally.ts';
import type { Simulated, SimulatedTime } from './time.ts';

/** How the other side of an adapter behaves; one in so many messages, 0 for none. */
export interface Manners {
  /** Until when nobody answers; ms of simulated time. */
  awayUntil: number;
  deferred: number;
  /** Takes the message over, and the acknowledgement is lost. */
  unheard: number;
  slow: number;
}

/** A message that the other side took over. */
export interface Delivered {
  readonly messageId: string;
  readonly subject: string;
  /** When its attempt began, and when it was taken over; ms of simulated time. */
  readonly begunAt: number;
  readonly at: number;
}

const QUICK_MS = 300;
const SLOW_MS = 40_000;

interface OtherSideDeps {
  readonly time: SimulatedTime;
  readonly owner: Simulated;
  readonly random: Random;
  readonly manners: Manners;
  readonly tally: Tally;
}

/** A conversation, as chance has it. @throws {DependencyError} unless the message was taken over and that was heard. */
async function converse(
  dependency: 'mail' | 'sms',
  { time, owner, random, manners, tally }: OtherSideDeps,
  signal: AbortSignal,
  mayLeave: () => boolean,
  taken: (begunAt: number) => void,
): Promise<string> {
  const happens = (kind: 'deferred' | 'unheard' | 'slow') => {
    const one = manners[kind];
    const does = one > 0 && random.below(one) === 0;
    if (does) countFault(tally, `${dependency} ${kind}`);
    return does;
  };
  const begunAt = time.now;
  await time.sleep(random.below(happens('slow') ? SLOW_MS : QUICK_MS), owner);
  const isAway = time.now < manners.awayUntil;
  if (isAway) countFault(tally, `${dependency} away`);
  if (signal.aborted || isAway)
    throw new DependencyError(dependency, 'unavailable', 'connection refused');
  if (happens('deferred')) throw new DependencyError(dependency, 'busy', '451 later');
  if (!mayLeave()) throw new DependencyError(dependency, 'unavailable', 'given up');
  taken(begunAt);
  await time.sleep(random.below(QUICK_MS), owner);
  if (signal.aborted) throw new DependencyError(dependency, 'outcomeUnknown', 'given up');
  if (happens('unheard'))
    throw new DependencyError(dependency, 'outcomeUnknown', 'connection lost');
  return '250 ok';
}

/** A mail server. @param delivered what it has taken over. */
export function mailServer(deps: OtherSideDeps, delivered: Delivered[]): MailTransport {
  return {
    connections: 3,
    send: ({ messageId, subject }, signal, mayLeave) =>
      converse('mail', deps, signal, mayLeave, (begunAt) =>
        delivered.push({ messageId, subject, begunAt, at: deps.time.now }),
      ),
    close: async () => {},
  };
}

/** An SMS gateway. @param delivered what it has taken over; the subject is the text. */
export function smsGateway(deps: OtherSideDeps, delivered: Delivered[]): SmsGateway {
  return {
    connections: 2,
    send: ({ id, text }, signal) =>
      converse(
        'sms',
        deps,
        signal,
        () => true,
        (begunAt) => delivered.push({ messageId: id, subject: text, begunAt, at: deps.time.now }),
      ),
    close: async () => {},
  };
}
