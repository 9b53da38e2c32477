import type { Endpoint } from './endpoint-options.ts';

/** What answers requests, and at which paths if that is known. */
export type Answering = Pick<Endpoint, 'request'> & Partial<Pick<Endpoint, 'paths'>>;

/**
 * Several endpoints as one. A path below another one, such as `/Shop.asmx/v2`, is asked first,
 * because the other would take what follows for an operation.
 * @param by the function that was called so, for messages.
 * @throws {TypeError} for what is no endpoint, and two at one path: the second would never be
 *   asked.
 */
export function several(endpoints: readonly Answering[], by: string): Pick<Endpoint, 'request'> {
  if (endpoints.length === 0 || endpoints.some((each) => typeof each?.request !== 'function'))
    throw new TypeError(`${by}: it takes what createEndpoint returns.`);
  const taken = new Set<string>();
  for (const path of endpoints.flatMap(({ paths = [] }) => paths)) {
    const plain = path.toLowerCase();
    if (taken.has(plain))
      throw new TypeError(
        `${by}: two services are at ${path}, and the second would never answer; give it another path.`,
      );
    taken.add(plain);
  }
  const [only] = endpoints;
  if (endpoints.length === 1) return only!;
  const longest = ({ paths = [] }: Answering) => Math.max(0, ...paths.map((path) => path.length));
  const inTurn = [...endpoints].sort((one, other) => longest(other) - longest(one));
  return {
    request: (request) => {
      for (const endpoint of inTurn) {
        const answering = endpoint.request(request);
        if (answering !== undefined) return answering;
      }
      return undefined;
    },
  };
}
