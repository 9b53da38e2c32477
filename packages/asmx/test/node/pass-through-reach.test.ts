import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { words } from '../../src/contract/words.ts';
import { exchange, postTo } from '../kit/http.ts';
import { newServer, oldServer, raw, soap, XML } from '../kit/passing.ts';

const ESCAPES = [
  ...words(
    '.. %2e%2e %2E. .%2e %252e%252e ..; ..;a=b %2e%2e%3b ..%00 ..%20 %c0%ae%c0%ae',
    '%u002e%u002e %uff0e%uff0e %ef%bc%8e%ef%bc%8e %e2%80%a5 ... . x x%2f..',
  ),
  '.. ',
  '\u00b7\u00b7',
  '',
];
const SLASHES = [...words('/ %2f %2F %5c %252f %255c %c0%af %ef%bc%8f %e2%88%95 // /./'), '\\'];

describe('pass-through: what anybody reaches on the other server', () => {
  test('no target leads out of the old service, however it is written', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const names = ESCAPES.flatMap((dots) =>
      SLASHES.flatMap((slash) => [
        `${dots}${slash}secret`,
        `${dots}${slash}${dots}${slash}secret`,
        `Later${slash}${dots}${slash}${dots}${slash}secret`,
        `${slash}secret`,
        `Later${slash}`,
        `Later${dots}`,
      ]),
    );
    const others = words(
      '@evil.example Later@evil.example Later;x=1 Later%3bx Later%23x Later%3fx Later:80',
    );
    const wrong = words(
      'Later%0d%0aX:y Later%20HTTP/1.1 Later%09 %00 Later%00 ~user $metadata * (x)',
    );
    const tried = [...new Set([...names, ...others, ...wrong])];
    const prefixes = [
      '/new.ASMX/',
      '//New.asmx/',
      '/x/../New.asmx/',
      'http://evil.example/New.asmx/',
    ];
    const targets = tried.map((name) => `/New.asmx/${name}`);
    for (const prefix of prefixes)
      targets.push(...tried.slice(-40).map((name) => `${prefix}${name}`));
    for (const [at, target] of targets.entries()) {
      const head = `${at % 2 === 0 ? 'GET' : 'POST'} ${target} HTTP/1.1`;
      await raw(port, `${head}\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    const refused = await raw(
      port,
      'GET /New.asmx/%2e%2e/page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.match(refused, /^HTTP\/1\.1 404 [\s\S]*\r\ncontent-security-policy: sandbox\r\n/i);
    const reached = new Set(received.map(({ url }) => url));
    for (const url of reached) assert.match(url, /^\/old\/Old\.asmx(?:\/[\w%-]+(?:\.[\w%-]+)*)?$/);
    for (const url of reached)
      assert.doesNotMatch(url, /%(?!(?:C2|B7))/i, 'no escape but of a letter');
  });

  test('letters of any language, digits, dots between them; the query goes as it came', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    for (const name of ['Größe', '查询', 'Get.Later', '_a-1']) {
      assert.equal(
        (await exchange(`${url}/${encodeURIComponent(name)}?a=../x&b=%2e%2f`)).body,
        'old',
      );
    }
    assert.deepEqual(
      received.map(({ url: asked }) => decodeURIComponent(asked.split('?')[0]!)),
      ['Größe', '查询', 'Get.Later', '_a-1'].map((name) => `/old/Old.asmx/${name}`),
    );
    assert.ok(received.every(({ url: asked }) => asked.endsWith('?a=../x&b=%2e%2f')));
  });

  test('GET and POST alone', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const methods = words('PUT DELETE PATCH TRACE OPTIONS HEAD PROPFIND SEARCH LOCK MOVE');
    for (const method of methods) {
      for (const path of ['/New.asmx/Later', '/New.asmx/Nobody', '/New.asmx/', '/New.asmx']) {
        await raw(
          port,
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        );
      }
    }
    assert.deepEqual(received, []);
  });

  test('a message that names an operation of ours anywhere is answered here', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    const post = (headers: Record<string, string>, body: string) => postTo(url, body, headers);
    await post({ ...XML, soapaction: '"urn:new/Ask"' }, soap('Gone'));
    await post({ ...XML, soapaction: '"urn:new/Gone"' }, soap('Ask'));
    await post({ 'content-type': 'application/soap+xml; action="urn:new/Ask"' }, soap('Gone'));
    assert.equal(received.length, 0);
  });
});
