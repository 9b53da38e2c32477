// needs: mcs=mono-mcs mono=mono-devel
/**
 * The classes of test/system/mono, served by Mono's ASMX and, from the WSDL that it writes, by this engine: the same requests to
 * both, and answers compared byte for byte. Mono's System.Web.Services and System.Xml are Microsoft's own source.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { engineService } from '../../../asmx-tools/src/from/emit/engine-service.ts';
import { compare, lineOf, readWsdl } from '../../../asmx-tools/src/from/index.ts';
import { createEndpoint, nodeListener } from '../../src/index.ts';
import { freePort } from '../kit/listen.ts';
import { HANDLERS, KNOWN, REQUESTS, SERVICES } from './mono/requests.ts';

const SOURCES = new URL('./mono/', import.meta.url);
let mono = '';
let ours = '';
const closing: (() => unknown)[] = [];

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'asmx-mono-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  for (const name of SERVICES)
    await copyFile(new URL(`${name}.asmx`, SOURCES), join(folder, `${name}.asmx`));
  const host = join(folder, 'bin', 'Host.exe');
  await promisify(execFile)('mcs', [
    '-nologo',
    '-r:System.Web',
    `-out:${host}`,
    new URL('Host.cs', SOURCES).pathname,
  ]);
  const child = spawn('mono', [host, folder, String(await freePort())], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => child.kill());
  [mono] = (await once(createInterface(child.stdout), 'line')) as [string];
  const listeners = await Promise.all(SERVICES.map(serve));
  const server = createServer((req, res) => {
    if (!listeners.some((listener) => listener(req, res))) res.writeHead(404).end();
  });
  closing.push(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ours = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** The engine in place of a service of Mono's, from its WSDL; operations give back what they get. */
async function serve(name: string) {
  const { service } = await readWsdl(`${mono}/${name}.asmx?WSDL`);
  const contract = engineService(service);
  const handlers = Object.fromEntries(
    contract.operations.map(({ name: operation, parameters: [first] }) => [
      operation,
      HANDLERS[operation] ??
        ((input: Record<string, unknown>) =>
          first === undefined ? undefined : input[first.property ?? first.name]),
    ]),
  );
  return nodeListener(
    createEndpoint(contract, {
      path: `/${name}.asmx`,
      baseUrl: () => ours,
      handlers: handlers as never,
    }),
  );
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

async function ask(origin: string, path: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, request);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  };
}

/** Mono writes line feeds where .NET writes CR LF in answers to GET and POST (docs/spec/wire.md, section 17). */
const plain = ({ status, type, body }: Answer, isSoap: boolean) => ({
  status,
  type,
  body: isSoap ? body : body.replaceAll('\r\n', '\n'),
});

suite('the same classes on Mono', () => {
  for (const binding of ['soap11', 'soap12', 'get', 'post'] as const) {
    test(`${binding}: the same bytes`, async () => {
      const asked = REQUESTS.filter((each) => each.binding === binding);
      const isSoap = binding.startsWith('soap');
      const wrong: string[] = [];
      const known = new Map<string, number>();
      let same = 0;
      for (const { name, path, request } of asked) {
        const theirs = JSON.stringify(plain(await ask(mono, path, request), isSoap));
        const own = JSON.stringify(plain(await ask(ours, path, request), isSoap));
        const reason = KNOWN.find(({ on }) => on.test(name))?.reason;
        if (theirs === own) same++;
        else if (reason !== undefined) known.set(reason, (known.get(reason) ?? 0) + 1);
        else wrong.push(`${name}\n  Mono ${theirs}\n  ours ${own}`);
      }
      process.stdout.write(`${binding}: ${same} of ${asked.length} the same\n`);
      for (const [reason, times] of known) process.stdout.write(`  ${times} not: ${reason}\n`);
      assert.deepEqual(wrong, []);
    });
  }

  for (const kind of ['Set', 'Table']) {
    test(`Data${kind}: what Mono writes is read here, and what is written here is read by Mono, with the same values`, async () => {
      const call = async (origin: string, operation: string, content = '') => {
        const soap = {
          'content-type': 'text/xml; charset=utf-8',
          soapaction: `"http://example.com/messages/${operation}"`,
        };
        const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><${operation} xmlns="http://example.com/messages/">${content}</${operation}></s:Body></s:Envelope>`;
        const answer = await ask(origin, '/Messages.asmx', { method: 'POST', headers: soap, body });
        assert.equal(answer.status, 200, answer.body);
        return (
          new RegExp(`<${operation}Result>(.*)</${operation}Result>`, 's').exec(answer.body)?.[1] ??
          ''
        );
      };
      const tell = async (origin: string, data: string) =>
        call(origin, `Tell${kind}`, `<value>${data}</value>`);
      const made = await call(mono, `Make${kind}`);
      const told = await tell(mono, made);
      process.stdout.write(`${told}\n`);
      assert.match(
        told,
        /Title=a &lt; b &amp; ä Pages=4 Unit Price=12\.50 Weight=0\.1 Sold=9007199254740993 InPrint=true/,
      );
      assert.doesNotMatch(told, /gone/);
      assert.equal(await tell(ours, made), told);
      // Read here, and written again.
      const again =
        kind === 'Set'
          ? await call(ours, 'Data', `<value>${made}</value>`)
          : await call(ours, 'EchoTable', `<value>${made}</value>`);
      assert.notEqual(again, made);
      assert.equal(await tell(mono, again), told);
      assert.equal(await tell(ours, again), told);
    });
  }

  test('WSDL: no old client would notice a difference', async () => {
    for (const name of SERVICES) {
      const [theirs, own] = await Promise.all(
        [mono, ours].map((origin) => readWsdl(`${origin}/${name}.asmx?WSDL`)),
      );
      const { differences } = compare(theirs!.service, own!.service);
      process.stdout.write(
        `${name}: ${theirs!.service.operations.length} operations, no difference\n`,
      );
      assert.deepEqual(differences.map(lineOf), []);
    }
  });
});
