import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { ws01 } from '../kit/command.ts';

const RECORDED = 'apps/ws01/test/golden/meta/wsdl.res';
const NAMESPACE = { SOAP_NAMESPACE: 'http://tempuri.org/ws01' };
/** No database is needed: none is made. */
const NOWHERE = { dataDir: join(tmpdir(), 'ws01-never-made'), databaseUrl: undefined };

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  ws01(NOWHERE, ['compare', ...args], '', env);

describe('ws01 compare', () => {
  test("ends with 0 for ASP.NET's own WSDL of the contract, and shows the addresses", async () => {
    const { code, stdout, stderr } = await run([RECORDED], {
      ...NAMESPACE,
      BASE_URL: 'https://new.example',
    });
    assert.equal(stderr, '');
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      'No difference that an old client would notice, in 20 operations.',
      'address: SOAP 1.1: http://127.0.0.1:18080/WS01.asmx, ours https://new.example/WS01.asmx',
    ]);
    assert.equal(code, 0);
  });

  test('ends with 1 for a difference, and says what to set', async () => {
    const { code, stdout } = await run([RECORDED]);
    const [first] = stdout.split('\n');
    assert.equal(
      first,
      'namespace: http://tempuri.org/ws01, ours urn:ws01 (SOAP clients would notice): set SOAP_NAMESPACE=http://tempuri.org/ws01',
    );
    assert.equal(code, 1);
  });

  test('ends with 2 for what is no WSDL, with one line', async () => {
    for (const [file, told] of [
      ['nowhere.wsdl', /^ws01: .*nowhere\.wsdl: There is no such file\.\n$/],
      ['package.json', /^ws01: .*package\.json: .*Line 1, position 1\.\n$/],
    ] as const) {
      const { code, stdout, stderr } = await run([file]);
      assert.match(stderr, told);
      assert.deepEqual([code, stdout], [2, '']);
    }
  });

  test('takes a URL, and prints one JSON object', async (t) => {
    const answer = await readFile(RECORDED, 'utf8');
    const server = createServer((_, response) =>
      response.end(answer.slice(answer.indexOf('<?xml'))),
    );
    const url = `${await originOf(t, server)}/WS01.asmx?WSDL`;
    const { code, stdout } = await run([url, '--json'], NAMESPACE);
    const { same, operations, differences, addresses } = JSON.parse(stdout);
    assert.deepEqual(
      [code, same, operations, differences.length, addresses.length],
      [0, true, 20, 0, 4],
    );
  });

  test('has the limits and networks of asmx from, with the same messages', async (t) => {
    const wrong = await run([RECORDED, '--limit', 'documentBytes=100']);
    assert.match(
      wrong.stderr,
      /^ws01: .*wsdl\.res: The document has more than 100 bytes \(limit documentBytes\)\.\n$/,
    );
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.equal((await run([RECORDED, '--limit', 'documentBytes=1000000'], NAMESPACE)).code, 0);
    for (const [options, told] of [
      [
        ['--limit', 'bytes=1'],
        /^ws01: --limit: There is no limit bytes; there are documentBytes, [^\n]*\n$/,
      ],
      [
        ['--limit', 'documents=0'],
        /^ws01: --limit: The limit documents must be a positive integer, not 0\.\n$/,
      ],
      [['--network', 'everywhere'], /^ws01: --network: [^\n]*everywhere[^\n]*\n$/],
    ] as const) {
      const { code, stderr } = await run([RECORDED, ...options]);
      assert.match(stderr, told);
      assert.equal(code, 2);
    }
    // A server whose WSDL imports from another private address: only the option lets it be asked.
    const answer = await readFile(RECORDED, 'utf8');
    const wsdl = answer.slice(answer.indexOf('<?xml'));
    const schema =
      '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:more"/>';
    const elsewhere = createServer((_, response) => response.end(schema)).listen(0, '127.0.0.2');
    const server = createServer((_, response) => {
      const place = `http://127.0.0.2:${(elsewhere.address() as AddressInfo).port}/more.xsd`;
      const more = `<s:schema><s:import namespace="urn:more" schemaLocation="${place}"/></s:schema>`;
      response.end(wsdl.replace('</wsdl:types>', `${more}</wsdl:types>`));
    });
    await once(elsewhere, 'listening');
    t.after(() => elsewhere.close());
    const url = `${await originOf(t, server)}/WS01.asmx?WSDL`;
    const refused = await run([url], NAMESPACE);
    assert.match(refused.stderr, /127\.0\.0\.2 is in a private network, .*\(--network\)\.\n$/);
    assert.equal(refused.code, 2);
    assert.equal((await run([url, '--network', '127.0.0.2/32'], NAMESPACE)).code, 0);
  });
});
