import { defineLimits, type Limits } from '../contract/limits.ts';
import type { Endpoint } from '../engine/endpoint-options.ts';
import { Arrivals } from '../exchange/intake/arrivals.ts';

/** An account of what arrives, as an endpoint has one, for a server that has no endpoint. */
export function separateAccount(limits: Partial<Limits> = {}): Pick<Endpoint, 'arriving'> {
  const arrivals = new Arrivals(defineLimits(limits));
  return { arriving: (stop) => arrivals.begin(stop) };
}
