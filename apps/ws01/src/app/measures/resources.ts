import { backupState } from '../../domain/backup/records.ts';
import type { CacheUse } from '../../turns/memory.ts';
import type { HealthChecks, HealthState } from '../../web/health.ts';
import type { AskedMetric, Metrics } from '../../web/metrics/metrics.ts';
import type { ResourceDeps, Resources } from '../resources.ts';
import type { Once } from './asking.ts';
import { diskMetrics } from './disk.ts';
import { outboxMetrics, sendingMetrics } from './outgoing.ts';
import { storeMetrics } from './store.ts';

/** Health states as values of the gauge. */
const HEALTH: Readonly<Record<HealthState, number>> = { ok: 0, degraded: 1, down: 2 };

/** Registers gauges of the shared resources, which are read at each scrape. */
export function measureResources(
  metrics: Metrics,
  deps: ResourceDeps,
  resources: Resources,
  health: Pick<HealthChecks, 'report'>,
): void {
  // The leader reports what is the same in every worker.
  let leads = false;
  deps.peers.onLead(() => {
    leads = true;
  });
  const once = (ask: AskedMetric['ask']) => () => (leads ? ask() : undefined);
  const groups = [
    sendingMetrics(resources),
    diskMetrics(deps, resources, once),
    storeMetrics(deps.store),
    cacheMetrics(resources),
    imageMetrics(resources),
    healthMetrics(health),
    backupMetrics(deps, once),
    // The last one, because it runs on the search thread and would count itself as load.
    outboxMetrics(deps, once),
  ];
  for (const metric of groups.flat()) metrics.ask(metric);
}

function cacheMetrics({ access, links, qrCodes }: Resources): AskedMetric[] {
  const caches: Readonly<Record<string, CacheUse>> = {
    tokens: access.cacheUse,
    links: links.cacheUse,
    qr_codes: qrCodes.cacheUse,
  };
  return [
    {
      name: 'ws01_cache_lookups_total',
      help: 'What was looked for in memory, and whether it was there.',
      type: 'counter',
      labels: ['cache', 'result'],
      ask: () =>
        Object.entries(caches).flatMap(
          ([cache, { hits, misses }]): [Readonly<Record<string, string>>, number][] => [
            [{ cache, result: 'hit' }, hits],
            [{ cache, result: 'miss' }, misses],
          ],
        ),
    },
  ];
}

function imageMetrics({ decoders }: Resources): AskedMetric[] {
  return [
    {
      name: 'ws01_images_working',
      help: 'Images that are being decoded.',
      type: 'gauge',
      ask: () => decoders.load.working,
    },
    {
      name: 'ws01_images_waiting',
      help: 'Images that wait to be decoded.',
      type: 'gauge',
      ask: () => decoders.load.waiting,
    },
    {
      name: 'ws01_images_total',
      help: 'Images given to the decoders: done, refused for their own sake, failed for another reason.',
      type: 'counter',
      labels: ['result'],
      ask: () => {
        const { done, refused, failed } = decoders.load;
        return Object.entries({ done, refused, failed }).map(
          ([result, images]) => [{ result }, images] as const,
        );
      },
    },
  ];
}

function healthMetrics(health: Pick<HealthChecks, 'report'>): AskedMetric[] {
  return [
    {
      name: 'ws01_health',
      help: 'Each part that the service needs, as /readyz?verbose tells it: 0 ok, 1 degraded, 2 down.',
      type: 'gauge',
      labels: ['part'],
      merge: 'max',
      ask: async () => {
        const { parts } = await health.report();
        return Object.entries(parts).map(([part, { state }]) => [{ part }, HEALTH[state]] as const);
      },
    },
  ];
}

function backupMetrics(
  { store, config }: Pick<ResourceDeps, 'store' | 'config'>,
  once: Once,
): AskedMetric[] {
  return [
    {
      name: 'ws01_backup_verified_timestamp_seconds',
      help: 'When the last good backup was verified; seconds since 1970, 0 before the first; absent when none is asked for.',
      type: 'gauge',
      merge: 'max',
      ask: once(async () => {
        const { lastGood } = await store.read((db) => backupState(db));
        // An alert for "never" must not fire where nobody asked for backups.
        if (lastGood === undefined && !config.isBackupToSet) return undefined;
        return (lastGood?.verified_at ?? 0) / 1_000;
      }),
    },
  ];
}
