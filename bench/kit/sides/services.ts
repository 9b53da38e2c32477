import type { BenchOptions } from '../bench.ts';
import { startLoad } from '../load/load.ts';
import { progress } from '../report.ts';
import { alternate, type Contender, type Drive, type DriveOptions, warmUp } from './compare.ts';
import { createServiceDatabase, type ServiceDatabase, startServiceOn } from './service.ts';

/** A service to be compared: this working copy or another, with some settings. */
export interface ComparedService {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of its working copy, when it is not this one. */
  readonly cwd?: string;
}

/**
 * Starts services, each with a database of its own, and drives them by turns.
 * @param seed fills one that listens on this port.
 * @returns the drives of each, in the order of `services`.
 */
export async function driveServices(
  services: readonly ComparedService[],
  requests: readonly string[],
  seed: (port: number) => Promise<unknown>,
  driven: DriveOptions & { readonly rounds: number },
  { quick, engine }: BenchOptions,
): Promise<readonly (readonly Drive[])[]> {
  // Each side has a process and a folder that must not outlive this one.
  process.setMaxListeners(4 * services.length);
  const load = startLoad();
  const databases: ServiceDatabase[] = [];
  const contenders: Contender[] = [];
  try {
    for (const { name, env, cwd } of services) {
      progress(`starting: ${name}`);
      const database = await createServiceDatabase(engine);
      databases.push(database);
      const side = await startServiceOn(database, env, cwd === undefined ? {} : { cwd });
      contenders.push({ side, requests });
      await seed(side.port);
      if (!quick) await warmUp(load, contenders.at(-1)!, driven.connections);
    }
    progress('driving them in turn');
    return await alternate(load, contenders, driven);
  } finally {
    await load.stop();
    for (const { side } of contenders) await side.stop();
    for (const database of databases) await database.remove();
  }
}
