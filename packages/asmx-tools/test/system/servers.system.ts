// needs: php=php-cli
/**
 * Servers of other makes, called by this client from their WSDLs: PHP's SoapServer (Debian's php-soap) by two styles
 * of ours, and SoapCore of NuGet by its own, where `dotnet` is. The same calls to all.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Operation } from '../../../asmx/src/contract/service.ts';
import {
  array,
  createEndpoint,
  decimal,
  enumeration,
  int,
  object,
  operation,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { ask } from '../../../asmx/test/kit/ask.ts';
import { freePort } from '../../../asmx/test/kit/listen.ts';
import { until } from '../../../asmx/test/kit/until.ts';
import { openSoapClient } from '../../src/from/index.ts';
import { SoapFault } from '../../src/soap/index.ts';

const SERVERS = fileURLToPath(new URL('./servers/', import.meta.url));
const Line = object('Line', { sku: string, count: int });
const State = enumeration('State', ['Open', 'Closed']);
const parts = { id: int, note: string, state: State, total: decimal, lines: array(Line) };
const Order = object('Order', parts);
const Shop = service('Shop', {
  namespace: 'urn:shop',
  operations: {
    Sum: operation({ input: { a: int, b: int }, result: int }),
    Give: operation({ input: { order: Order }, result: Order }),
    Fail: operation({ result: string }),
  },
});
const lines = [
  { sku: 'a & b', count: 1 },
  { sku: '中文', count: 2 },
];
const ORDER = { id: 7, note: ' two\nlines ', state: 'Closed', total: '12.50', lines };

const folder = await mkdtemp(join(tmpdir(), 'asmx-servers-'));
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill();
  await rm(folder, { recursive: true, force: true });
});

/** The calls that every server answers alike. */
async function called(wsdl: string, url?: string): Promise<void> {
  const client = await openSoapClient(wsdl, url === undefined ? {} : { url });
  assert.equal((await client.$call('Sum', { a: 2_000_000_000, b: -1 })).result, 1_999_999_999);
  assert.deepEqual((await client.$call('Give', { order: ORDER })).result, ORDER);
  await assert.rejects(client.$call('Fail'), (error) => {
    assert.ok(error instanceof SoapFault, String(error));
    assert.deepEqual([error.code, error.message], ['Client', 'It broke.']);
    return true;
  });
}

suite('PHP', () => {
  for (const style of ['wrapped', 'rpc'] as const) {
    test(style, async () => {
      const encoded = (each: Operation): Operation => ({ ...each, style: 'rpc', use: 'encoded' });
      const contract =
        style === 'rpc' ? { ...Shop, operations: Shop.operations.map(encoded) } : Shop;
      const wsdl = join(folder, `${style}.wsdl`);
      const handlers = { Sum: () => 0, Give: () => null, Fail: () => '' };
      const endpoint = createEndpoint(contract, {
        path: '/Shop.asmx',
        handlers: handlers as never,
      });
      const answer = await ask(endpoint, { target: '/Shop.asmx?WSDL&bindings=soap' });
      await writeFile(wsdl, String(answer.body));
      const port = await freePort();
      const child = spawn('php', ['-S', `127.0.0.1:${port}`, join(SERVERS, 'server.php')], {
        env: { ...process.env, WSDL: wsdl, STYLE: style },
        stdio: 'ignore',
      });
      children.push(child);
      const url = `http://127.0.0.1:${port}/`;
      await until(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
      await called(wsdl, url);
    });
  }
});

const hasDotnet = (() => {
  try {
    return execFileSync('dotnet', ['--version']).length > 0;
  } catch {
    return false;
  }
})();

test('SoapCore', { skip: hasDotnet ? false : 'dotnet is not here' }, async () => {
  const project = join(folder, 'soapcore');
  await cp(SERVERS, project, { recursive: true });
  await promisify(execFile)('dotnet', ['build', '-v', 'q', '-o', join(project, 'out')], {
    cwd: project,
  });
  const child = spawn('dotnet', [join(project, 'out', 'Server.dll')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [url] = await once(createInterface(child.stdout!), 'line');
  await called(`${url}/Shop.asmx?WSDL`);
});
