import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { exchange, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { call, envelopeOf, SOAP11 } from '../../../../packages/asmx/test/kit/soap.ts';
import { echoForSuite } from '../kit/echo.ts';

const GET = '/WS01.asmx/DeleImgById?FileGuid=f1';
const FORM = 'FileGuid=f1';
const POST = 'POST /WS01.asmx/DeleImgById';
const IS_FORM = 'Content-Type: application/x-www-form-urlencoded';

const echoed = (body: string) => body.includes('"FileGuid":"f1"');

describe('HTTP: verbs and paths', () => {
  const echo = echoForSuite();
  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => exchange(echo.url + path, { method, headers, body });

  for (const path of ['/WS01.asmx', '/ws01.asmx', '/WS01.ASMX']) {
    it(`${path}: the path in any case`, async () => {
      assert.equal((await send('GET', path)).headers['content-type'], 'text/html; charset=utf-8');
      assert.ok(echoed((await send('GET', `${path}/DeleImgById?FileGuid=f1`)).body));
    });
  }

  for (const path of ['/WS01.asmxx', '/WS01', '/x/WS01.asmx', '/', '/WS02.asmx']) {
    it(`${path} is not the service`, async () => {
      const answer = await send('GET', path);
      assert.equal(answer.status, 404);
      assert.equal(answer.headers['x-error-code'], undefined);
    });
  }

  for (const [path, status, hint] of [
    ['/WS01.asmx/deleimgbyid', 404, 'DeleImgById'],
    ['/WS01.asmx/Nothing', 404, 'Nothing'],
    ['/WS01.asmx/DeleImgById/', 404, 'DeleImgById/'],
    ['/WS01.asmx/DeleImgById/x', 404, 'DeleImgById/x'],
    ['/WS01.asmx/__proto__', 404, '__proto__'],
    ['/WS01.asmx/constructor', 404, 'constructor'],
    ['/WS01.asmx/%FF', 404, ''],
    ['/WS01.asmx/', 404, "ends in '/'"],
  ] as const) {
    for (const method of ['GET', 'POST']) {
      it(`${method} ${path}: ${status}, UnknownOperation, and what would be right`, async () => {
        const answer = await send(method, path);
        assert.equal(answer.status, status);
        assert.equal(answer.headers['x-error-code'], 'UnknownOperation');
        assert.equal(answer.headers['content-type'], 'text/xml; charset=utf-8');
        assert.ok(answer.body.includes(hint));
      });
    }
  }

  it('an operation’s name with %-escapes is that operation', async () => {
    assert.ok(echoed((await send('GET', '/WS01.asmx/%44ele%49mgById?FileGuid=f1')).body));
  });

  for (const path of ['/WS01.asmx', '/WS01.asmx?WSDL', '/WS01.asmx/DeleImgById']) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE']) {
      it(`${method} ${path}: 405 with Allow`, async () => {
        const answer = await send(method, path);
        assert.equal(answer.status, 405);
        assert.equal(answer.headers['x-error-code'], 'MethodNotAllowed');
        assert.match(answer.headers.allow!, /^GET, .*POST, OPTIONS$/);
      });
    }

    it(`OPTIONS ${path}: 204 with Allow`, async () => {
      const answer = await send('OPTIONS', path);
      assert.equal(answer.status, 204);
      assert.match(answer.headers.allow!, /^GET, .*POST, OPTIONS$/);
      assert.equal(answer.body, '');
    });
  }

  for (const path of [
    '/WS01.asmx',
    '/WS01.asmx?wsdl',
    '/WS01.asmx?disco',
    '/WS01.asmx?op=InsertArticle',
  ]) {
    it(`HEAD ${path}: what GET says, without the body`, async () => {
      const [head, get] = await Promise.all([send('HEAD', path), send('GET', path)]);
      assert.equal(head.status, 200);
      assert.equal(head.body, '');
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'] as const) {
        assert.equal(head.headers[name], get.headers[name], name);
      }
    });
  }

  it('HEAD of an operation is 405: it would have to call it', async () => {
    assert.equal((await send('HEAD', GET)).status, 405);
  });

  it('POST with a query string is SOAP all the same', async () => {
    const body = envelopeOf(SOAP11, call('DeleImgById', '<FileGuid>f1</FileGuid>'));
    const answer = await send('POST', '/WS01.asmx?WSDL', { 'Content-Type': 'text/xml' }, body);
    assert.ok(echoed(answer.body));
  });
});

