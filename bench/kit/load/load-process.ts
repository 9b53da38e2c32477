/** The load, in a process of its own on a core of its own: is sent settings, drives, sends back what it found. */
import { setTimeout as sleep } from 'node:timers/promises';
import { driveAtRate, driveFreely } from './drivers.ts';
import type { LoadFindings, LoadSettings } from './settings.ts';
import { Tally } from './tally.ts';

async function drive(settings: LoadSettings): Promise<LoadFindings> {
  const isFree = settings.rate === undefined;
  const tally = new Tally(settings.pid, isFree ? 'answer' : 'due');
  const failure = Promise.withResolvers<never>();
  const run = async () => {
    const driver = await (isFree ? driveFreely : driveAtRate)(settings, tally, failure.reject);
    await sleep(settings.warmUpMs);
    tally.start();
    await sleep(settings.durationMs);
    await driver.finish(tally.stop());
    return tally.findings();
  };
  return Promise.race([run(), failure.promise]);
}

process.on('message', async (settings: LoadSettings) => {
  try {
    process.send!({ findings: await drive(settings) });
  } catch (error) {
    process.send!({ error: String(error) });
  }
});
