import { type Side, startNode } from './side.ts';

/** Starts `bare-server.ts`; it must be told what to answer, a `BareAnswer`. */
export function startBare(): Promise<Side> {
  return startNode('bare node:http', [`${import.meta.dirname}/bare-server.ts`], { told: true });
}
