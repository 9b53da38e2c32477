// needs: patroni etcd=etcd-server haproxy nginx mount pg_ctlcluster=postgresql
/**
 * Three nodes behind nginx, PostgreSQL under Patroni with etcd and HAProxy, S3 and a mail server, by the files of deploy/:
 * mixed load while nodes, databases, disks and S3 die, stand still and fill up. A ledger of what was answered is
 * compared with what is there. Root only: disks are mounted. `--minutes N` says how long; 10 when it is left out.
 */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '@ws01/asmx/time';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { exchange } from '../kit/bindings.ts';
import type { TestDatabase } from '../kit/database.ts';
import { arrivedIn } from '../kit/drill/arrived.ts';
import type { Findings, Ledger } from '../kit/drill/ledger.ts';
import { Load, mediaPathOf } from '../kit/drill/load.ts';
import { ServiceNode } from '../kit/drill/service-node.ts';
import { processEnv } from '../kit/fixed.ts';
import { type MailServer, startMailServer } from '../kit/mail-server.ts';
import { startS3 } from '../kit/s3.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';
import {
  type Cause,
  OF_DATABASE,
  OF_DATABASE_IN_SYNC,
  OF_NODES,
  type Site,
} from './nodes/causes.ts';
import { Cluster } from './nodes/cluster.ts';
import { adapted, folderOf, Program, until } from './nodes/programs.ts';

const MINUTES = Number(process.env.SYSTEM_MINUTES ?? 10);
const CLIENTS = 8;

/** Longest time without an acknowledged write, where trouble heals by itself; ms. */
const LONGEST_OUTAGE_MS = 10_000;

/** From when on it is said what happened meanwhile; ms. */
const EXPLAINED_MS = 7_000;

/** Calls after trouble that count as its time; ms. */
const SETTLE_MS = 5_000;

interface Drill extends Site {
  /** Of nginx. */
  readonly url: string;
  readonly mails: MailServer;
}

async function startDrill(t: TestContext, synchronous: boolean): Promise<Drill> {
  const folder = await folderOf(t);
  const cluster = await Cluster.start(t, synchronous);
  const mails = await startMailServer(t);
  const bucket = await startS3(t);
  const s3 = await startUnreliableProxy(t, Number(new URL(bucket.endpoint).port));
  const ports = [await freePort(), await freePort(), await freePort()];
  const url = await startNginx(t, folder, ports);
  const env = {
    RATE_LIMITS: 'off',
    BASE_URL: url,
    TRUSTED_PROXIES: 'loopback',
    SMTP_URL: mails.url,
    MAIL_FROM: 'drill@example.com',
    FILES_URL: `s3://${bucket.bucket}/drill?endpoint=http://127.0.0.1:${s3.port}`,
    ...processEnv({ filesTimeoutSeconds: 0.3 }),
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    LOG_LEVEL: 'error',
  };
  const nodes: ServiceNode[] = [];
  for (const [index, port] of ports.entries()) {
    const database = {
      engine: 'postgres',
      dataDir: join(folder, `node-${index}`),
      databaseUrl: cluster.databaseUrl,
    };
    nodes.push(await ServiceNode.start(t, database as unknown as TestDatabase, port, env));
  }
  return { url, cluster, nodes, s3, mails };
}

async function startNginx(
  t: TestContext,
  folder: string,
  nodes: readonly number[],
): Promise<string> {
  const port = await freePort();
  const [one, two, three] = nodes;
  const text = await adapted('nginx/ws01.conf', [
    ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
    [/ {2}listen \[::\]:443 ssl;\n/, ''],
    [/ {2}ssl_certificate[^\n]*\n {2}ssl_certificate_key[^\n]*\n/, ''],
    ['/var/log/nginx', folder],
    ['127.0.0.1:8081', `127.0.0.1:${one}`],
    [
      /server 127\.0\.0\.1:8082 ([^\n]*)/,
      `server 127.0.0.1:${two} $1\n  server 127.0.0.1:${three} $1`,
    ],
  ]);
  await writeFile(join(folder, 'ws01.conf'), text);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const main = `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events {} http { ${temporary} include ${folder}/ws01.conf; }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  new Program(t, 'nginx', ['-c', join(folder, 'nginx.conf')]);
  return `http://127.0.0.1:${port}`;
}

/** What one kind of trouble came to, in all its rounds. */
interface Row {
  times: number;
  outageMs: number;
  longestCallMs: number;
  refused: number;
  open: number;
}

/** Longest time between two acknowledged writes of those that touch a span. */
function longestGap(
  acknowledged: readonly number[],
  from: number,
  to: number,
): { at: number; ms: number } {
  const inside = acknowledged.filter((at) => at > from && at < to);
  const before = acknowledged.findLast((at) => at <= from) ?? from;
  const points = [before, ...inside, acknowledged.find((at) => at >= to) ?? to];
  const gaps = points
    .slice(1)
    .map((at, index) => ({ at: points[index]!, ms: at - points[index]! }));
  return gaps.reduce((longest, gap) => (gap.ms > longest.ms ? gap : longest));
}

/** Says where the time of an outage went. */
function explain({ cluster }: Site, { at, ms }: { at: number; ms: number }): void {
  const timeOf = (point: number) =>
    new Date(performance.timeOrigin + point).toISOString().slice(11, 23);
  console.log(
    `No write from ${timeOf(at)} to ${timeOf(at + ms)}; a load of ${loadavg()[0]!.toFixed(0)}:`,
  );
  console.log(cluster.printedBetween(timeOf(at - 1_000), timeOf(at + ms)));
}

