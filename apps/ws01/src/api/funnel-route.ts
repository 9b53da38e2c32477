import { DAY_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { firstKeyAt } from '../records/conditions.ts';
import { COUNTED } from '../records/list.ts';
import type { Route } from './route.ts';
import { flag, integer, list, object, text } from './schema.ts';
import type { VerbDeps } from './verbs.ts';

/** Days that the answer covers. */
const DAYS = 30;
/** Counts of each step of phone verification, per day. */
export function funnelRoute({ store, clock }: Pick<VerbDeps, 'store' | 'clock'>): Route {
  const day = object({
    day: text('In UTC.', { format: 'date' }),
    created: integer('Codes that were asked for.'),
    attempted: integer('Answers.'),
    verified: integer('Right answers.'),
  });
  return {
    method: 'get',
    path: '/funnel',
    id: 'codeFunnel',
    tag: 'codes',
    summary: `How many verification codes were asked for, answered and answered rightly, on each of the last ${DAYS} days`,
    role: 'reader',
    result: object({
      items: list('The oldest first; days without any have zeros.', { ...day, title: 'FunnelDay' }),
      complete: flag(`Whether all were counted, which are ${COUNTED} steps at most, the newest.`),
    }),
    async run() {
      const today = Math.floor(clock() / DAY_MS);
      const first = today - DAYS + 1;
      const counted = sql<{ action: string; day: number | string; steps: number | string }>`
        select action, day, count(*) as steps from (
          select action, at / ${sql.lit(DAY_MS)} as day from audit
          where substr(audit.action, 1, 5) = 'code.' and id >= ${firstKeyAt(first * DAY_MS)}
          order by id desc limit ${sql.lit(COUNTED)}
        ) newest group by action, day`;
      const { rows } = await store.scan((db) => counted.execute(db));
      const count = (action: string, of: number) =>
        Number(rows.find((row) => row.action === action && Number(row.day) === of)?.steps ?? 0);
      const items = Array.from({ length: DAYS }, (_, index) => {
        const at = first + index;
        return {
          day: new Date(at * DAY_MS).toISOString().slice(0, 10),
          created: count('code.create', at),
          attempted: count('code.attempt', at),
          verified: count('code.verify', at),
        };
      });
      return { items, complete: rows.reduce((sum, { steps }) => sum + Number(steps), 0) < COUNTED };
    },
  };
}
