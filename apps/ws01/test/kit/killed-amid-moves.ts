import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * For `node --import`, with `?moves=…&opens=…`: the process kills itself (SIGKILL) amid the moves of files.
 *
 * - `moves`: the number of the move.
 * - `opens`: how many files or folders it opens after that; 0: right after the move; -1: right before it.
 */
const asked = new URL(import.meta.url).searchParams;
if (isMainThread) killAmidMoves(Number(asked.get('moves')), Number(asked.get('opens')));

function killAmidMoves(moves: number, opens: number): void {
  const { rename, open } = fs;
  let [moved, opened] = [0, 0];
  const killIf = (isTime: boolean) => {
    if (isTime) process.kill(process.pid, 'SIGKILL');
  };
  fs.rename = async (...paths) => {
    moved++;
    killIf(moved === moves && opens === -1);
    await rename(...paths);
    killIf(moved === moves && opens === 0);
  };
  fs.open = (...args) => {
    if (moved === moves) opened++;
    killIf(opens > 0 && opened === opens);
    return open(...args);
  };
  syncBuiltinESMExports();
}
