import type { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { DependencyError } from '../../src/failure/dependency-error.ts';
import type { Store } from '../../src/store/store.ts';
import { countFault, type Tally } from './tally.ts';
import { as, type Simulated, type SimulatedTime } from './time.ts';

/** How a database behaves; one in so many operations, 0 for none. */
export interface StoreFaults {
  /** Nothing is done, and that is said. */
  refused: number;
  /** A commit gets no reply: half of them were carried out. */
  unknown: number;
  /** Takes its time, up to {@link SLOW_MS}. */
  slow: number;
}

/** What was done to the database. */
export interface Changes {
  count: number;
  /** When it was changed, or kept somebody from seeing how it is, for the last time; ms of simulated time. */
  at: number;
}

const SLOW_MS = 20_000;

const FAULT = 'A simulated fault.';

const never = new Promise<never>(() => {});

/** The real store as one simulated process reaches it: with faults at its boundary, and with its end at the process's end. */
export function faultyStore(
  store: Store,
  time: SimulatedTime,
  owner: Simulated,
  random: Random,
  faults: StoreFaults,
  changes: Changes,
  tally: Tally,
): Store {
  const happens = (kind: keyof StoreFaults) => {
    const one = faults[kind];
    const does = one > 0 && random.below(one) === 0;
    if (does) countFault(tally, `database ${kind}`);
    return does;
  };
  const refuse = () =>
    new DependencyError('database', random.below(2) === 0 ? 'unavailable' : 'busy', FAULT);
  /** @param run the operation on the real store, which takes no simulated time. */
  const reach = async <T>(run: () => Promise<T>): Promise<T> => {
    if (happens('slow')) {
      await time.sleep(random.below(SLOW_MS), owner);
      changes.at = time.now;
    }
    if (!owner.alive) return never;
    if (happens('refused')) {
      changes.at = time.now;
      throw refuse();
    }
    const value = await time.during(() => as(undefined, run));
    // Who has died is not told.
    return owner.alive ? value : never;
  };
  return {
    engine: store.engine,
    metrics: store.metrics,
    failed: store.failed,
    unmarked: store.unmarked,
    read: (work) => reach(() => store.read((db) => as(owner, () => work(db)))),
    browse: (work) => reach(() => store.browse((db) => as(owner, () => work(db)))),
    scan: (work) => reach(() => store.scan((db) => as(owner, () => work(db)))),
    snapshot: (work) => reach(() => store.snapshot((db) => as(owner, () => work(db)))),
    write: (work, limits) =>
      reach(async () => {
        const isUnknown = happens('unknown');
        if (isUnknown && random.below(2) === 0)
          throw new DependencyError('database', 'outcomeUnknown', FAULT);
        const value = await store.write((tx) => as(owner, () => work(tx)), limits);
        changes.at = time.now;
        changes.count++;
        if (isUnknown) throw new DependencyError('database', 'outcomeUnknown', FAULT);
        return value;
      }),
    check: () => reach(() => store.check()),
    close: async () => {},
  };
}
