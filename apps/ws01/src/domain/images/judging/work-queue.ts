import { Ws01Error } from '../../../contract/errors.ts';

/** Runs a bounded number of works at once; the others wait their turn. */
interface WorkQueue {
  /** @throws {Ws01Error} `Busy` when too many wait already; and whatever the work throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** @param parallel works at once. @param most works that may wait. */
export function createWorkQueue(parallel: number, most: number): WorkQueue {
  const waiting: (() => void)[] = [];
  let running = 0;
  const begin = (): Promise<void> | void => {
    if (running < parallel) {
      running++;
      return;
    }
    if (waiting.length >= most) throw new Ws01Error('Busy', 'Too many images are being worked on; try again.');
    return new Promise((resolve) => waiting.push(resolve));
  };
  const end = () => {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  };
  return {
    async run(work) {
      await begin();
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
