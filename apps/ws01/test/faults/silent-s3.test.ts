import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { startS3 } from '../kit/s3.ts';
import { startS3Gate } from '../kit/s3-gate.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';

const [soap11] = TEST_BINDINGS;

const upload = (url: string, FileGuid: string, side = 8) =>
  soap11!.call(url, 'InsertArticleImageFile', {
    verifyCode: TOKEN,
    FileGuid,
    FileImg: blackPng(side, side).toString('base64'),
  });

const article = (url: string, guid: string) =>
  JSON_BINDING.call(url, 'InsertArticle', { token: TOKEN, guid, caption: guid });

const readiness = async (url: string) => {
  const { status, body } = await exchange(`${url}/readyz`);
  return `${status} ${body}`;
};

/** Uploads until one is taken: a slow machine may not have S3 answer within its patience. */
const becomesTaken = (url: string, FileGuid: string, side?: number) =>
  until(async () => (await upload(url, FileGuid, side)).result === 'true');

/** A part that a slow machine has not answer within 0.8 s counts as degraded. */
const becomes = (said: string) => (url: string) =>
  until(
    async () => (await readiness(url)) === `200 ${said}\n`,
    () => readiness(url),
  );
const [becomesReady, becomesDegraded] = [becomes('ready'), becomes('degraded: files')];

async function startOnS3(t: TestContext, endpoint: string, bucket: string, timeoutSeconds = 1) {
  const FILES_URL = `s3://${bucket}/here?endpoint=${endpoint}`;
  return startService(t, await freshDatabase('sqlite', t), {
    FILES_URL,
    impatient: true,
    fixed: { filesTimeoutSeconds: timeoutSeconds },
  });
}

it('an S3 that says nothing: uploads are refused, soon at once; articles go on; and images are back without a restart', async (t) => {
  const s3 = await startS3(t);
  const proxy = await startUnreliableProxy(t, Number(new URL(s3.endpoint).port));
  const { url } = await startOnS3(t, `http://127.0.0.1:${proxy.port}`, s3.bucket);
  await becomesTaken(url, 'before');
  await becomesReady(url);

  proxy.silent = true;
  const answers = [];
  let untried = 0;
  for (let i = 0; i < 6; i++) {
    const { accepted } = proxy;
    answers.push(await upload(url, `silent-${i}`));
    if (proxy.accepted === accepted) untried++;
  }
  assert.deepEqual([...new Set(answers.map(({ code }) => code))], ['StorageUnavailable']);
  assert.match(answers.at(-1)!.message!, /nothing was done/);
  assert.ok(untried > 0, 'some are refused without being tried');
  assert.equal((await article(url, 'meanwhile')).status, 200);
  await becomesDegraded(url);
  // No connection is kept to a service that does not answer.
  await until(async () => proxy.connections === 0);

  proxy.silent = false;
  await becomesTaken(url, 'after');
  await becomesReady(url);
});

it('an S3 that says nothing: its patience counts from the first byte, and /readyz turns while an upload waits', async (t) => {
  const s3 = await startS3(t);
  const proxy = await startUnreliableProxy(t, Number(new URL(s3.endpoint).port));
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  t.after(() => unsubscribe('net.client.socket', note));
  const { url } = await startOnS3(t, `http://127.0.0.1:${proxy.port}`, s3.bucket, 10);
  await becomesTaken(url, 'before');
  await becomesReady(url);

  proxy.silent = true;
  const answer = upload(url, 'silent').then(({ code }) => code);
  const turns = becomesDegraded(url);
  assert.equal(await Promise.race([turns.then(() => 'turned'), answer]), 'turned');
  // What waits has the whole patience from its first byte; what is kept unused, without a message of Node's agent, has
  // the server's hint.
  const own = sockets.filter(({ remotePort }) => remotePort === proxy.port);
  const waiting = own.filter((socket) => '_httpMessage' in socket && socket._httpMessage !== null);
  assert.deepEqual([...new Set(waiting.map(({ timeout }) => timeout))], [10_000]);
});

