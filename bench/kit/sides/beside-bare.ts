import type { OperationName } from '../../../apps/ws01/src/contract/service.ts';
import type { Engine } from '../../../apps/ws01/src/store/store.ts';
import { type Load, startLoad } from '../load/load.ts';
import { progress } from '../report.ts';
import { CALLS } from '../workloads/calls.ts';
import { type Binding, numbered, requestOf } from '../workloads/requests.ts';
import { seed } from '../workloads/seed.ts';
import { startBare } from './bare.ts';
import {
  alternate,
  type Contender,
  type Drive,
  type DriveOptions,
  drive,
  warmUp,
} from './compare.ts';
import { ask, wireText } from './http.ts';
import { startService } from './service.ts';

/** The drives of both sides, the same round at the same index. */
export interface Pair {
  readonly ours: readonly Drive[];
  readonly bare: readonly Drive[];
}

/** This service, seeded, and the bare server that answers the same bytes. */
export interface BesideBare {
  /** Drives the service until an operation's code is compiled, to be done before it is measured. */
  warmUp(operation: OperationName, connections: number, steps?: number): Promise<void>;
  /** Drives the service alone. */
  drive(operation: OperationName, binding: Binding, options: DriveOptions): Promise<Drive>;
  /** Drives both in turn. */
  compare(
    operation: OperationName,
    binding: Binding,
    options: DriveOptions & { readonly rounds: number },
  ): Promise<Pair>;
  stop(): Promise<void>;
}

/** A number that neither the seed nor the load uses. */
const TRIAL = 800_000_000_000;

export async function startBesideBare(engine: Engine): Promise<BesideBare> {
  const load: Load = startLoad();
  progress(`starting on ${engine}, with some users and articles`);
  const service = await startService(engine);
  const bare = await startBare();
  await seed(service.port);

  const requestsOf = (operation: OperationName, binding: Binding) =>
    requestOf(binding, operation, CALLS[operation].params);
  const contender = (operation: OperationName, binding: Binding): Contender => ({
    side: service,
    requests: [wireText(requestsOf(operation, binding))],
  });
  return {
    warmUp: (operation, connections, steps) =>
      warmUp(load, contender(operation, 'SOAP 1.1'), connections, steps),
    drive: (operation, binding, options) => drive(load, contender(operation, binding), options),
    async compare(operation, binding, options) {
      const answer = await ask(service.port, numbered(requestsOf(operation, binding), TRIAL));
      if (answer.status !== 200)
        throw new Error(`${operation}, ${binding}: ${answer.status} ${answer.body}`);
      await bare.tell(answer);
      const ours = contender(operation, binding);
      const drives = await alternate(load, [ours, { ...ours, side: bare }], options);
      return { ours: drives[0]!, bare: drives[1]! };
    },
    async stop() {
      await Promise.all([load.stop(), bare.stop(), service.stop()]);
    },
  };
}
