import { type Side, startNode } from './side.ts';

/** Starts `bare-server.ts`; it must be told what to answer, a `BareAnswer`. */
export function startBare(name = 'bare node:http'): Promise<Side> {
  return startNode(name, [`${import.meta.dirname}/bare-server.ts`], { told: true });
}
