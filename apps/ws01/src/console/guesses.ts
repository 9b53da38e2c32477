import type { Context } from 'hono';
import { siteNetworkOf } from '../domain/values/internet-address.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/** Of names, so much tells their places apart; code units. */
const LONGEST_NAME = 100;

type C = Context<ConsoleEnv>;

/**
 * Delays a network with too many failed attempts. Call it before the attempt, else a correct guess gets its answer
 * without a delay. What cannot be guessed, such as a passkey, is not delayed.
 * @param name of the account that is tried.
 * @throws {Ws01Error} `RateLimited`
 */
export async function slowed(
  { brake }: Pick<ConsoleDeps, 'brake'>,
  c: C,
  name: string,
): Promise<void> {
  const network = siteNetworkOf(c.get('visit').address);
  if (brake?.slows(network))
    await brake.delay(network, name.trim().toLowerCase().slice(0, LONGEST_NAME));
}

/**
 * Counts a failed attempt.
 * @throws {Ws01Error} `RateLimited`, after a delay, when there are too many.
 */
export async function failed({ brake }: Pick<ConsoleDeps, 'brake'>, c: C): Promise<void> {
  await brake?.fail(siteNetworkOf(c.get('visit').address));
}
