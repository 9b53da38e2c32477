// needs: curl php=php-cli python3 perl go=golang-go java=default-jdk javac=default-jdk nginx haproxy apache2
/**
 * Clients × ways to send × sizes, straight and behind proxies: what is read has the sha256 of what was sent, answers come
 * whole, and a person sees the sentence of each refusal. Beside the Debian packages above it needs php-soap,
 * python3-zeep, python3-suds, python3-requests, libsoap-lite-perl, jaxws, libaxis-java and libcommons-httpclient-java.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { apache, haproxy, nginx, type OtherServer } from './garden/proxies.ts';
import { buildClients, CLIENTS, curl, lineOf, run, writeCalls } from './sizes/clients.ts';
import {
  answerCall,
  type ClientCall,
  fileCall,
  RAISED,
  refusedCall,
  startHashingEcho,
  textCall,
} from './sizes/hashing-echo.ts';
import { check, type Line } from './sizes/lines.ts';

const STRAIGHT = [
  ...[1_000, 20_000, 200_000, 2_000_000].map(textCall),
  ...[1_000, 200_000, 10_485_760].map(fileCall),
  ...[1_000, 200_000, 4_000_000].map(answerCall),
];
const BEHIND = [textCall(20_000), textCall(200_000), fileCall(1_000_000), answerCall(1_000_000)];
const REFUSED = [
  ...RAISED.map(refusedCall),
  { ...textCall(2_000_001), error: 'content: The text is longer than 2000000 characters' },
  { ...fileCall(10_485_761), error: '10485760 bytes' },
];

const FRONTS: readonly OtherServer[] = [
  nginx('nginx', ''),
  nginx('nginx, nothing buffered', 'proxy_request_buffering off; proxy_buffering off;'),
  haproxy('HAProxy', ''),
  haproxy('HAProxy, requests buffered', 'option http-buffer-request'),
  apache('Apache', []),
  apache('Apache, requests buffered', ['SetEnv proxy-sendcl 1']),
];
const HTTP2_FRONTS: readonly OtherServer[] = [
  nginx('nginx, HTTP/2', 'proxy_request_buffering off;', ' http2'),
  haproxy('HAProxy, HTTP/2', '', ' proto h2'),
  apache('Apache, HTTP/2', ['Protocols h2c http/1.1']),
];

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ws01-sizes-'));
  await buildClients(folder);
});
after(() => rm(folder, { recursive: true, force: true }));

/** Has a client make all calls, and checks what it says. */
async function checkClient(name: string, url: string, calls: readonly ClientCall[], where = '') {
  const own = join(folder, `${name} ${where}`.replaceAll(/\W+/g, '-'));
  const path = await writeCalls(own, calls);
  const lines = name.startsWith('curl')
    ? await curl(url, path, name === 'curl' ? [] : ['--http2-prior-knowledge'])
    : await callWith(name, url, path);
  await rm(own, { recursive: true });
  assert.ok(lines.length >= calls.length, `${name} says nothing of some calls`);
  const byName = new Map(calls.map((call) => [call.name, call]));
  check(
    lines,
    (line) => {
      const { answer, error } = byName.get(line.name)!;
      return error === undefined ? line.answer === answer : line.error?.includes(error) === true;
    },
    where === '' ? '' : `${where} | `,
  );
}

async function callWith(name: string, url: string, calls: string): Promise<Line[]> {
  const [program, ...args] = CLIENTS[name]!(folder);
  const printed = (await run(program, [...args, url, calls])).trim().split('\n');
  const lines = printed.filter((line) => line.split('\t').length > 3);
  assert.ok(lines.length > 0, printed.slice(-20).join('\n'));
  return lines.map(lineOf);
}

const ALL = ['curl', ...Object.keys(CLIENTS)];

suite('straight: 1 kB to the limits come whole', () => {
  for (const name of ALL) {
    test(name, async (context) => {
      const { url } = await startHashingEcho(context as TestContext);
      await checkClient(name, `${url}/WS01.asmx`, STRAIGHT);
    });
  }
});

suite('a person sees the sentence of each refusal', () => {
  for (const name of ALL) {
    test(name, async (context) => {
      const { url } = await startHashingEcho(context as TestContext);
      await checkClient(name, `${url}/WS01.asmx`, REFUSED, 'refused');
    });
  }
});

suite('behind proxies', () => {
  for (const front of [...FRONTS, ...HTTP2_FRONTS]) {
    for (const name of HTTP2_FRONTS.includes(front) ? ['curl HTTP/2'] : ALL) {
      test(`${front.name}: ${name}`, async (context) => {
        const { port: service } = await startHashingEcho(context as TestContext);
        const own = await mkdtemp(join(folder, 'front-'));
        const port = await freePort();
        await front.start(context as TestContext, own, port, service);
        await checkClient(name, `http://127.0.0.1:${port}/WS01.asmx`, BEHIND, front.name);
      });
    }
  }
});
