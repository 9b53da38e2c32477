import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { envelope, exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { emptyDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { noisyPng } from '../kit/images/photographs.ts';
import { upload } from '../kit/images/upload.ts';
import { NAMESPACE } from '../kit/names.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get, post] = TEST_BINDINGS;

describe('settings that outsiders rely on', () => {
  for (const SOAP_NAMESPACE of ['http://old.example/ws', 'http://old.example/ws/']) {
    it(`SOAP_NAMESPACE=${SOAP_NAMESPACE} is read and written everywhere`, async (t) => {
      const { url } = await startService(t, undefined, { SOAP_NAMESPACE });
      const article = { token: TOKEN, guid: 'g', caption: 'c', Status: '0' };
      const body = envelope('soap11', 'InsertArticle', article).replace(NAMESPACE, SOAP_NAMESPACE);
      for (const slashes of ['/', '//']) {
        const SOAPAction = `"http://old.example/ws${slashes}InsertArticle"`;
        const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction };
        const answer = await postTo(`${url}/WS01.asmx`, body, headers);
        assert.equal(answer.status, 200, answer.body);
        assert.ok(
          answer.body.includes(`<InsertArticleResponse xmlns="${SOAP_NAMESPACE}">`),
          answer.body,
        );
      }
      const counted = await get!.call(url, 'countIpPosted', {
        tokenId: TOKEN,
        IP: '',
        lastFewDays: '1',
      });
      assert.ok(
        counted.body.endsWith(`<string xmlns="${SOAP_NAMESPACE}">1</string>`),
        counted.body,
      );
      const refused = await get!.call(url, 'countIpPosted', {
        tokenId: 'wrong-token',
        lastFewDays: '1',
      });
      assert.ok(refused.body.includes(`<error xmlns="${SOAP_NAMESPACE}">`), refused.body);
      const wsdl = (await exchange(`${url}/WS01.asmx?WSDL`)).body;
      assert.ok(wsdl.includes(`targetNamespace="${SOAP_NAMESPACE}"`));
      assert.ok(wsdl.includes('soapAction="http://old.example/ws/InsertArticle"'));
    });
  }

  it('BASE_URL is what WSDL addresses, short links and images show', async (t) => {
    const { url } = await startService(t, undefined, { BASE_URL: 'https://public.example/ws' });
    const wsdl = (await exchange(`${url}/WS01.asmx?WSDL`)).body;
    const addresses = [...wsdl.matchAll(/:address location="([^"]+)"/g)].map(
      ([, address]) => address,
    );
    assert.deepEqual(new Set(addresses), new Set(['https://public.example/ws/WS01.asmx']));
    const link = await get!.call(url, 'UrltoShortUrl', { _orgUrl: 'https://example.org/' });
    assert.match(link.result ?? link.body, /^https:\/\/public\.example\/ws\/s\/.{7}$/);
    await upload(url, blackPng(8, 8));
    const { items } = JSON.parse((await get!.call(url, 'QueryImgData', {})).result!);
    assert.match(items[0].url, /^https:\/\/public\.example\/ws\/media\//);
  });

  it('DATA_DIR has the database and the image files', async (t) => {
    const database = await emptyDatabase('sqlite', t);
    const { url } = await startService(t, database);
    await upload(url, blackPng(8, 8));
    assert.ok(existsSync(`${database.dataDir}/ws01.sqlite`));
    const files = await readdir(`${database.dataDir}/files`, {
      recursive: true,
      withFileTypes: true,
    });
    assert.ok(files.some((entry) => entry.isFile()));
  });

  it('TIME_ZONE, DEFAULT_COUNTRY and TRUSTED_PROXIES say how values are read', async (t) => {
    const env = {
      TIME_ZONE: 'Asia/Shanghai',
      DEFAULT_COUNTRY: 'CN',
      TRUSTED_PROXIES: '127.0.0.0/8',
    };
    const { url, database } = await startService(t, undefined, env);
    const advert = { tokenId: TOKEN, title: 't', CreateUserId: 'ada', showDeadLine: '2030-01-31' };
    assert.equal((await post!.call(url, 'addNewAdvert', advert)).status, 200);
    const { items } = JSON.parse((await get!.call(url, 'QueryAdvert', { userId: 'ada' })).result!);
    assert.equal(items[0].showDeadLine, '2030-01-31T15:59:59.999Z');

    const phone = { tokenId: TOKEN, userId: 'ada', cellPhone: '138 0013 8000' };
    assert.equal((await post!.call(url, 'updateUserCellphone', phone)).result, 'ada');
    const store = await database.open();
    const row = await store.read((db) =>
      db.selectFrom('users').select('cell_phone').where('id', '=', 'ada').execute(),
    );
    assert.deepEqual(row, [{ cell_phone: '+8613800138000' }]);

    const review = `${url}/WS01.asmx/submitReview?id=x&IsPositive=1`;
    for (const client of ['203.0.113.7', '203.0.113.8', '203.0.113.7']) {
      const { status, body } = await exchange(review, { headers: { 'X-Forwarded-For': client } });
      assert.equal(status, 200, body);
    }
    const { positive } = JSON.parse(
      (await get!.call(url, 'submitReview', { id: 'x', IsPositive: '0' })).result!,
    );
    assert.equal(positive, 2);
  });

  it('a body that carries a FileImg is bounded by the image limit, any other by that of requests', async (t) => {
    const { url } = await startService(t, undefined, {
      MAX_REQUEST_BYTES: '4096',
      MAX_IMAGE_BYTES: '20000',
    });
    const picture = await noisyPng(60);
    assert.ok(picture.length > 8_192 && picture.length < 20_000, `${picture.length} bytes`);
    const large = await noisyPng(100);
    assert.ok(large.length > 20_000);
    for (const binding of [soap11!, post!]) {
      const send = (FileImg: Buffer) =>
        binding.call(url, 'InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid: binding.name,
          FileImg: FileImg.toString('base64'),
        });
      assert.equal((await send(picture)).result, 'true');
      assert.equal((await send(large)).code, 'TooLarge');
      const article = {
        token: TOKEN,
        guid: 'g',
        caption: 'c',
        Status: '0',
        content: 'a'.repeat(5_000),
      };
      assert.equal((await binding.call(url, 'InsertArticle', article)).code, 'TooLarge');
    }
  });
});
