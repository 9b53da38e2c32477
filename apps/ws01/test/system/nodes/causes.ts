import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceNode } from '../../kit/drill/service-node.ts';
import type { UnreliableProxy } from '../../kit/unreliable-proxy.ts';
import type { Cluster } from './cluster.ts';

/** What trouble is made with. */
export interface Site {
  readonly nodes: readonly ServiceNode[];
  readonly cluster: Cluster;
  readonly s3: UnreliableProxy;
}

/** One kind of trouble. */
export interface Cause {
  readonly name: string;
  /** Makes trouble and ends it; what then mends itself is waited for by others. */
  readonly make: (site: Site) => Promise<void>;
  /** Whether a failover ends it, or only the end of the trouble. */
  readonly heals: boolean;
}

/** How long what stands still does; longer than everything may take to notice; ms. */
const STILL_MS = 20_000;

/** How long a machine is away that died; ms. */
const AWAY_MS = 15_000;

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;

export const OF_NODES: readonly Cause[] = [
  {
    name: 'a node killed',
    heals: true,
    make: async ({ nodes }) => {
      oneOf(nodes).signal('SIGKILL');
      await sleep(5_000);
    },
  },
  {
    name: 'a node frozen',
    heals: true,
    make: async ({ nodes }) => {
      const node = oneOf(nodes);
      node.signal('SIGSTOP');
      await sleep(STILL_MS);
      node.signal('SIGCONT');
    },
  },
  {
    name: 'a node told to stop',
    heals: true,
    make: async ({ nodes }) => {
      oneOf(nodes).signal('SIGTERM');
      await sleep(8_000);
    },
  },
  {
    name: 'S3 silent',
    heals: true,
    make: async ({ s3 }) => {
      s3.silent = true;
      await sleep(STILL_MS);
      s3.silent = false;
    },
  },
];

export const OF_DATABASE: readonly Cause[] = [
  {
    name: 'PostgreSQL of the primary killed',
    heals: true,
    make: async ({ cluster }) => {
      await (await cluster.primary()).killPostgres();
      await sleep(5_000);
    },
  },
  {
    name: 'the machine of the primary killed',
    heals: true,
    make: async ({ cluster }) => {
      const primary = await cluster.primary();
      await primary.kill();
      await sleep(AWAY_MS);
      primary.start();
    },
  },
  {
    name: 'the machine of the primary frozen',
    heals: true,
    make: async ({ cluster }) => {
      const primary = await cluster.primary();
      await primary.freeze();
      await sleep(STILL_MS);
      await primary.thaw();
    },
  },
];

export const OF_DATABASE_IN_SYNC: readonly Cause[] = [
  {
    name: 'PostgreSQL of the primary frozen',
    heals: true,
    make: async ({ cluster }) => {
      const primary = await cluster.primary();
      await primary.freezePostgres();
      await sleep(STILL_MS);
      await primary.thaw();
    },
  },
  {
    name: 'the primary restarted',
    heals: true,
    make: async ({ cluster }) => {
      await cluster.restartPrimary();
      await sleep(3_000);
    },
  },
  {
    name: 'another primary chosen',
    heals: true,
    make: async ({ cluster }) => {
      await cluster.switchOver();
      await sleep(3_000);
    },
  },
  {
    name: 'the synchronous standby killed',
    heals: true,
    make: async ({ cluster }) => {
      const standby = await cluster.standby();
      await standby.kill();
      await sleep(AWAY_MS);
      standby.start();
    },
  },
  {
    name: 'the synchronous standby frozen',
    heals: true,
    make: async ({ cluster }) => {
      const standby = await cluster.standby();
      await standby.freeze();
      await sleep(STILL_MS);
      await standby.thaw();
    },
  },
  {
    name: 'the disk of the primary full',
    heals: false,
    make: async ({ cluster }) => {
      const primary = await cluster.primary();
      await primary.fillDisk();
      await sleep(STILL_MS);
      await primary.emptyDisk();
    },
  },
  {
    name: 'etcd frozen',
    heals: true,
    make: async ({ cluster }) => {
      cluster.etcd.child.kill('SIGSTOP');
      await sleep(STILL_MS);
      cluster.etcd.child.kill('SIGCONT');
    },
  },
];
