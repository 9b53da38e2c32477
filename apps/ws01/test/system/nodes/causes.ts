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

/** Trouble at a place, for a time, and its end at the same place. */
const trouble = <Place>(
  name: string,
  ms: number,
  find: (site: Site) => Place | Promise<Place>,
  begin: (place: Place) => unknown,
  end: (place: Place) => unknown = () => {},
): Cause => ({
  name,
  heals: true,
  make: async (site) => {
    const place = await find(site);
    await begin(place);
    await sleep(ms);
    await end(place);
  },
});

const aNode = ({ nodes }: Site) => oneOf(nodes);
const theCluster = ({ cluster }: Site) => cluster;
const thePrimary = ({ cluster }: Site) => cluster.primary();
const theStandby = ({ cluster }: Site) => cluster.standby();

export const OF_NODES: readonly Cause[] = [
  trouble('a node killed', 5_000, aNode, (node) => node.signal('SIGKILL')),
  trouble(
    'a node frozen',
    STILL_MS,
    aNode,
    (node) => node.signal('SIGSTOP'),
    (node) => node.signal('SIGCONT'),
  ),
  trouble('a node told to stop', 8_000, aNode, (node) => node.signal('SIGTERM')),
  trouble(
    'S3 silent',
    STILL_MS,
    ({ s3 }) => s3,
    (s3) => Object.assign(s3, { silent: true }),
    (s3) => Object.assign(s3, { silent: false }),
  ),
];

type Machine = Awaited<ReturnType<Cluster['primary']>>;
const freeze = (machine: Machine) => machine.freeze();
const thaw = (machine: Machine) => machine.thaw();
const kill = (machine: Machine) => machine.kill();
const start = (machine: Machine) => machine.start();

export const OF_DATABASE: readonly Cause[] = [
  trouble('PostgreSQL of the primary killed', 5_000, thePrimary, (it) => it.killPostgres()),
  trouble('the machine of the primary killed', AWAY_MS, thePrimary, kill, start),
  trouble('the machine of the primary frozen', STILL_MS, thePrimary, freeze, thaw),
];

export const OF_DATABASE_IN_SYNC: readonly Cause[] = [
  trouble(
    'PostgreSQL of the primary frozen',
    STILL_MS,
    thePrimary,
    (primary) => primary.freezePostgres(),
    thaw,
  ),
  trouble('the primary restarted', 3_000, theCluster, (cluster) => cluster.restartPrimary()),
  trouble('another primary chosen', 3_000, theCluster, (cluster) => cluster.switchOver()),
  trouble('the synchronous standby killed', AWAY_MS, theStandby, kill, start),
  trouble('the synchronous standby frozen', STILL_MS, theStandby, freeze, thaw),
  {
    ...trouble(
      'the disk of the primary full',
      STILL_MS,
      thePrimary,
      (primary) => primary.fillDisk(),
      (primary) => primary.emptyDisk(),
    ),
    heals: false,
  },
  trouble(
    'etcd frozen',
    STILL_MS,
    ({ cluster }) => cluster.etcd.child,
    (etcd) => etcd.kill('SIGSTOP'),
    (etcd) => etcd.kill('SIGCONT'),
  ),
];
