import sharp from 'sharp';
import type { BenchOptions } from './kit/bench.ts';
import { startLoad } from './kit/load/load.ts';
import type { Percentiles } from './kit/load/settings.ts';
import { fixed, percent, printGoal, printTable, progress, thousands, withSpread } from './kit/report.ts';
import { type Contender, type Drive, drive, noteDisturbance, warmUp } from './kit/sides/compare.ts';
import type { DiskFindings, DiskLoad } from './kit/sides/disk-writer.ts';
import { ask, wireText } from './kit/sides/http.ts';
import { diskBytes } from './kit/sides/process-stats.ts';
import { startService } from './kit/sides/service.ts';
import { startNode } from './kit/sides/side.ts';
import { median, ratios, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { numbered, requestOf } from './kit/workloads/requests.ts';
import { seedCounted } from './kit/workloads/seed.ts';

export const summary =
  'the slowest inserts at fixed rates: beside a bare writer to the same disk, and beside a picture';

const CONNECTIONS = 64;
/** Of the most that the service answers. */
const SHARES = [0.25, 0.5, 0.75];
const GOALS = { p99ToMedian: 5, besidePicture: 2 };

const SIZES = {
  quick: { rounds: 1, durationMs: 150 },
  full: { rounds: 5, durationMs: 3_000 },
};

/** A write is at least a page. */
const LEAST_BYTES = 4_096;

interface Round {
  readonly ours: Drive;
  readonly disk: Percentiles;
}

/** `npm run bench -- tail` */
export async function run(_args: readonly string[], { quick }: BenchOptions): Promise<unknown> {
  const { rounds, durationMs } = SIZES[quick ? 'quick' : 'full'];
  const load = startLoad();
  const service = await startService();
  const writer = await startNode('a bare writer', ['bench/kit/sides/disk-writer.ts'], { told: true });
  const contender: Contender = {
    side: service,
    requests: [wireText(requestOf('SOAP 1.1', 'InsertArticle', CALLS.InsertArticle.params))],
  };
  const options = { connections: CONNECTIONS, warmUpMs: quick ? 20 : 300, durationMs };
  const onDisk = async (disk: DiskLoad) => ((await writer.tell(disk)) as DiskFindings).latency;
  try {
    await seedCounted(service.port);
    if (!quick) await warmUp(load, contender, CONNECTIONS);
    const most = (await drive(load, contender, options)).rate;
    // The load compiles what keeps to a rate only now, on the core on which it sends; a first drive is late by that.
    if (!quick) await drive(load, contender, { ...options, rate: most * SHARES[0]! });
    const found: { readonly share: number; readonly rounds: readonly Round[] }[] = [];
    for (const share of SHARES) {
      progress(`${percent(share)} of ${thousands(most)} a second`);
      const rate = most * share;
      const taken: Round[] = [];
      for (let round = 0; round < rounds; round++) {
        const before = diskBytes(service.pid);
        const ours = await drive(load, contender, { ...options, rate });
        const bytes = (diskBytes(service.pid) - before) / ours.sent;
        const disk = await onDisk({ rate, bytes: Math.max(LEAST_BYTES, Math.round(bytes)), durationMs });
        taken.push({ ours, disk });
      }
      found.push({ share, rounds: taken });
    }
    report(most, found);
    const rate = most * SHARES[0]!;
    const pictures = await besidePictures(service.port, quick ? 1 : rounds, () =>
      drive(load, contender, { ...options, rate }),
    );
    return { most, found, pictures };
  } finally {
    await Promise.all([load.stop(), writer.stop(), service.stop()]);
  }
}

function report(most: number, found: readonly { readonly share: number; readonly rounds: readonly Round[] }[]): void {
  console.log(
    `InsertArticle over SOAP 1.1, ${CONNECTIONS} connections, at shares of ${thousands(most)} calls/s; the bare writer appends ` +
      'what the service writes and syncs it, all that is due at once. Latency in ms; medians of the rounds (least–most).',
  );
  const row = (
    name: string,
    rate: number,
    latencies: readonly Percentiles[],
    bare: readonly Percentiles[],
    late: readonly (Percentiles | undefined)[] = [],
  ) => [
    name,
    thousands(rate),
    ...(['p50', 'p99', 'p999'] as const).map((one) => withSpread(spread(latencies.map((at) => at[one])), fixed(2))),
    withSpread(spread(latencies.map(({ p50, p99 }) => p99 / p50)), fixed(1)),
    withSpread(
      ratios(latencies, bare, ({ p99 }) => p99),
      fixed(1),
    ),
    late.length === 0 ? '' : withSpread(spread(late.map((at) => at?.p99 ?? 0)), fixed(2)),
  ];
  printTable(
    ['', 'rate', 'p50', 'p99', 'p99.9', 'p99 / p50', 'p99 × bare', 'load late, p99'],
    found.flatMap(({ share, rounds }) => {
      const bare = rounds.map(({ disk }) => disk);
      const ours = rounds.map((round) => round.ours.latency);
      return [
        row(
          `service, ${percent(share)}`,
          most * share,
          ours,
          bare,
          rounds.map((round) => round.ours.lag),
        ),
        row('bare writer', most * share, bare, bare),
      ];
    }),
  );
  noteDisturbance(found.flatMap(({ rounds }) => rounds.map(({ ours }) => ours)));
  // A median that grows with the queue would flatter, so the least loaded one is the measure of all.
  const quiet = median((found[0]?.rounds ?? []).map(({ ours }) => ours.latency.p50));
  for (const { share, rounds } of found) {
    const tails = spread(rounds.map(({ ours }) => ours.latency.p99 / quiet));
    const goal = `at ${percent(share)}, p99 at most ${GOALS.p99ToMedian} × the median at ${percent(SHARES[0]!)}`;
    printGoal(goal, withSpread(tails, fixed(1)), tails.median <= GOALS.p99ToMedian);
  }
}

/** Small files, long to decode: 24 megapixels. */
const PICTURE = { width: 6_000, height: 4_000 };

/** Inserts alone and beside pictures that are decoded one after another, in turn. */
async function besidePictures(port: number, rounds: number, once: () => Promise<Drive>): Promise<unknown> {
  progress('beside pictures');
  const alone: Drive[] = [];
  const beside: Drive[] = [];
  let decoded = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(await once());
    // A picture that is known is not decoded again.
    const pictures = await Promise.all(Array.from({ length: 12 }, (_, at) => pictureOf(round * 12 + at)));
    let going = true;
    const uploads = (async () => {
      for (const picture of pictures) {
        if (!going) return;
        await upload(port, picture, 700_000_000_000 + decoded);
        decoded++;
      }
    })();
    beside.push(await once());
    going = false;
    await uploads;
  }
  const p99 = (drive: Drive) => drive.latency.p99;
  const times = ratios(beside, alone, p99);
  const middle = (drives: readonly Drive[]) => withSpread(spread(drives.map(p99)), fixed(2));
  console.log(`\n${decoded} pictures of 24 megapixels beside it: p99 ${middle(beside)} ms, alone ${middle(alone)} ms.`);
  printGoal(
    `a picture changes p99 by less than ${GOALS.besidePicture} ×`,
    withSpread(times, fixed(2)),
    times.median < GOALS.besidePicture,
  );
  return { alone, beside, decoded, cpu: median(beside.map(({ cpuPerCall }) => cpuPerCall)) };
}

function pictureOf(number: number): Promise<Buffer> {
  const background = { r: number % 256, g: Math.floor(number / 256) % 256, b: 128 };
  return sharp({ create: { ...PICTURE, channels: 3, background } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function upload(port: number, picture: Buffer, serial: number): Promise<void> {
  const params = { ...CALLS.InsertArticleImageFile.params, FileImg: picture.toString('base64') };
  const answer = await ask(port, numbered(requestOf('JSON', 'InsertArticleImageFile', params), serial));
  if (answer.status !== 200) throw new Error(`InsertArticleImageFile: ${answer.status} ${answer.body}`);
}
