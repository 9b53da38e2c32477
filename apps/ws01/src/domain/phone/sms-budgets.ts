import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Caller } from '../context.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { countryOf, isAssigned, phoneDigits } from '../values/phone.ts';

/** Number of last digits in which the numbers of one block differ. */
const BLOCK_DIGITS = 4;

/** A requested text message. */
export interface SmsUse {
  readonly caller: Caller;
  /** A number in normal form. */
  readonly phone: string;
  /** ISO 3166 code of `DEFAULT_COUNTRY`, which has no country budget. */
  readonly homeCountry: string | undefined;
}

/**
 * Spends the budgets of a text message, in the transaction that queues it. Fraudsters who earn from
 * messages (SMS pumping) request many to consecutive numbers abroad, so there are budgets by
 * number, block of numbers, country, user, token, and in total. A number that no country has given
 * out is tried once.
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
    ...(isAssigned(phone) ? [] : [budgets.spend(tx, 'smsPerUnassignedPhone', digits, now)]),
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
 * Checks that messages may be sent to the country of a number.
 * @param countries ISO 3166 codes; `undefined` for all.
 * @throws {Ws01Error} `DestinationBlocked`
 */
export function assertCountryAllowed(
  phone: string,
  countries: ReadonlySet<string> | undefined,
): void {
  if (countries === undefined) return;
  const country = countryOf(phone);
  if (country !== undefined && countries.has(country)) return;
  const problem =
    country === undefined
      ? 'is written without its country code'
      : `is in ${country}, where no messages are sent to`;
  throw new Ws01Error(
    'DestinationBlocked',
    `cellphone ${problem}; the operator allows ${[...countries].join(', ')}.`,
    {
      parameter: 'cellphone',
    },
  );
}
