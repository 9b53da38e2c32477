import { Ws01Error } from '../../contract/errors.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Rate } from '../values/rate.ts';

/** Every budget (semantics 4), with the words that its `RateLimited` message uses for the uses. */
export const BUDGETS = {
  linksPerAddress: 'short links made from one address',
  reviewsPerAddress: 'reviews from one address',
  reportsPerAddress: 'reports from one address',
  queriesPerAddress: 'queries from one address',
  picturesPerAddress: 'QR codes for one address',
  textBytesPerAddress: 'bytes of texts from one address',
  mailsPerSender: 'mails of one sender',
  mailsPerRecipient: 'mails to one recipient',
  recipientsPerBody: 'recipients of one text',
  recipientsPerBodyOfService: 'recipients of one text of a service',
  codesPerPhone: 'codes for one phone number',
  smsPerPhone: 'messages to one phone number',
  smsPerUnassignedPhone: 'messages to a phone number that is not assigned',
  smsPerPrefix: 'messages to one block of phone numbers',
  smsPerCountry: 'messages to one country',
  smsPerUser: 'messages asked for by one user',
  smsPerToken: 'messages asked for with one token',
  smsPerDay: 'messages in all',
  postsPerUser: 'posts of one user',
  textBytesPerUser: 'bytes of texts of one user',
  imageBytesPerUser: 'bytes of images of one user',
} as const;

export type BudgetName = keyof typeof BUDGETS;

/** The rates of each budget; all apply at once. A budget without rates is unlimited. */
export type BudgetRates = Readonly<Record<BudgetName, readonly Rate[]>>;

/** Every budget without limits: `RATE_LIMITS=off`. */
export const NO_BOUNDS = Object.freeze(
  Object.fromEntries(Object.keys(BUDGETS).map((name) => [name, []])),
) as unknown as BudgetRates;

/**
 * The name of a budget's window, in the table and in memory; each rate of a budget has its own
 * window.
 */
export function windowName(name: BudgetName, { window }: Rate): string {
  return `${name} ${window}`;
}

/** The error for a call whose budget is used up until `resetsAt`. */
export function rateLimited(
  name: BudgetName,
  rate: Rate,
  resetsAt: Instant,
  now: Instant,
): Ws01Error {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  const message = `Too many ${BUDGETS[name]}: ${rate.limit} in ${rate.window / 1000} seconds are allowed; try again in ${retryAfter} seconds.`;
  return new Ws01Error('RateLimited', message, { retryAfter });
}
