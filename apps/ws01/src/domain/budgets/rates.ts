import { Ws01Error } from '../../contract/errors.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Rate } from '../values/rate.ts';

/** Every budget (semantics 4), with what its refusal says there was too much of. */
export const BUDGETS = {
  linksPerAddress: 'short links made from one address',
  reviewsPerAddress: 'reviews from one address',
  queriesPerAddress: 'queries from one address',
  picturesPerAddress: 'QR codes for one address',
  mailsPerSender: 'mails of one sender',
  mailsPerRecipient: 'mails to one recipient',
  recipientsPerBody: 'recipients of one text',
  recipientsPerBodyOfService: 'recipients of one text of a service',
  codesPerPhone: 'codes for one phone number',
  smsPerPhone: 'messages to one phone number',
  smsPerPrefix: 'messages to one block of phone numbers',
  smsPerCountry: 'messages to one country',
  smsPerUser: 'messages asked for by one user',
  smsPerToken: 'messages asked for with one token',
  smsPerDay: 'messages in all',
  postsPerUser: 'posts of one user',
} as const;

export type BudgetName = keyof typeof BUDGETS;

/** The rates of each budget, all of which hold at once; a budget without rates is without bounds. */
export type BudgetRates = Readonly<Record<BudgetName, readonly Rate[]>>;

/** Every budget without bounds: `RATE_LIMITS=off`. */
export const NO_BOUNDS = Object.freeze(
  Object.fromEntries(Object.keys(BUDGETS).map((name) => [name, []])),
) as unknown as BudgetRates;

/** What the table and the memory know a budget's window by: two rates of one budget are counted apart. */
export function windowName(name: BudgetName, { window }: Rate): string {
  return `${name} ${window}`;
}

/** @returns the refusal of a call whose budget is used up until an instant. */
export function rateLimited(name: BudgetName, rate: Rate, resetsAt: Instant, now: Instant): Ws01Error {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  const message = `Too many ${BUDGETS[name]}: ${rate.limit} in ${rate.window / 1000} seconds are allowed; try again in ${retryAfter} seconds.`;
  return new Ws01Error('RateLimited', message, { retryAfter });
}
