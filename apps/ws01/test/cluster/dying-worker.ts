/**
 * Loaded into workers before the service, by `NODE_OPTIONS=--import`: they end at once, without a word, while the file
 * that `DIE_WHILE` names is there, or when they are another one than the worker `DIE_BUT`, as soon as the file `DIE_AFTER`
 * is there; and throw where nobody catches it on SIGUSR2.
 */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';

if (cluster.worker !== undefined) {
  const { DIE_WHILE = '', DIE_AFTER = '', DIE_BUT = `${cluster.worker.id}` } = process.env;
  if (existsSync(DIE_WHILE)) process.exit(3);
  if (cluster.worker.id !== Number(DIE_BUT)) {
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    while (DIE_AFTER !== '' && !existsSync(DIE_AFTER)) Atomics.wait(asleep, 0, 0, 50);
    process.exit(3);
  }
  process.on('SIGUSR2', () => {
    throw new Error('a defect');
  });
}
