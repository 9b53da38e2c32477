import { type CallReport, RANGES, type ReportRange, reportOf } from '../domain/calls/report.ts';
import { ShortMemory } from '../turns/memory.ts';
import { shownInstant } from './kind.ts';
import type { Route } from './route.ts';
import { instant, integer, list, nullable, number, object, text, word } from './schema.ts';
import type { VerbDeps } from './verbs.ts';

/** Reports for a moment ago are good enough for all who ask; ms. */
const REMEMBERED_MS = 1_000;

const ALL_RANGES = Object.keys(RANGES) as ReportRange[];

/**
 * The route of the history of calls: how many there were, how many failed and why, and how long
 * they took.
 */
export function historyRoute({ store, clock }: Pick<VerbDeps, 'store' | 'clock'>): Route {
  const remembered = new ShortMemory<CallReport>({ ageMs: REMEMBERED_MS, most: 100 });
  const slot = object({
    from: instant('When it begins.'),
    to: instant('When the next one begins.'),
    calls: integer('Calls that were answered.'),
    errors: integer('Of them with an error.'),
    mean: nullable(number('How long one took; ms. Null without a call.')),
    p95: nullable(number('95 of 100 took at most so long; ms. Null without a call.')),
    before: nullable(
      integer('Calls in the slot as far on in as long a time before; null for 90 days.'),
    ),
  });
  const operation = object({
    operation: text('The operation; `-` for requests that none was found for.'),
    binding: text('How it was called; `describe` for pages about operations.'),
    calls: integer('Calls that were answered.'),
    clientErrors: integer('Of them with an error that the caller can mend.'),
    serverErrors: integer('Of them with an error of the service.'),
    mean: number('How long one took; ms.'),
    p95: number('95 of 100 took at most so long; ms.'),
  });
  const code = object({ error: text('The code.'), calls: integer('Calls that were answered so.') });
  return {
    method: 'get',
    path: '/history',
    id: 'callHistory',
    tag: 'calls',
    summary:
      'The calls of all nodes in the last hour to 90 days: by time, by operation and binding, errors by code',
    role: 'reader',
    query: {
      range: {
        ...word('How far back; minutes for an hour, days in UTC for 90 days.', ...ALL_RANGES),
        default: '1h',
      },
      operation: text('Only this operation; `-` for requests that none was found for.', {
        maxLength: 64,
      }),
    },
    result: object({
      slots: list('The oldest first; the last one is not over.', { ...slot, title: 'CallSlot' }),
      operations: list('Those with the most calls first.', { ...operation, title: 'CallSummary' }),
      errors: list('The most frequent first.', { ...code, title: 'ErrorCount' }),
    }),
    async run({ query }) {
      const range = query.range as ReportRange;
      const only = query.operation as string | undefined;
      const report = await remembered.find(`${range} ${only ?? ''}`, () =>
        store.scan((db) => reportOf(db, range, only, clock())),
      );
      return shownReport(report!);
    },
  };
}

function shownReport({ slotMs, times, slots, before, summaries, codes }: CallReport) {
  return {
    slots: times.map((time, at) => ({
      from: shownInstant(time)!,
      to: shownInstant(time + slotMs)!,
      ...slots[at]!,
      mean: slots[at]!.mean ?? null,
      p95: slots[at]!.p95 ?? null,
      before: before?.[at] ?? null,
    })),
    operations: summaries,
    errors: codes,
  };
}

/** The history of calls, as the API answers it. */
export type History = ReturnType<typeof shownReport>;
