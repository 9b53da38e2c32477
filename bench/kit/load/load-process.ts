/** The load, in a process of its own on a core of its own: is sent settings, drives, sends back what it found. */
import { setTimeout as sleep } from 'node:timers/promises';
import { driveAtRate, driveFreely } from './drivers.ts';
import type { LoadFindings, LoadSettings } from './settings.ts';
import { Tally } from './tally.ts';

/** How many times the duration that was asked for a drive may take. */
const MOST_TURNS = 100;

async function drive(settings: LoadSettings): Promise<LoadFindings> {
  const isFree = settings.rate === undefined;
  const tally = new Tally(settings, isFree ? 'answer' : 'due');
  const failure = Promise.withResolvers<never>();
  const run = async () => {
    const driver = await (isFree ? driveFreely : driveAtRate)(settings, tally, failure.reject);
    await sleep(settings.warmUpMs);
    tally.start();
    // Longer where that is too short for even one answer, as on a machine that is busy otherwise.
    for (let turn = 0; turn === 0 || (tally.answers === 0 && turn < MOST_TURNS); turn++) {
      await sleep(settings.durationMs);
    }
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
