import { statfs } from 'node:fs/promises';
import type { AskedMetric } from '../../web/metrics/metrics.ts';
import type { ResourceDeps, Resources } from '../resources.ts';
import { type Once, sparingly } from './asking.ts';

export function diskMetrics(
  { config }: ResourceDeps,
  { files }: Resources,
  once: Once,
): AskedMetric[] {
  const usage = sparingly(() => files.spool.usage());
  return [
    {
      name: 'ws01_spool_files',
      help: 'Files on their way: uploads, and what is made of them.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => (await usage()).files),
    },
    {
      name: 'ws01_spool_bytes',
      help: 'What these files have together.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => (await usage()).bytes),
    },
    {
      name: 'ws01_disk_free_bytes',
      help: 'What the disk of DATA_DIR has left for the service.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { bavail, bsize } = await statfs(config.dataDir);
        return bavail * bsize;
      }),
    },
    {
      name: 'ws01_disk_size_bytes',
      help: 'What the disk of DATA_DIR holds in all.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { blocks, bsize } = await statfs(config.dataDir);
        return blocks * bsize;
      }),
    },
  ];
}
