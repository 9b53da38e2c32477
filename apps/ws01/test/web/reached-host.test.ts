import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { serviceForSuite, startService, type TestService, TOKEN } from '../kit/service.ts';
import { sendBytes } from '../wire/golden/exchanges.ts';

/** The answer to a GET with a Host and other headers, as bytes on the wire say it. */
async function get(
  { app }: TestService,
  target: string,
  host: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${lines.join('')}\r\n`;
  return (await sendBytes(app.port, Buffer.from(request, 'latin1'))).toString();
}

const addressIn = (wsdl: string) => /<soap:address location="([^"]*)"/.exec(wsdl)?.[1];
const etagOf = (answer: string) => /^ETag: (.*)$/m.exec(answer)![1]!;
const SHORTEN =
  '/WS01.asmx/UrltoShortUrl?_orgUrl=https%3A%2F%2Fexample.com%2Fpage&_userId=&_userEmail=&_deadline=';

describe('without BASE_URL', () => {
  const service = serviceForSuite();

  it('descriptions and answers name the host the client used, each its own', async () => {
    for (const host of [
      'api.example.com',
      'API.example.com:8443',
      '[2001:db8::7]:81',
      '10.1.2.3',
      'ws01_test',
    ]) {
      const url = `http://${host.toLowerCase()}`;
      const wsdl = await get(service, '/WS01.asmx?WSDL', host);
      assert.equal(addressIn(wsdl), `${url}/WS01.asmx`);
      assert.match(wsdl, /^Cache-Control: private/m);
      assert.ok(
        (await get(service, '/WS01.asmx?disco', host)).includes(`ref="${url}/WS01.asmx?wsdl"`),
      );
      assert.ok(
        (await get(service, '/WS01.asmx?op=InsertArticle', host)).includes(
          `${url}/WS01.asmx/InsertArticle`,
        ),
      );
      assert.ok((await get(service, '/openapi.json', host)).includes(`"url": "${url}"`));
      assert.match(await get(service, SHORTEN, host), new RegExp(`>${RegExp.escape(url)}/s/\\w+<`));
    }
  });

  it('a copy kept for one host is not taken for another’s', async () => {
    const tag = etagOf(await get(service, '/WS01.asmx?WSDL', 'a.example'));
    const own = await get(service, '/WS01.asmx?WSDL', 'a.example', { 'If-None-Match': tag });
    assert.match(own, /^HTTP\/1\.1 304 /);
    const other = await get(service, '/WS01.asmx?WSDL', 'b.example', { 'If-None-Match': tag });
    assert.equal(addressIn(other), 'http://b.example/WS01.asmx');
    const link = /\/s\/(\w+)</.exec(await get(service, SHORTEN, 'a.example'))![1];
    const picture = await get(service, `/s/${link}.svg`, 'a.example');
    assert.match(picture, /^cache-control: private/im);
  });

  it('lists and feeds with addresses at that host are for its client alone, with BASE_URL for everybody', async (t) => {
    const feeds = ['articles.atom', 'articles.json'].map((name) => `/api/v1/public/feeds/${name}`);
    for (const host of ['a.example', '-a', '127.0.0.1']) {
      for (const feed of feeds)
        assert.match(await get(service, feed, host), /^cache-control: private, max-age/im);
      assert.match(
        await get(service, '/api/v1/public/articles', host),
        /^cache-control: public, max-age/im,
      );
    }
    const named = await startService(t, undefined, { BASE_URL: 'https://ws01.example' });
    for (const feed of feeds)
      assert.match(await get(named, feed, 'a.example'), /^cache-control: public, max-age/im);
  });

  it('more hosts than are remembered are answered all the same', async () => {
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 40; n++) {
        const wsdl = await get(service, '/WS01.asmx?WSDL', `h${n}.example`);
        assert.equal(addressIn(wsdl), `http://h${n}.example/WS01.asmx`);
      }
    }
  });

  for (const host of words(
    'a.example/x user@evil.example a"><script> a..b:99999 a.example:0x1 -a [::g]',
  )) {
    it(`${host} is no host: the address is that of the machine itself`, async () => {
      const wsdl = await get(service, '/WS01.asmx?WSDL', host);
      assert.equal(addressIn(wsdl), `http://localhost:${service.app.port}/WS01.asmx`);
    });
  }

  it('forwarded headers count from a trusted proxy alone', async (t) => {
    const forwarded = {
      'X-Forwarded-Host': 'www.example.com, inner',
      'X-Forwarded-Proto': 'https',
    };
    const ignored = await get(service, '/WS01.asmx?WSDL', 'inner:8080', forwarded);
    assert.equal(addressIn(ignored), 'http://inner:8080/WS01.asmx');
    const behind = await startService(t, undefined, { TRUSTED_PROXIES: 'loopback' });
    const followed = await get(behind, '/WS01.asmx?WSDL', 'inner:8080', forwarded);
    assert.equal(addressIn(followed), 'https://www.example.com/WS01.asmx');
    assert.match(
      await get(behind, SHORTEN, 'inner:8080', forwarded),
      />https:\/\/www\.example\.com\/s\/\w+</,
    );
    const wrong = await get(behind, '/WS01.asmx?WSDL', 'inner:8080', {
      ...forwarded,
      'X-Forwarded-Proto': 'gopher',
    });
    assert.equal(addressIn(wrong), 'http://www.example.com/WS01.asmx');
  });

  it('what is mailed follows no host', async (t) => {
    const server = await startMailServer(t);
    const mailing = await startService(t, undefined, { SMTP_URL: server.url });
    const mail = `authorizationUserId=${TOKEN}&receiverName=r&receiverEmail=grace%40example.com&subject=s&body=b`;
    await get(mailing, `/WS01.asmx/SendEmail?${mail}`, 'evil.example');
    await until(() => server.received.length > 0);
    assert.equal(server.received.length, 1);
    const [{ from, raw }] = server.received as [(typeof server.received)[number]];
    assert.equal(from, 'ws01@localhost');
    assert.ok(!raw.includes('evil.example'), raw);
  });
});

describe('with BASE_URL', () => {
  it('no header changes an address', async (t) => {
    const env = { BASE_URL: 'https://fixed.example/ws', TRUSTED_PROXIES: 'loopback' };
    const service = await startService(t, undefined, env);
    const forwarded = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' };
    const wsdl = await get(service, '/WS01.asmx?WSDL', 'evil.example', forwarded);
    assert.equal(addressIn(wsdl), 'https://fixed.example/ws/WS01.asmx');
    assert.match(
      await get(service, SHORTEN, 'evil.example'),
      />https:\/\/fixed\.example\/ws\/s\/\w+</,
    );
  });
});
