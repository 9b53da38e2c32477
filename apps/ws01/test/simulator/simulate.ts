import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { registerUsers } from '../../src/domain/users/users.ts';
import { openStore } from '../../src/store/open.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { EXPECTED, type Expected } from './promises.ts';
import { newTally, type Tally } from './tally.ts';
import { SimulatedTime } from './time.ts';
import { World } from './world.ts';

/** Days that one world lives; each has a seed and a database of its own. */
export const WORLD_DAYS = 100;

/** Nothing here is to outlive a power cut. */
const MEMORY = '/dev/shm';

/** A promise that was broken, and how to see it again. */
export class BrokenPromise extends Error {
  readonly seed: number;

  constructor(message: string, seed: number, cause: unknown) {
    super(message, { cause });
    this.seed = seed;
  }
}

/**
 * Lives through so many days, in worlds of {@link WORLD_DAYS}.
 * @param seed of the first world; the next ones count on.
 * @param onWorld told what happened in each world, by its seed.
 * @param expected what is promised; another for tests of the simulator itself.
 * @throws {BrokenPromise} with the seed of the world that it was broken in.
 */
export async function simulate(
  days: number,
  seed: number,
  onWorld: (tally: Tally, seed: number) => void = () => {},
  expected: Expected = EXPECTED,
): Promise<void> {
  const parent = existsSync(MEMORY) ? MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, 'ws01-simulator-'));
  try {
    const template = join(folder, 'template');
    const store = await openStore({ dataDir: template });
    await registerUsers(
      store,
      [{ id: 'default-sender', name: 'A', email: 'a@users.example' }, { id: 'ada' }],
      () => 1,
    );
    await store.close();
    for (let done = 0, world = seed; done < days; world++) {
      const dataDir = join(folder, `world-${world}`);
      await cp(template, dataDir, { recursive: true });
      const tally = await live(dataDir, world, Math.min(WORLD_DAYS, days - done), expected);
      await rm(dataDir, { recursive: true });
      done += tally.days;
      onWorld(tally, world);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function live(
  dataDir: string,
  seed: number,
  days: number,
  expected: Expected,
): Promise<Tally> {
  const time = new SimulatedTime();
  const store = await openStore({ dataDir, schema: 'require', guest: true });
  const site = {
    ...{ time, store, random: new Random(seed), mails: [], texts: [], clockError: 0 },
    storeFaults: { refused: 0, unknown: 0, slow: 0 },
    changes: { at: 0, count: 0 },
    tally: newTally(),
    manners: { awayUntil: 0, deferred: 0, unheard: 0, slow: 0 },
  };
  const uninstall = time.install();
  const world = new World(site, join(dataDir, SQLITE_FILE), expected);
  const { tally } = site;
  try {
    await world.start();
    while (tally.days < days) await world.day();
    return tally;
  } catch (error) {
    const again = `npm run simulate -- --seed ${seed} --days ${tally.days + 1}`;
    throw new BrokenPromise(
      `day ${tally.days + 1} of seed ${seed}: ${(error as Error).message}\n${again}`,
      seed,
      error,
    );
  } finally {
    world.close();
    uninstall();
    await store.close();
  }
}