describe('HTTP: connections', () => {
  const echo = echoForSuite();

  it('many requests on one connection', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    for (let i = 0; i < 3; i++) {
      connection.ask(`GET ${GET}`, []);
      const { status, head, body } = await connection.answer();
      assert.equal(status, 200);
      assert.ok(echoed(body));
      assert.doesNotMatch(head, /^connection: close/im);
    }
  });

  it('pipelined requests of all bindings, answered in order', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    const soap = envelopeOf(SOAP11, call('DeleImgById', '<FileGuid>s</FileGuid>'));
    const json = '{"FileGuid":"j"}';
    connection.send(
      'GET /WS01.asmx/DeleImgById?FileGuid=g HTTP/1.1',
      'Host: x',
      '',
      'POST /WS01.asmx HTTP/1.1',
      'Host: x',
      'Content-Type: text/xml',
      `Content-Length: ${soap.length}`,
      '',
      `${soap}POST /WS01.asmx/DeleImgById HTTP/1.1`,
      'Host: x',
      IS_FORM,
      'Content-Length: 10',
      '',
      'FileGuid=pPOST /WS01.asmx/DeleImgById HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${json.length}`,
      '',
      `${json}GET /WS01.asmx?disco HTTP/1.1`,
      'Host: x',
      'Connection: close',
      '',
      '',
    );
    for (const name of ['g', 's', 'p', 'j']) {
      assert.match((await connection.answer()).body, new RegExp(`FileGuid\\\\?":\\\\?"${name}`));
    }
    assert.match((await connection.answer()).head, /^connection: close/im);
    assert.equal(await connection.ended(), '');
  });

  it('an error keeps the connection', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(POST, ['Content-Type: text/csv', 'Content-Length: 2'], 'ab');
    assert.equal((await connection.answer()).status, 415);
    connection.ask(`GET ${GET}`, []);
    assert.equal((await connection.answer()).status, 200);
  });

  it('an absolute-form target', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(`GET http://other.example:81${GET} HTTP/1.1`, 'Host: x', '', '');
    assert.ok(echoed((await connection.answer()).body));
    connection.send('GET HTTP://x/WS01.asmx?disco HTTP/1.1', 'Host: x', '', '');
    assert.ok((await connection.answer()).body.includes('discovery'));
  });

  it('Upgrade: h2c is ignored, and the connection closed: nothing behind it would be read', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(`GET ${GET}`, [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    ]);
    const answer = await connection.answer();
    assert.equal(answer.status, 200);
    assert.ok(echoed(answer.body));
    assert.match(answer.head, /^connection: close$/im);
    assert.equal(await connection.ended(), '');
  });

  for (const path of ['/', '/WS01.asmx/DeleImgById']) {
    it(`${path}: a body that breaks off has one answer, and the connection ends`, async (test) => {
      const connection = await RawConnection.open(test, echo.port);
      connection.ask(`POST ${path}`, ['Content-Length: 100000'], 'FileGuid=f1');
      // The general path answers the first before the body is there.
      const early = path === '/' ? await connection.answer() : undefined;
      connection.socket.end();
      if (early === undefined) assert.ok((await connection.answer()).status >= 400);
      assert.equal(await connection.ended(), '');
    });
  }

  it('what waits for 100 Continue and is not the service’s is the last of its connection', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask('POST /', ['Expect: 100-continue', 'Content-Length: 43']);
    const { status, head } = await connection.answer();
    assert.equal(status, 404);
    assert.match(head, /^connection: close$/im);
    connection.ask(`GET ${GET}`, []);
    assert.equal(await connection.ended(), '');
  });

  it('HTTP/1.0: answered and closed', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(`GET ${GET} HTTP/1.0`, '', '');
    assert.ok(echoed((await connection.answer()).body));
    assert.equal(await connection.ended(), '');
  });

  it('HTTP/1.0 with a body, and kept alive when asked', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    for (let i = 0; i < 2; i++) {
      connection.send(
        `${POST} HTTP/1.0`,
        'Connection: keep-alive',
        IS_FORM,
        `Content-Length: ${FORM.length}`,
        '',
        FORM,
      );
      const { head, body } = await connection.answer();
      assert.ok(echoed(body));
      assert.match(head, /^connection: keep-alive/im);
    }
  });

  it('what is no HTTP behind a request is refused after that request’s answer', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(`GET ${GET} HTTP/1.1`, 'Host: x', '', 'nonsense', '', '');
    assert.ok(echoed((await connection.answer()).body));
    assert.equal((await connection.answer()).status, 405);
    assert.equal(await connection.ended(), '');
  });

  for (const [what, header, status] of [
    ['no Host', 'X: y', 400],
    ['an unknown Expect', 'Host: x\r\nExpect: 200-ok', 417],
  ] as const) {
    it(`${what} is ${status} with a code, and closes`, async (test) => {
      const connection = await RawConnection.open(test, echo.port);
      connection.send(`GET ${GET} HTTP/1.1`, header, '', '');
      const answer = await connection.answer();
      assert.equal(answer.status, status);
      assert.match(answer.head, /^x-error-code: MalformedRequest/im);
      assert.equal(await connection.ended(), '');
    });
  }

  it('a client that closes its side after the request gets its answer', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(POST, [IS_FORM, `Content-Length: ${FORM.length}`], FORM);
    connection.socket.end();
    assert.ok(echoed((await connection.answer()).body));
    assert.equal(await connection.ended(), '');
  });
});

