import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { envelope, exchange } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { NAMESPACE } from '../kit/names.ts';
import { writeFolder } from '../kit/portable.ts';
import { startService, TOKEN } from '../kit/service.ts';

const AT = '2015-03-04T07:04:05.678Z';

describe('a service under the name and paths of an old one', () => {
  const env = { SOAP_SERVICE_NAME: 'OldService', SERVICE_PATHS: '/ws/Old.asmx,/Older.asmx' };

  for (const FAST_PATH of ['on', 'off']) {
    it(`answers at each path in each binding (FAST_PATH=${FAST_PATH})`, async (t) => {
      const { url } = await startService(t, undefined, { ...env, FAST_PATH });
      for (const path of ['/ws/Old.asmx', '/Older.asmx', '//WS/old.ASMX']) {
        const params = { tokenId: TOKEN, userId: 'ada', lastFewDays: '1', level: '1' };
        const get = await exchange(`${url}${path}/countUserPosted?${new URLSearchParams(params)}`);
        assert.equal(get.status, 200, get.body);
        const headers = {
          'Content-Type': 'text/xml; charset=utf-8',
          SOAPAction: `"${NAMESPACE}/countUserPosted"`,
        };
        const body = envelope('soap11', 'countUserPosted', params);
        assert.equal((await postTo(`${url}${path}`, body, headers)).status, 200);
      }
      assert.equal((await exchange(`${url}/WS01.asmx?WSDL`)).status, 404);
    });
  }

  it('says its name, and the path a client came by, in WSDL, DISCO, pages and OpenAPI', async (t) => {
    const { url } = await startService(t, undefined, { ...env, BASE_URL: 'https://old.example' });
    for (const path of ['/ws/Old.asmx', '/Older.asmx']) {
      const wsdl = (await exchange(`${url}${path}?WSDL`)).body;
      assert.match(wsdl, /<wsdl:service name="OldService">/);
      assert.match(wsdl, /<wsdl:binding name="OldServiceSoap12"/);
      const addresses = [...wsdl.matchAll(/:address location="([^"]+)"/g)].map(
        ([, address]) => address,
      );
      assert.deepEqual(new Set(addresses), new Set([`https://old.example${path}`]));
      assert.match(
        (await exchange(`${url}${path}?DISCO`)).body,
        new RegExp(`https://old\\.example${path}`),
      );
      const page = (await exchange(`${url}${path}`)).body;
      assert.match(page, /<title>\s*OldService/);
      assert.ok(
        page.includes(`href="${path.slice(path.lastIndexOf('/') + 1)}?op=`),
        page.slice(0, 2_000),
      );
    }
    const document = JSON.parse((await exchange(`${url}/openapi.json`)).body);
    assert.match(document.info.title, /OldService/);
    assert.ok(Object.keys(document.paths).every((path) => path.startsWith('/ws/Old.asmx/')));
    assert.equal((await exchange(`${url}/`)).headers.location, '/ws/Old.asmx');
  });
});

describe('the addresses of an old service', () => {
  it('lead to imported images and links', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const folder = await writeFolder(join(await temporaryFolder(t), 'old'), {
      'a.png': blackPng(8, 8),
      'b.png': blackPng(9, 8),
      'images.jsonl': [
        { guid: '0F8FAD5B-D9CB-469F-A165-70867728950E', file: 'a.png', createdAt: AT },
        { guid: '两 室', file: 'a.png', createdAt: AT },
        { guid: 'removed', file: 'b.png', createdAt: AT, removedAt: AT },
      ],
      'links.jsonl': [
        { code: 'aB3-x', target: 'https://example.com/a', createdAt: AT },
        { code: 'ended', target: 'https://example.com/b', createdAt: AT, deadline: AT },
      ],
    });
    assert.equal((await ws01(database, ['import', folder])).code, 0);
    const { url } = await startService(t, database, {
      LEGACY_IMAGE_PATHS: '/Upload/{key}.jpg,/Upload/*/*/{key}.jpg,/img.aspx?id={key}',
      LEGACY_LINK_PATHS: '/go/{code},/go.aspx?c={code}',
    });

    const status = async (path: string) => (await exchange(`${url}${path}`)).status;
    for (const path of [
      '/upload/0f8fad5b-d9cb-469f-a165-70867728950e.jpg',
      '/Upload/0F8FAD5BD9CB469FA16570867728950E.JPG?v=2',
      '/upload/2015/03/0f8fad5b-d9cb-469f-a165-70867728950e.jpg',
      `/img.aspx?id=${encodeURIComponent('两 室')}`,
      `/img.aspx?from=x&ID=${encodeURIComponent('两 室')}&v=2`,
    ]) {
      const image = await exchange(`${url}${path}`);
      assert.equal(image.status, 200, path);
      assert.equal(image.headers['content-type'], 'image/png');
      assert.equal(image.headers['cache-control'], 'no-cache');
      assert.equal(image.headers['x-content-type-options'], 'nosniff');
      const again = await exchange(`${url}${path}`, {
        headers: { 'If-None-Match': image.headers.etag! },
      });
      assert.equal(again.status, 304);
    }
    assert.equal(await status('/upload/removed.jpg'), 410);
    assert.equal(await status('/upload/nobody.jpg'), 404);
    assert.equal(await status('/upload/2015//0f8fad5b-d9cb-469f-a165-70867728950e.jpg'), 404);
    assert.equal(await status('/upload/a/0f8fad5b-d9cb-469f-a165-70867728950e.jpg'), 404);
    assert.equal(await status(`/upload/${'x'.repeat(3_000)}.jpg`), 404);

    for (const [path, added] of [
      ['/go/aB3-x', ''],
      ['/GO/aB3-x?utm=1', '?utm=1'],
      ['/go.aspx?c=aB3-x', ''],
      ['/go.aspx?c=aB3-x&from=timeline', '?from=timeline'],
      ['/go.aspx?utm=1&C=aB3-x&from=x', '?utm=1&from=x'],
      ['/s/aB3-x', ''],
    ] as const) {
      const led = await exchange(`${url}${path}`);
      const target = `https://example.com/a${added}`;
      assert.deepEqual([led.status, led.headers.location], [302, target], path);
    }
    for (const path of ['/go.aspx', '/go.aspx?d=aB3-x', '/go.aspx?c=', '/go.aspx/x?c=aB3-x'])
      assert.equal(await status(path), 404, path);
    assert.match((await exchange(`${url}/s/aB3-x+`)).body, /example\.com/);
    assert.equal(await status('/go/ended'), 410);
    assert.equal(await status('/go/ab3-x'), 404);
    assert.equal(await status('/s/nothing-of-ours'), 404);
  });
});
