import type { Budgets } from '../domain/budgets/budgets.ts';
import { dismissReports, reopenReports, reportRecord } from '../domain/moderation/reports.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { REPORT_DETAIL, REPORT_REASONS, REPORTED_KINDS } from '../records/reports.ts';
import type { ReportsTable } from '../store/tables/tables.ts';
import { REPORTS } from './kinds.ts';
import type { Route } from './route.ts';
import { flag, object, text, word } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

export interface ReportRouteDeps extends VerbDeps {
  readonly budgets: Pick<Budgets, 'charging'>;
}

const VERBS: readonly Verb[] = [
  {
    name: 'dismiss',
    summary: 'Close it and the other reports of its record, which stays as it is',
    role: 'moderator',
    act: dismissReports,
  },
  {
    name: 'reopen',
    summary: 'Undo the closing of it and of those closed with it',
    role: 'moderator',
    act: reopenReports,
  },
];

/** What readers report, without a credential, and what moderators do with it. */
export function reportRoutes(deps: ReportRouteDeps): readonly Route[] {
  return [readersRoute(deps), ...VERBS.map((verb) => verbRoute(REPORTS, verb, deps))];
}

function readersRoute({ store, clock, budgets }: ReportRouteDeps): Route {
  return {
    method: 'post',
    path: '/public/reports',
    id: 'reportRecord',
    tag: 'public',
    summary: 'Report a published record to the moderators; one report of a record for each network',
    role: 'public',
    body: object(
      {
        targetKind: word('The kind of what is reported.', ...REPORTED_KINDS),
        targetKey: text('Its key.', { maxLength: 64 }),
        reason: word('Why.', ...REPORT_REASONS),
        detail: text('In words.', { maxLength: REPORT_DETAIL }),
      },
      ['detail'],
    ),
    result: object({ received: flag('Always true: what becomes of it is not told.') }),
    status: 202,
    errors: ['NotFound', 'RateLimited', 'Busy'],
    async run({ body, address, requestId }) {
      const report = {
        kind: body.targetKind as ReportsTable['target_kind'],
        key: canonicalKey(String(body.targetKey)),
        reason: body.reason as ReportsTable['reason'],
        detail: String(body.detail ?? '').trim(),
        ...{ address, requestId, at: clock() },
      };
      await budgets.charging('reportsPerAddress', { address }, async (charge) => {
        if (!(await store.write((tx) => reportRecord(tx, report)))) charge.refund();
      });
      return { received: true };
    },
  };
}
