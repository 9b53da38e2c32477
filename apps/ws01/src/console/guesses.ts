import type { Context } from 'hono';
import { siteNetworkOf } from '../domain/values/internet-address.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * Delays a network with too many failed attempts. Call it before the attempt, else a correct guess gets its answer
 * without a delay.
 * @throws {Ws01Error} `RateLimited`
 */
export async function slowed({ brake }: Pick<ConsoleDeps, 'brake'>, c: C): Promise<void> {
  const network = siteNetworkOf(c.get('visit').address);
  if (brake?.slows(network)) await brake.delay(network);
}

/**
 * Counts a failed attempt.
 * @throws {Ws01Error} `RateLimited`, after a delay, when there are too many.
 */
export async function failed({ brake }: Pick<ConsoleDeps, 'brake'>, c: C): Promise<void> {
  await brake?.fail(siteNetworkOf(c.get('visit').address));
}
