import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { words } from '../../src/contract/words.ts';
import { exchange } from '../kit/http.ts';
import { newServer, oldServer } from '../kit/passing.ts';

describe('pass-through: headers', () => {
  const TO_OLD = {
    ...{
      cookie: 'ws01-session=secret; old-ASP.NET_SessionId=theirs; __Host-ws01-session=s',
      'x-forwarded-for': '6.6.6.6',
    },
    ...{
      forwarded: 'for=6.6.6.6',
      'x-forwarded-host': 'evil',
      'x-forwarded-proto': 'https',
      'x-real-ip': '6.6.6.6',
    },
    ...{
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
      'x-client-ip': '6.6.6.6',
      'true-client-ip': '6.6.6.6',
    },
    ...{
      'x-http-method-override': 'DELETE',
      'x-remote-user': 'admin',
      'x-secret': '1',
      'proxy-authorization': 'Basic x',
    },
    ...{
      via: 'x',
      range: 'bytes=0-0',
      referer: 'http://localhost/console/set-up/secret',
      soapaction: '"urn:a#Later"',
    },
  };

  test('none of ours, nor of a proxy, nor of the client’s saying', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    const credentials = [
      'Bearer ws1_secret',
      'bearer x',
      'NTLM TlRM',
      'Negotiate YII',
      'BasicX y',
      'Basic dTpw',
      'Digest a=1',
    ];
    for (const authorization of credentials) {
      assert.equal(
        (await exchange(`${url}/Later`, { headers: { ...TO_OLD, authorization } })).status,
        200,
      );
    }
    for (const { headers } of received) {
      const { host, connection, authorization, ...others } = headers;
      assert.deepEqual(others, {
        ...{
          cookie: 'ASP.NET_SessionId=theirs',
          'x-forwarded-for': '127.0.0.1',
          soapaction: '"urn:a#Later"',
        },
      });
    }
    const told = received.map(({ headers }) => headers.authorization);
    assert.deepEqual(told, [...Array(5).fill(undefined), 'Basic dTpw', 'Digest a=1']);
  });

  test('behind a trusted proxy, the client’s address and that of the proxy', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort, { trusted: '127.0.0.1' });
    await exchange(`${url}/Later`, { headers: TO_OLD });
    await exchange(`${url}/Later`);
    const told = received.map(({ headers }) => headers['x-forwarded-for']);
    assert.deepEqual(told, ['6.6.6.6, 127.0.0.1', '127.0.0.1']);
  });

  test('an answer runs nothing here, and its cookies are confined', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => {
      res.writeHead(401, [
        ...['Content-Type', 'text/html', 'Content-Security-Policy', "script-src 'unsafe-inline'"],
        ...[
          'Set-Cookie',
          'ws01-session=evil; Path=/; Domain=example.com; HttpOnly; Secure; SameSite=None; Max-Age=60',
        ],
        ...[
          'Set-Cookie',
          '__Host-ws01-session=evil; Path=/',
          'Set-Cookie',
          '=x',
          'Set-Cookie',
          'a b=x',
          'Set-Cookie',
          'x',
        ],
        ...[
          'Strict-Transport-Security',
          'max-age=1',
          'Clear-Site-Data',
          '"*"',
          'Alt-Svc',
          'h2="evil:443"',
          'X-Other',
          '1',
        ],
        ...[
          'X-Accel-Redirect',
          '/etc/passwd',
          'X-Sendfile',
          '/etc/passwd',
          'Service-Worker-Allowed',
          '/',
          'Refresh',
          '0',
        ],
        ...[
          'WWW-Authenticate',
          'NTLM',
          'WWW-Authenticate',
          'Negotiate',
          'WWW-Authenticate',
          'Basic realm="old"',
        ],
        ...['X-Content-Type-Options', 'none', 'jsonerror', 'true', 'Location', '/elsewhere'],
      ]);
      res.end('<script>alert(1)</script>');
    });
    const { url } = await newServer(t, oldPort);
    const { headers, status } = await exchange(`${url.replace('New', 'NEW')}/Later`);
    const { date, connection, 'keep-alive': kept, ...others } = headers;
    assert.equal(status, 401);
    assert.deepEqual(others, {
      ...{
        'content-type': 'text/html',
        'content-length': '25',
        jsonerror: 'true',
        location: '/elsewhere',
      },
      ...{
        'www-authenticate': 'Basic realm="old"',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      },
      'set-cookie': [
        'old-ws01-session=evil; HttpOnly; Secure; Max-Age=60; Path=/NEW.asmx; SameSite=Lax',
        'old-__Host-ws01-session=evil; Path=/NEW.asmx; SameSite=Lax',
      ],
    });
    assert.equal(received.length, 1);
  });

  test('no option has a header pass that is made here', async (t) => {
    for (const name of words(
      'Cookie Host X-Forwarded-For x-rewrite-url Content-Security-Policy Set-Cookie',
    )) {
      await assert.rejects(
        newServer(t, 1, { headers: [name] }),
        new RegExp(`The header ${name} is not passed on`),
      );
    }
  });
});

/** Connections that send so much of a longer body, and then nothing. */
