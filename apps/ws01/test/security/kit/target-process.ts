/** The service in a process of its own, which tells what it costs: started by `target.ts`. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { startApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import type { Figures } from './target.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'ws01-target-'));
const app = await startApp(
  loadConfig({ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, RATE_LIMITS: 'off', ...JSON.parse(process.argv[2]!) }),
  pino({ level: 'silent' }),
);

const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

async function figures(collect: boolean): Promise<Figures> {
  const { user, system } = process.cpuUsage();
  // Buffers are given back beside the program, some time after they were found to be garbage.
  for (let times = 0; collect && times < 3; times++) {
    globalThis.gc?.();
    await setTimeout(50);
  }
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const turnMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
  delays.reset();
  return { cpuMs: (user + system) / 1000, rss, held: heapUsed + external, arrayBuffers, turnMs };
}

process.on('message', async (collect) => process.send?.(await figures(collect === true)));
// At once: who attacked it leaves connections that would be waited for.
process.on('disconnect', () => process.exit());
process.send?.({ port: app.port, dataDir });
