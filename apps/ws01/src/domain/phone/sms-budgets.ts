import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Caller } from '../context.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { countryOf, phoneDigits } from '../values/phone.ts';

/** Digits at the end of a number that numbers of one block differ in. */
const BLOCK_DIGITS = 4;

/** A text message that is asked for. */
export interface SmsUse {
  readonly caller: Caller;
  /** Normal form. */
  readonly phone: string;
  /** ISO 3166 code of the country that has no budget of its own. */
  readonly homeCountry: string | undefined;
}

/**
 * Uses up what a text message costs, in the transaction that queues it. Whoever earns by messages to numbers of their own
 * asks for many, to numbers that follow one another, abroad: so they are counted by number, by block of numbers, by
 * country, by who asks, and in all.
 * @throws {Ws01Error} `RateLimited`
 */
export async function spendOnSms(
  tx: Kysely<Tables>,
  budgets: Budgets,
  { caller, phone, homeCountry }: SmsUse,
  now: Instant,
): Promise<void> {
  const digits = phoneDigits(phone);
  const country = countryOf(phone);
  const isAbroad = country === undefined || country !== homeCountry;
  await allInOrder([
    budgets.spend(tx, 'smsPerPhone', digits, now),
    budgets.spend(tx, 'smsPerPrefix', digits.slice(0, -BLOCK_DIGITS), now),
    ...(isAbroad ? [budgets.spend(tx, 'smsPerCountry', country ?? UNKNOWN, now)] : []),
    caller.kind === 'user'
      ? budgets.spend(tx, 'smsPerUser', caller.userId ?? '', now)
      : budgets.spend(tx, 'smsPerToken', caller.tokenId ?? '', now),
    budgets.spend(tx, 'smsPerDay', ALL, now),
  ]);
}

/** Numbers without a country share a budget. */
const UNKNOWN = '';
const ALL = '';

/**
 * Sees to it that a number is in a country that messages are sent to.
 * @param countries ISO 3166 codes; `undefined` for all.
 * @throws {Ws01Error} `DestinationBlocked`
 */
export function assertCountryAllowed(phone: string, countries: ReadonlySet<string> | undefined): void {
  if (countries === undefined) return;
  const country = countryOf(phone);
  if (country !== undefined && countries.has(country)) return;
  const problem =
    country === undefined ? 'is written without its country code' : `is in ${country}, where no messages are sent to`;
  throw new Ws01Error('DestinationBlocked', `cellphone ${problem}; the operator allows ${[...countries].join(', ')}.`, {
    parameter: 'cellphone',
  });
}
