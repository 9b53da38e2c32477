import { once } from 'node:events';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * For `node --import`, with `?moves=…&opens=…`: the process ends itself amid the moves of files.
 *
 * - `moves`: the number of the move.
 * - `opens`: how many files or folders it opens after that; 0: right after the move; -1: right before it.
 * - `signal`: how; it goes on once it has heard of it. Default: SIGKILL.
 */
const asked = new URL(import.meta.url).searchParams;
const signal = asked.get('signal') ?? 'SIGKILL';
if (isMainThread) endAmidMoves(Number(asked.get('moves')), Number(asked.get('opens')));

function endAmidMoves(moves: number, opens: number): void {
  const { rename, open } = fs;
  let [moved, opened] = [0, 0];
  const endIf = async (isTime: boolean) => {
    if (!isTime) return;
    process.kill(process.pid, signal);
    await once(process, signal);
  };
  fs.rename = async (...paths) => {
    const own = ++moved;
    await endIf(own === moves && opens === -1);
    await rename(...paths);
    await endIf(own === moves && opens === 0);
  };
  fs.open = async (...args) => {
    if (moved === moves) opened++;
    await endIf(opens > 0 && opened === opens);
    return open(...args);
  };
  syncBuiltinESMExports();
}
