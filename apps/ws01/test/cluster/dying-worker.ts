/**
 * Loaded into workers before the service, by `NODE_OPTIONS=--import`: they end at once, without a word, while the file
 * that `DIE_WHILE` names is there, or when they are another one than the worker `DIE_BUT`; and throw where nobody
 * catches it on SIGUSR2.
 */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';

if (cluster.worker !== undefined) {
  const { DIE_WHILE = '', DIE_BUT = `${cluster.worker.id}` } = process.env;
  if (existsSync(DIE_WHILE) || cluster.worker.id !== Number(DIE_BUT)) process.exit(3);
  process.on('SIGUSR2', () => {
    throw new Error('a defect');
  });
}
