import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import {
  createEndpoint,
  int,
  nodeListener,
  operation,
  publicUrlOf,
  service,
  string,
} from '@ws01/asmx';
import express from 'express';
import { originOf } from '../kit/listen.ts';

const S = service('Orders', {
  namespace: 'urn:orders',
  operations: { Get: operation({ input: { id: int }, result: string }) },
});
const serving = (path: `/${string}`, more: object = {}) =>
  nodeListener(createEndpoint(S, { path, handlers: { Get: ({ id }) => `order ${id}` }, ...more }));

/** The address that a WSDL says. */
async function addressAt(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const response = await fetch(`${url}?WSDL`, { headers });
  return /address location="([^"]*)"/.exec(await response.text())?.[1];
}

/** As people write it in Express. */
const mounted =
  (serve: ReturnType<typeof serving>) =>
  (req: IncomingMessage, res: ServerResponse, next: () => void) =>
    void (serve(req, res) || next());

describe('the address in a WSDL is one that answers', () => {
  it('below a path of Express, whether the path of the service is said with it or without', async (test) => {
    for (const path of [
      '/api/Orders.asmx',
      '/v1/api/Orders.asmx',
      '/v1/inner/api/Orders.asmx',
    ] as const) {
      const app = express();
      const router = express();
      router.use(path.includes('inner') ? '/inner' : '/', mounted(serving(path)));
      app.use('/v1', router);
      const origin = await originOf(test, createServer(app));
      const url = `${origin}${path.startsWith('/v1') ? path : `/v1${path}`}`;
      assert.equal(await addressAt(url), url);
      assert.match(await (await fetch(`${url}/Get?id=7`)).text(), /order 7/);
      assert.equal((await fetch(`${origin}/v1/other`)).status, 404);
    }
  });

  it('behind a proxy that takes a path away, when it is trusted, and only then', async (test) => {
    const trusting = serving('/Orders.asmx', {
      baseUrl: (request: never) =>
        publicUrlOf(request, (address) => address === '127.0.0.1') ?? 'http://nowhere',
    });
    const url = `${await originOf(test, createServer(trusting))}/Orders.asmx`;
    const proxy = { 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' };
    for (const [prefix, address] of [
      ['/v1', 'https://shop.example/v1/Orders.asmx'],
      ['/a/b/, /c', 'https://shop.example/a/b/Orders.asmx'],
      ['/', 'https://shop.example/Orders.asmx'],
      ['v1', 'https://shop.example/Orders.asmx'],
      ['//evil.example', 'https://shop.example/Orders.asmx'],
      ['/"><x>', 'https://shop.example/Orders.asmx'],
    ] as const) {
      assert.equal(
        await addressAt(url, { ...proxy, 'x-forwarded-prefix': prefix }),
        address,
        prefix,
      );
    }
    for (const [forwarded, address] of [
      ['for=192.0.2.7;proto=https;host=shop.example', 'https://shop.example/Orders.asmx'],
      ['Host="shop.example:8443" ; Proto=HTTPS, host=b', 'https://shop.example:8443/Orders.asmx'],
      ['for=192.0.2.7;host="a/b"', 'http://nowhere/Orders.asmx'],
    ] as const)
      assert.equal(await addressAt(url, { forwarded }), address, forwarded);
    const both = { ...proxy, forwarded: 'host=other.example;proto=http' };
    assert.equal(await addressAt(url, both), 'https://shop.example/Orders.asmx');
    const open = `${await originOf(test, createServer(serving('/Orders.asmx')))}/Orders.asmx`;
    assert.equal(await addressAt(open, { forwarded: 'host=shop.example' }), open);
    assert.equal(await addressAt(open, { ...proxy, 'x-forwarded-prefix': '/v1' }), open);
  });

  it('is http where a socket says that it is not encrypted, as on Bun', async (test) => {
    const serve = serving('/Orders.asmx');
    const server = createServer((req, res) => {
      Object.defineProperty(req.socket, 'encrypted', { value: false, configurable: true });
      serve(req, res);
    });
    const url = `${await originOf(test, server)}/Orders.asmx`;
    assert.equal(await addressAt(url), url);
  });
});

describe('other paths', () => {
  it('are answered 404 where the endpoint is the only listener of a server', async (test) => {
    const origin = await originOf(test, createServer(serving('/Orders.asmx')));
    for (const path of ['/', '/favicon.ico', '/Orders', '/Orders.asmxx']) {
      const response = await fetch(origin + path);
      assert.deepEqual([response.status, await response.text()], [404, 'Nothing is here.\n']);
    }
    const post = await fetch(`${origin}/x`, { method: 'POST', body: 'x'.repeat(300_000) });
    assert.equal(post.status, 404);
    assert.match(await (await fetch(`${origin}/Orders.asmx/Get?id=7`)).text(), /order 7/);
  });

  it('are left to others where there are any', async (test) => {
    const server = createServer(serving('/Orders.asmx'));
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      if (req.url === '/other') res.end('of others');
    });
    assert.equal(await (await fetch(`${await originOf(test, server)}/other`)).text(), 'of others');
    const own = createServer((req, res) => {
      if (!serving('/Orders.asmx')(req, res)) res.end('passed on');
    });
    assert.equal(await (await fetch(`${await originOf(test, own)}/x`)).text(), 'passed on');
  });
});