async function makeTrouble(
  site: Site,
  load: Load,
  causes: readonly Cause[],
  minutes: number,
): Promise<Map<Cause, Row>> {
  const rows = new Map<Cause, Row>();
  const deadline = performance.now() + minutes * MINUTE_MS;
  for (let index = 0; performance.now() < deadline || index < causes.length; index++) {
    const cause = causes[index % causes.length]!;
    const from = performance.now();
    await cause.make(site);
    await site.cluster.healthy();
    await sleep(SETTLE_MS);
    const to = performance.now();
    const row = rows.get(cause) ?? { times: 0, outageMs: 0, longestCallMs: 0, refused: 0, open: 0 };
    const calls = load.ledger.calls.filter(({ at }) => at >= from && at < to);
    row.times++;
    const gap = longestGap(load.acknowledged, from, to);
    if (gap.ms > EXPLAINED_MS && cause.heals) explain(site, gap);
    row.outageMs = Math.max(row.outageMs, gap.ms);
    row.longestCallMs = Math.max(row.longestCallMs, ...calls.map(({ ms }) => ms));
    row.refused += calls.filter(({ verdict }) => verdict === 'refused').length;
    row.open += calls.filter(({ verdict }) => verdict === 'open').length;
    rows.set(cause, row);
    console.log(`${cause.name}: ${(row.outageMs / 1_000).toFixed(1)} s`);
  }
  return rows;
}

function print(rows: ReadonlyMap<Cause, Row>): void {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const lines = [...rows].map(([{ name }, { times, outageMs, longestCallMs, refused, open }]) =>
    [name, times, seconds(outageMs), seconds(longestCallMs), refused, open].join(' | '),
  );
  const head =
    'cause | times | longest outage, s | longest call, s | nothing was done | not known\n--- | --- | --- | --- | --- | ---';
  console.log([head, ...lines].join('\n'));
}

/** Ends the load, lets what is queued go out, and compares. */
async function settle({ cluster, nodes, mails, url }: Drill, load: Load): Promise<Findings> {
  await load.end();
  for (const node of nodes) for (const line of node.defects) console.log(line);
  const client = await cluster.client();
  await until('the outbox to be empty', async () => {
    const { rows } = await client.query(
      `select count(*) as n from outbox where due_at is not null`,
    );
    return Number(rows[0].n) === 0;
  });
  const findings = await load.ledger.compare(client, arrivedIn(mails));
  await client.end();
  const pictures = load.ledger.effects.filter(
    ({ kind, known }) => kind === 'image' && known === 'done',
  );
  const lost = [...findings.lost];
  for (const { key } of pictures) {
    if (lost.includes(`image ${key}`)) continue;
    if ((await exchange(`${url}${mediaPathOf(key)}`)).status !== 200)
      lost.push(`the file of image ${key}`);
  }
  return { ...findings, lost };
}

function summary(ledger: Ledger, { lost, doubled, denied }: Findings): string {
  const [done, refused, open] = [
    ledger.count('done'),
    ledger.count('refused'),
    ledger.count('open'),
  ];
  return (
    `${ledger.calls.length} calls for ${ledger.effects.length} effects: ${done} acknowledged, ${refused} refused, ${open} left open; ` +
    `${lost.length} lost, ${doubled.length} doubled, ${denied.length} done though refused, ${ledger.dishonest.length} other answers`
  );
}

describe('three nodes behind nginx, PostgreSQL under Patroni', () => {
  it(`synchronous: ${MINUTES} minutes of trouble lose nothing, double nothing, and no outage is long`, async (t) => {
    const drill = await startDrill(t, true);
    const load = new Load({ urls: [drill.url], proxied: true, readsSeeWrites: true });
    t.after(() => load.end());
    load.start(CLIENTS);
    load.probe();
    await sleep(SETTLE_MS);
    const rows = await makeTrouble(
      drill,
      load,
      [...OF_NODES, ...OF_DATABASE, ...OF_DATABASE_IN_SYNC],
      MINUTES,
    );
    const findings = await settle(drill, load);
    print(rows);
    console.log(
      `${summary(load.ledger, findings)}; ${drill.cluster.rebuilt.length} database servers rebuilt`,
    );
    assert.deepEqual(
      { ...findings, dishonest: load.ledger.dishonest },
      { lost: [], doubled: [], denied: [], dishonest: [] },
    );
    for (const [{ name, heals }, { outageMs }] of rows) {
      if (heals) assert.ok(outageMs <= LONGEST_OUTAGE_MS, `${name}: ${outageMs} ms`);
    }
  });

  it('asynchronous: nothing is doubled and no outage is long; the last moments before a failover may be lost', async (t) => {
    const drill = await startDrill(t, false);
    const load = new Load({ urls: [drill.url], proxied: true, readsSeeWrites: false });
    t.after(() => load.end());
    load.start(CLIENTS);
    load.probe();
    await sleep(SETTLE_MS);
    const rows = await makeTrouble(drill, load, OF_DATABASE, MINUTES / 5);
    const findings = await settle(drill, load);
    print(rows);
    console.log(summary(load.ledger, findings));
    assert.deepEqual(findings.doubled, []);
    for (const [{ name }, { outageMs }] of rows)
      assert.ok(outageMs <= LONGEST_OUTAGE_MS, `${name}: ${outageMs} ms`);
  });
});