describe('HTTP: bodies', () => {
  const echo = echoForSuite();

  it('chunked, in pieces of one byte, with extensions and trailers', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(POST, [IS_FORM, 'Transfer-Encoding: chunked']);
    for (const byte of FORM) connection.send('1;a=b', byte, '');
    connection.send('0', 'Trailer: x', '', '');
    assert.ok(echoed((await connection.answer()).body));
  });

  it('chunked and compressed', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    const body = gzipSync(FORM);
    connection.ask(POST, [IS_FORM, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked']);
    connection.send(body.length.toString(16), `${body.toString('latin1')}\r\n0`, '', '');
    assert.ok(echoed((await connection.answer()).body));
  });

  it('HTTP/1.0 has no transfer coding: 400, and the connection closes', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(
      `${POST} HTTP/1.0`,
      'Host: x',
      IS_FORM,
      'Connection: keep-alive',
      'Transfer-Encoding: chunked',
      '',
      '0',
      '',
      '',
    );
    assert.equal((await connection.answer()).status, 400);
    assert.equal(await connection.ended(), '');
  });

  it('a broken chunk is 400 and the connection closes', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(POST, [IS_FORM, 'Transfer-Encoding: chunked'], 'xyz\r\n');
    const { status, head } = await connection.answer();
    assert.equal(status, 400);
    assert.match(head, /^x-error-code: MalformedRequest/im);
    assert.equal(await connection.ended(), '');
  });

  it('none at all where one is needed: nothing is given', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(POST, [IS_FORM]);
    const { status, body } = await connection.answer();
    assert.equal(status, 200);
    assert.ok(body.includes('"FileGuid":null'));
  });

  it('Expect: 100-continue is answered when the body is wanted', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    const headers = [IS_FORM, 'Expect: 100-continue', `Content-Length: ${FORM.length}`];
    connection.ask(POST, headers);
    assert.equal((await connection.answer()).status, 100);
    connection.send(FORM);
    assert.ok(echoed((await connection.answer()).body));
  });

  for (const [what, path, type, status] of [
    ['another content type', '/WS01.asmx/DeleImgById', 'text/csv', 415],
    ['an unknown operation', '/WS01.asmx/Nothing', 'application/x-www-form-urlencoded', 404],
    ['a body over the limit', '/WS01.asmx/DeleImgById', 'application/x-www-form-urlencoded', 413],
    ['a SOAP body over every limit', '/WS01.asmx', 'text/xml', 413],
  ] as const) {
    it(`Expect: 100-continue is not answered for ${what}: the refusal comes at once`, async (test) => {
      const connection = await RawConnection.open(test, echo.port);
      const length = status === 413 ? 500 * 1024 * 1024 : 10;
      connection.ask(`POST ${path}`, [
        `Content-Type: ${type}`,
        'Expect: 100-continue',
        `Content-Length: ${length}`,
      ]);
      const answer = await connection.answer();
      assert.equal(answer.status, path === '/WS01.asmx' && status === 413 ? 500 : status);
      assert.match(answer.head, /^connection: close/im);
    });
  }

  it('Expect of HTTP/1.0 is not answered with 100', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(
      `${POST} HTTP/1.0`,
      'Host: x',
      IS_FORM,
      'Expect: 100-continue',
      `Content-Length: ${FORM.length}`,
      '',
      FORM,
    );
    assert.equal((await connection.answer()).status, 200);
  });
});
