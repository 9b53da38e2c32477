/**
 * Loaded into workers before the service, by `NODE_OPTIONS=--import`: they end at once, without a word, while the file
 * that `DIE_WHILE` names is there, and throw where nobody catches it on SIGUSR2.
 */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';

if (cluster.isWorker) {
  if (existsSync(process.env.DIE_WHILE ?? '')) process.exit(3);
  process.on('SIGUSR2', () => {
    throw new Error('a defect');
  });
}