it('an S3 that denies writes: /readyz stays 200 and names the files, articles go on', async (t) => {
  const s3 = await startS3(t);
  let denies = false;
  const gate = await startS3Gate(
    t,
    s3.endpoint,
    ({ method }) => !denies || method === 'GET' || method === 'HEAD',
  );
  const { url } = await startOnS3(t, gate, s3.bucket);
  await becomesTaken(url, 'before');
  await becomesReady(url);
  denies = true;
  assert.equal((await upload(url, 'denied', 9)).code, 'StorageUnavailable');
  await becomesDegraded(url);
  assert.equal((await article(url, 'meanwhile')).status, 200);
  denies = false;
  await becomesReady(url);
  await becomesTaken(url, 'denied', 9);
});

it('an S3 whose answer breaks off, or leads elsewhere: 503 that says why, and the picture is back', async (t) => {
  const s3 = await startS3(t);
  let wrong: ((response: ServerResponse, from?: string) => void) | undefined;
  const gate = await startS3Gate(t, s3.endpoint, ({ method, headers }, response) => {
    if (wrong === undefined || method !== 'GET') return true;
    wrong(response, /\d+/.exec(headers.range ?? '')?.[0]);
    return false;
  });
  const FILES_URL = `s3://${s3.bucket}?endpoint=${gate}`;
  const { log, lines } = keptLog();
  const { url, app } = await startService(t, undefined, { FILES_URL }, log);
  assert.equal((await upload(url, 'one')).result, 'true');
  const { items } = JSON.parse(
    (await JSON_BINDING.call(url, 'QueryImgData', { query: 'one' })).result!,
  );
  const look = async () => {
    const { status, body } = await exchange(items[0].url.replace(/^.*?(?=\/media)/, app.url));
    return `${status} ${body}`;
  };
  const reasons = [
    [
      (response: ServerResponse, from?: string) => {
        const range = from === undefined ? {} : { 'Content-Range': `bytes ${from}-999/1000` };
        const headers = { ETag: '"a"', 'Content-Length': 1_000, ...range };
        response.writeHead(from === undefined ? 200 : 206, headers).flushHeaders();
        response.write(from === undefined ? 'cut' : '', () => response.socket!.end());
      },
      /^Files cannot be stored or read: /,
    ],
    [
      (response: ServerResponse) =>
        response.writeHead(307, { Location: 'http://a.example/b' }).end(),
      /S3 leads elsewhere \(307 to a\.example\), which is not followed; name the right endpoint/,
    ],
  ] as const;
  for (const [answer, reason] of reasons) {
    wrong = answer;
    assert.match(await look(), /^503 /);
    const { err } = lines.findLast((line) => line.err !== undefined) as { err: Error };
    assert.match(err.message, reason);
  }
  wrong = undefined;
  await until(async () => (await look()).startsWith('200 '));
});

it('an S3 behind something that says 200 to everything: no upload counts as stored, and what was stored is back', async (t) => {
  const s3 = await startS3(t);
  let page: string | undefined;
  let status = 200;
  const gate = await startS3Gate(t, s3.endpoint, (_, response) => {
    if (page === undefined) return true;
    response.writeHead(status, { 'Content-Type': 'text/html' }).end(page);
    return false;
  });
  const { url } = await startOnS3(t, gate, s3.bucket, 10);
  await becomesTaken(url, 'before');
  for (const says of [200, 404, 502]) {
    [page, status] = ['<html>Welcome to the hotel</html>', says];
    assert.equal((await upload(url, `page-${says}`, says)).code, 'StorageUnavailable');
    await becomesDegraded(url);
    assert.equal((await article(url, `meanwhile-${says}`)).status, 200);
    page = undefined;
    await becomesTaken(url, `page-${says}`, says);
    await becomesReady(url);
  }
});
