import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { words } from '../../src/contract/words.ts';
import { exchange, postTo } from '../kit/http.ts';
import { newServer, oldServer, soap, XML } from '../kit/passing.ts';

describe('pass-through', () => {
  test('own operations are answered here, also where only the body names them', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url, passed } = await newServer(t, port);
    assert.match((await exchange(`${url}/Ask?p=1`)).body, /new 1/);
    const { status, body } = await postTo(url, soap('Ask', '<p>2</p>'), {
      ...XML,
      soapaction: '"urn:new/Ask"',
    });
    assert.equal(status, 200, body);
    assert.match(body, /new 2/);
    assert.equal((await exchange(`${url}?WSDL`)).status, 200);
    assert.equal((await exchange(url)).status, 200);
    assert.equal((await exchange(`${url}/js`)).status, 200);
    assert.deepEqual([received.length, passed.length], [0, 0]);
  });

  test('others are passed on and back byte for byte', async (t) => {
    const answer = gzipSync('<Gone>\r\n\u00e9</Gone>');
    const { port, received } = await oldServer(t, (res) => {
      const headers = words('X-Old a X-Old b Content-Encoding gzip Content-Type text/xml');
      res.writeHead(500, headers).end(answer);
    });
    const { url, passed } = await newServer(t, port, { headers: ['X-Mine', 'X-Old'] });
    const sent = Buffer.concat([
      Buffer.from(soap('Gone', '<v>')),
      Buffer.from([0xe9, 0x00, 0xff]),
      Buffer.from('  </v>'),
    ]);
    const got = await postTo(url, sent, {
      ...XML,
      'x-mine': '1',
      connection: 'x-hop',
      'x-hop': '1',
    });
    assert.equal(got.status, 500);
    assert.deepEqual(got.bytes, answer);
    assert.equal(got.headers['content-encoding'], 'gzip');
    assert.equal(got.headers['x-old'], 'a, b');
    const [asked] = received;
    assert.deepEqual(asked?.body, sent);
    assert.equal(asked?.url, '/old/Old.asmx');
    assert.deepEqual([asked?.headers['x-mine'], asked?.headers['x-hop']], ['1', undefined]);
    assert.equal(asked?.headers.host, `127.0.0.1:${port}`);
    assert.deepEqual(
      passed.map(({ operation, status }) => [operation, status]),
      [['Gone', 500]],
    );
  });

  test('GET, POST and chosen operations go by the path, with their query', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, port);
    assert.equal((await exchange(`${url}/Later?a=%E4&b=+`)).body, 'old');
    assert.equal((await postTo(`${url}/Nobody`, '{"a":1}', 'application/json')).body, 'old');
    assert.deepEqual(
      received.map(({ method, url: asked, body }) => [method, asked, body.toString()]),
      [
        ['GET', '/old/Old.asmx/Later?a=%E4&b=+', ''],
        ['POST', '/old/Old.asmx/Nobody', '{"a":1}'],
      ],
    );
  });

  test('a long message goes on whole, a compressed one by its action', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, port, { requestBytes: 3_000_000 });
    const long = soap('Gone', `<v>${'x'.repeat(2_000_000)}</v>`);
    assert.equal((await postTo(url, long, XML)).body, 'old');
    assert.equal(received[0]?.body.toString(), long);
    const headers = { ...XML, soapaction: '"urn:new/Gone"', 'content-encoding': 'gzip' };
    assert.equal((await postTo(url, gzipSync(soap('Gone')), headers)).body, 'old');
  });

  test('a redirect is an answer', async (t) => {
    const { port, received } = await oldServer(t, (res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const { url } = await newServer(t, port);
    const { status, headers } = await exchange(`${url}/Later`);
    assert.deepEqual(
      [status, headers.location, received.length],
      [302, 'http://169.254.169.254/', 1],
    );
  });

  test('a private network that is not listed is not connected to, by address or by name', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
      const { url, passed } = await newServer(t, port, { host, networks: ['10.0.0.0/8'] });
      const { status, body } = await exchange(`${url}/Later`);
      assert.equal(status, 502);
      assert.equal(body, 'The server that has this operation cannot be reached; try again.\n');
      assert.match(
        passed[0]?.error?.message ?? '',
        / is in a private network that is not listed\.$/,
      );
    }
    assert.equal(received.length, 0);
    const { url } = await newServer(t, port, { host: 'localhost' });
    assert.equal((await exchange(`${url}/Later`)).body, 'old');
  });

  test('bounds: the size of request and answer, the time', async (t) => {
    const { port } = await oldServer(t, (res, { url }) => {
      if (!url.endsWith('slow')) res.end('x'.repeat(1_000));
    });
    const answered = await newServer(t, port, { answerBytes: 1_000 });
    assert.equal((await exchange(`${answered.url}/Later`)).status, 200);
    const tooMuch = await newServer(t, port, { answerBytes: 999 });
    assert.equal((await exchange(`${tooMuch.url}/Later`)).status, 502);
    assert.equal(tooMuch.passed[0]?.error?.message, 'Its answer has more than 999 bytes.');
    const post = (body: string) => ({ method: 'POST', body });
    const small = await newServer(t, port, { requestBytes: 100 });
    assert.equal((await exchange(`${small.url}/Later`, post('x'.repeat(100)))).status, 200);
    assert.equal((await exchange(`${small.url}/Later`, post('x'.repeat(101)))).status, 413);
    const hasty = await newServer(t, port, { timeoutMs: 200 });
    assert.equal((await exchange(`${hasty.url}/slow`)).status, 502);
    assert.match(hasty.passed[0]?.error?.message ?? '', /did not answer within 0\.2 s\.$/);
  });

  test('a server that is down', async (t) => {
    const { port, server } = await oldServer(t, (res) => res.end('old'));
    server.close();
    await once(server, 'close');
    const { url, passed } = await newServer(t, port);
    assert.equal((await exchange(`${url}/Later`)).status, 502);
    assert.equal(
      passed[0]?.error?.message,
      `127.0.0.1:${port} cannot be asked: nothing listens there.`,
    );
  });
});

/** A request as it is written, and all that comes for it. */
