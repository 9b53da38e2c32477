/** The service in a process of its own, which tells what it costs: started by `target.ts`. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { exchange } from '../../../../../packages/asmx/test/kit/http.ts';
import { freePort } from '../../../../../packages/asmx/test/kit/listen.ts';
import { bePatient } from '../../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { startApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { ANY_DISK, type ServiceEnv } from '../../kit/fixed.ts';
import type { Figures, Started } from './target.ts';

// Nobody is sent away for being slow: what is measured is what they hold who stay.
bePatient();
const dataDir = await mkdtemp(join(tmpdir(), 'ws01-target-'));
const [, , environment = '{}', module] = process.argv;
const started = await (module === undefined
  ? startService(JSON.parse(environment))
  : serve(module));

async function startService({ fixed, ...settings }: ServiceEnv): Promise<Started> {
  const place = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, RATE_LIMITS: 'off' };
  const variables = { ...place, ...(settings as Record<string, string>) };
  const config = loadConfig(variables, { ...ANY_DISK, ...fixed });
  const { port, consolePort } = await startApp(config, pino({ level: 'silent' }));
  const sides = { console: consolePort, metrics: config.metricsPort };
  return { port, sides: JSON.parse(JSON.stringify(sides)), dataDir };
}

/** Starts a server that listens at `PORT`, such as `asmx from` makes. */
async function serve(path: string): Promise<Started> {
  const port = await freePort();
  process.env.PORT = String(port);
  await import(pathToFileURL(path).href);
  await until(() =>
    exchange(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    ),
  );
  return { port, sides: {}, dataDir };
}

const MIB = 1024 * 1024;
const RESOLUTION_MS = 1;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

/** Collects garbage until nothing more goes: buffers are given back some time after they were found to be garbage. */
async function collectAll(): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let still = 0, times = 0; still < 2 && times < 40; times++) {
    globalThis.gc?.();
    await setTimeout(50);
    const { heapUsed, external } = process.memoryUsage();
    still = heapUsed + external < least - MIB ? 0 : still + 1;
    least = Math.min(least, heapUsed + external);
  }
}

async function figures(collect: boolean): Promise<Figures> {
  const { user, system } = process.cpuUsage();
  if (collect) await collectAll();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const turnMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
  delays.reset();
  return { cpuMs: (user + system) / 1000, rss, held: heapUsed + external, arrayBuffers, turnMs };
}

process.on('message', async (collect) => process.send?.(await figures(collect === true)));
// At once: who attacked it leaves connections that would be waited for.
process.on('disconnect', () => process.exit());
process.send?.(started);
