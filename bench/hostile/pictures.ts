import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { interlacedPng, withAvifSize } from '../../apps/ws01/test/kit/images/containers.ts';
import { phoneAvif } from '../../apps/ws01/test/kit/images/photographs.ts';
import { TOKEN } from '../../apps/ws01/test/kit/names.ts';
import { get, IMAGE, JSON_TYPE, post } from '../../apps/ws01/test/security/kit/requests.ts';
import type { Target } from '../../apps/ws01/test/security/kit/target.ts';
import { cpuMicros, residentMib } from '../kit/sides/process-stats.ts';
import { summaryOf } from './measure.ts';

/** What a picture cost the service and its decoders together. */
export interface PictureCost {
  readonly name: string;
  readonly answer: string;
  readonly cpuMs: number;
  /** The most that a decoder had resident; 0 where none saw it. MiB */
  readonly decoderMib: number;
  /** How long the event loop was kept, at most; ms. */
  readonly turnMs: number;
}

/** A QR code that anybody may ask for, and pictures that their owner sends. */
export async function picturesCost(target: Target): Promise<readonly PictureCost[]> {
  const link = await target.ask(
    post(
      '/WS01.asmx/UrltoShortUrl',
      JSON_TYPE,
      JSON.stringify({ tokenId: TOKEN, _orgUrl: 'https://example.org/' }),
    ),
  );
  const code = /\/s\\?\/(\w+)/.exec(link)?.[1] ?? '';
  const picture = (name: string, file: Buffer) =>
    [
      name,
      post(
        IMAGE,
        JSON_TYPE,
        JSON.stringify({ verifyCode: TOKEN, FileGuid: name, FileImg: file.toString('base64') }),
      ),
    ] as const;
  const requests = [
    ['QR code, SVG', get(`/s/${code}.svg`)],
    ['QR code, PNG', get(`/s/${code}.png`)],
    picture('AVIF of 49 megapixels, 1.5 KB', withAvifSize(await phoneAvif(), 7_000, 7_000)),
    picture('interlaced PNG of 50 megapixels', interlacedPng(7_071, 7_071)),
  ] as const;
  // The first picture of a decoder starts it, the first QR code loads what draws it.
  for (const request of [requests[0][1], requests[1][1]]) await target.ask(request);
  const costs: PictureCost[] = [];
  for (const [name, request] of requests) costs.push(await costOf(target, name, request));
  return costs;
}

async function costOf(target: Target, name: string, request: Buffer): Promise<PictureCost> {
  await target.figures(true);
  for (const pid of decoders(target.pid)) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = cpuOf(target);
  const answer = await target.ask(request);
  const cpuMs = (cpuOf(target) - before) / 1000;
  const decoderMib = Math.max(0, ...decoders(target.pid).map((pid) => residentMib(pid, 'VmHWM')));
  const { turnMs } = await target.figures();
  return { name, answer: summaryOf(answer), cpuMs, decoderMib, turnMs };
}

/** Of the service and its decoders; µs. */
function cpuOf({ pid }: Target): number {
  return [pid, ...decoders(pid)].reduce((sum, one) => sum + cpuMicros(one), 0);
}

function decoders(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}
