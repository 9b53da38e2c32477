import { setTimeout as pause } from 'node:timers/promises';
import { interlacedPng } from '../../apps/ws01/test/kit/images/containers.ts';
import { Connection } from '../kit/load/connection.ts';
import type { Percentiles } from '../kit/load/settings.ts';
import { Times } from '../kit/load/tally.ts';
import { BOTH_CORES } from '../kit/sides/cores.ts';
import { ask, wireText } from '../kit/sides/http.ts';
import { createServiceDatabase, startServiceOn, TOKEN } from '../kit/sides/service.ts';
import { CALLS } from '../kit/workloads/calls.ts';
import { requestOf } from '../kit/workloads/requests.ts';

/** What others waited while a picture was taken, or while nothing else happened; ms. */
export interface Beside {
  readonly name: string;
  readonly pictures: number;
  readonly waits: Readonly<Record<string, Percentiles>>;
}

const EVERY_MS = 5;
/** Of the round without a picture. */
const QUIET_MS = 4_000;
const PICTURES = 3;

const ASKED = {
  health: 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  countUserPosted: wireText(requestOf('SOAP 1.1', 'countUserPosted', CALLS.countUserPosted.params)),
  InsertArticle: wireText(requestOf('SOAP 1.1', 'InsertArticle', CALLS.InsertArticle.params)),
};

/**
 * Others ask for health, read and write every 5 ms, each on a connection of its own, beside
 * interlaced PNGs of 50 megapixels.
 */
export async function besidePictures(): Promise<readonly Beside[]> {
  const database = await createServiceDatabase('sqlite');
  const service = await startServiceOn(database, {}, { cores: BOTH_CORES });
  try {
    // The first of everything is loaded and compiled; and the first picture starts the decoder.
    await watched(service.port, () => pause(1_000));
    await send(service.port, 'small', interlacedPng(16, 16));
    const rounds: Beside[] = [];
    rounds.push({
      name: 'nothing',
      pictures: 0,
      waits: await watched(service.port, () => pause(QUIET_MS)),
    });
    const files = Array.from({ length: PICTURES }, (_, index) =>
      interlacedPng(7_071 - index, 7_071),
    );
    const waits = await watched(service.port, async () => {
      for (const [index, file] of files.entries()) await send(service.port, `large-${index}`, file);
    });
    rounds.push({
      name: 'interlaced PNGs of 50 megapixels, one after another',
      pictures: PICTURES,
      waits,
    });
    return rounds;
  } finally {
    await service.stop();
    await database.remove();
  }
}

async function send(port: number, guid: string, file: Buffer): Promise<void> {
  const answer = await ask(port, {
    method: 'POST',
    path: '/WS01.asmx/InsertArticleImageFile',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ verifyCode: TOKEN, FileGuid: guid, FileImg: file.toString('base64') }),
  });
  if (answer.status !== 200)
    throw new Error(`The picture was answered with ${answer.status}: ${answer.body}`);
}

/** Each wait is from when a request was due. */
async function watched(
  port: number,
  meanwhile: () => Promise<unknown>,
): Promise<Record<string, Percentiles>> {
  const watches = Object.entries(ASKED).map(([name, request]) => ({
    name,
    ...watch(port, request),
  }));
  await meanwhile();
  return Object.fromEntries(watches.map(({ name, end }) => [name, end()]));
}

let serial = 1;

function watch(port: number, request: string): { readonly end: () => Percentiles } {
  const times = new Times();
  const connection = new Connection(port, [request], {
    answered(_, status) {
      if (status !== 200) throw new Error(`A call was answered with ${status}.`);
      times.add(performance.now() - connection.startedAt);
    },
    failed(error) {
      throw error;
    },
  });
  let due = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (connection.busy || now < due) return;
    connection.send(serial++, due);
    due += EVERY_MS;
    // What was due while another was under way had waited with it.
    if (due < now) due = now;
  }, 1);
  return {
    end() {
      clearInterval(timer);
      connection.close();
      return times.percentiles();
    },
  };
}
