import { Ws01Error } from '../../contract/errors.ts';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { originOf } from '../shared/ownership.ts';
import { optionalKey, requiredKey } from '../values/keys.ts';
import { markOf, type Opinion, ratingToNumber, voteOf } from './opinion.ts';
import type { Tally } from './tally.ts';
import { findRepeat, type ReviewCall, reviewKey, writeReview } from './write.ts';

/** Dependencies of the operation on reviews. */
export interface ReviewDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** Whether anyone may review, or only back ends of `TRUSTED_CALLERS`. */
  readonly reviewsFrom: 'anyone' | 'trusted';
  /** The highest rating: `REVIEW_SCALE`. */
  readonly reviewScale: number;
}

/**
 * Operation 13: writes a review and returns the totals, in one transaction, so that the answer
 * includes this review and all earlier ones. The operation needs no credential: the voter is the
 * user in the call, or else the address. The `ip` parameter is trusted only from back ends of
 * `TRUSTED_CALLERS`.
 */
export function reviewOperations({
  store,
  clock,
  budgets,
  reviewsFrom,
  reviewScale,
}: ReviewDeps): Pick<OperationHandlers<CallContext>, 'submitReview'> {
  return {
    submitReview: async (params, { caller: context }) => {
      if (reviewsFrom === 'trusted' && context.isTrusted !== true) throw notTrusted();
      const read = () => readReview(params, context, clock(), reviewScale);
      return budgets.charging(
        'reviewsPerAddress',
        { ...originOf(context, params.ip), textBytes: bytesOfTexts([params.Mark]) },
        async (charge) => {
          const call = read();
          const { changed, tally } = await store.write((tx) => writeReview(tx, call), {
            records: [reviewKey(call)],
          });
          if (!changed) charge.refund();
          return tallyJson(call, await tally);
        },
        async () => {
          const call = read();
          const tally = await store.read((db) => findRepeat(db, call));
          return tally && tallyJson(call, tally);
        },
      );
    },
  };
}

function notTrusted(): Ws01Error {
  return new Ws01Error(
    'Forbidden',
    'Reviews are taken from back ends of this site only; the operator names them in TRUSTED_CALLERS.',
  );
}

function readReview(
  params: ParamsOf<'submitReview'>,
  context: CallContext,
  at: Instant,
  scale: number,
): ReviewCall {
  const subject = requiredKey(params.id, 'id');
  const opinion: Opinion = { positive: voteOf(params.IsPositive), ...markOf(params.Mark, scale) };
  const origin = originOf(context, params.ip);
  const userId = optionalKey(params.userId, 'userId');
  return { context, subject, userId, origin, opinion, at };
}

function tallyJson({ subject, opinion }: ReviewCall, tally: Tally): string {
  const isPositive = opinion.positive === null ? null : opinion.positive === 1;
  const mark = opinion.rating === null ? opinion.remark : ratingToNumber(opinion.rating);
  return JSON.stringify({ id: subject, ...tally, yours: { isPositive, mark } });
}
