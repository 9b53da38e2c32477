import type { Instant, OutboxTable } from '../../store/tables/tables.ts';
import type { AttemptOutcome, Delivery, OutboxMessage } from './delivery.ts';

/** Maximum length of a stored reply, in code points. */
const REPLY_MAX = 1_000;

/** The columns that an outcome changes. */
export type Settlement = Pick<
  OutboxTable,
  'state' | 'attempts' | 'deferrals' | 'due_at' | 'last_reply' | 'finished_at'
> & { readonly lease: null };

/**
 * Returns the new state of a message after an attempt (semantics 5.7). A deferred message is
 * attempted a last time at its deadline, and then fails.
 *
 * @param reopensAt when the server is tried again if it is unreachable.
 * @param previous the reply of earlier attempts.
 */
export function settle(
  job: OutboxMessage,
  outcome: AttemptOutcome,
  { waits }: Pick<Delivery, 'waits'>,
  now: Instant,
  reopensAt: Instant,
): Settlement | Omit<Settlement, 'last_reply'> {
  const { attempts, deferrals } = job;
  switch (outcome.kind) {
    case 'later':
      // No attempt was made, so there is no new reply.
      return { ...putOff(job), attempts: attempts - 1, deferrals, due_at: outcome.at };
    case 'deferred':
    case 'unreachable': {
      const last_reply = shorten(outcome.reply);
      if (now >= job.give_up_at) {
        return {
          state: 'failed',
          attempts,
          deferrals,
          due_at: null,
          last_reply,
          finished_at: now,
          lease: null,
        };
      }
      const more = outcome.kind === 'deferred' ? deferrals + 1 : deferrals;
      const next = outcome.kind === 'deferred' ? now + waitAfter(more, waits) : reopensAt;
      return {
        ...putOff(job),
        state: 'deferred',
        attempts,
        deferrals: more,
        due_at: atLatest(job, next),
        last_reply,
      };
    }
    default:
      return {
        state: outcome.kind,
        attempts:
          outcome.kind === 'suppressed' || outcome.kind === 'cancelled' ? attempts - 1 : attempts,
        deferrals,
        due_at: null,
        last_reply: shorten(outcome.reply),
        finished_at: now,
        lease: null,
      };
  }
}

function putOff({ attempts }: OutboxMessage) {
  return { state: attempts > 1 ? 'deferred' : 'queued', finished_at: null, lease: null } as const;
}

function atLatest({ give_up_at }: OutboxMessage, at: Instant): Instant {
  return Math.min(at, give_up_at);
}

/** Returns the wait after the nth deferral; ms. */
function waitAfter(deferrals: number, { first, longest }: Delivery['waits']): number {
  return Math.min(longest, first * 2 ** Math.min(deferrals - 1, 30));
}

/** Returns a reply as one line without control characters. */
export function shorten(reply: string): string {
  const line = reply
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim();
  const chars = [...line];
  return chars.length <= REPLY_MAX ? line : `${chars.slice(0, REPLY_MAX - 1).join('')}…`;
}
