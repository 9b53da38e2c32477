import assert from 'node:assert/strict';
import dns from 'node:dns';
import promises from 'node:dns/promises';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asmx, place } from './kit/command.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

const SCHEMA = 'xmlns:s="http://www.w3.org/2001/XMLSchema"';
const imports = (...places: readonly string[]): Shape => ({
  schemas: `<s:schema>${places.map((place) => `<s:import namespace="urn:other" schemaLocation="${place}"/>`).join('')}</s:schema>`,
});
const schema = (content = '') =>
  `<s:schema ${SCHEMA} targetNamespace="urn:other">${content}</s:schema>`;

type Answer = (req: IncomingMessage, res: ServerResponse, origin: string) => void;
type Route = string | Uint8Array | Answer;

const redirect =
  (location: string): Answer =>
  (_, res) =>
    res.writeHead(302, { location }).end();

/** A server of documents. @returns its origin, and the paths that were asked for. */
async function server(t: TestContext, route: (path: string) => Route | undefined) {
  const asked: string[] = [];
  const listener = createServer((req, res) => {
    const path = req.url ?? '';
    asked.push(path);
    const found = route(path);
    if (found === undefined) res.writeHead(404).end();
    else if (typeof found === 'function') found(req, res, origin);
    else res.end(found);
  }).listen(0, '0.0.0.0');
  await once(listener, 'listening');
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return { origin, port, asked };
}

/** Generates a project. @returns the exit code, and what was said without the places. */
async function from(t: TestContext, source: string, ...options: readonly string[]) {
  const folder = await place(t);
  const { code, stderr } = await asmx('from', source, join(folder, 'new'), ...options);
  assert.deepEqual(await readdir(folder), code === 0 ? ['new'] : [], 'all or nothing is written');
  return { code, said: stderr };
}

async function refused(
  t: TestContext,
  source: string,
  reason: RegExp,
  ...options: readonly string[]
): Promise<void> {
  const { code, said } = await from(t, source, ...options);
  assert.equal(code, 2, said);
  assert.match(said, /^[^\n]*\n$/, 'one line');
  assert.match(said, reason);
}

async function taken(t: TestContext, source: string, ...options: readonly string[]): Promise<void> {
  const { code, said } = await from(t, source, ...options);
  assert.equal(code, 0, said);
}

describe('a server that redirects', () => {
  test('is followed, and what it sends names its documents from where it is', async (t) => {
    const { origin, asked } = await server(t, (path) => {
      if (path === '/old?WSDL') return redirect('/moved/to.wsdl');
      if (path === '/moved/to.wsdl') return wsdlOf(imports('beside.xsd'));
      return path === '/moved/beside.xsd' ? schema() : undefined;
    });
    await taken(t, `${origin}/old?WSDL`);
    assert.deepEqual(asked, ['/old?WSDL', '/moved/to.wsdl', '/moved/beside.xsd']);
  });

  test('is followed so often (limit redirects), and to no file', async (t) => {
    const { origin } = await server(t, (path) => {
      if (path === '/file') return redirect('file:///etc/passwd');
      const left = Number(path.slice(1));
      return left === 0 ? wsdlOf() : redirect(`/${left - 1}`);
    });
    await taken(t, `${origin}/5`);
    await refused(t, `${origin}/6`, /\/6: It redirects more than 5 times \(limit redirects\)\.$/m);
    await taken(t, `${origin}/6`, '--limit', 'redirects=6');
    await refused(t, `${origin}/file`, /\/file: It redirects to what is no http or https URL\.$/m);
  });

  test('keeps user and password to itself', async (t) => {
    const seen: unknown[] = [];
    const other = await server(t, () => (req, res) => {
      seen.push(req.headers.authorization);
      res.end(schema());
    });
    const { port } = await server(t, (path) => (req, res) => {
      seen.push(req.headers.authorization);
      if (path === '/a') redirect('/b')(req, res, '');
      else res.end(wsdlOf(imports(`${other.origin}/x.xsd`)));
    });
    await taken(t, `http://eve:s%20e@127.0.0.1:${port}/a`);
    const basic = `Basic ${Buffer.from('eve:s e').toString('base64')}`;
    assert.deepEqual(seen, [basic, basic, undefined]);
  });
});

test('a server that closes a kept connection when the next request comes is asked again, once', async (t) => {
  const used = new WeakSet<object>();
  const { origin, asked } = await server(t, (path) => (req, res) => {
    if (path === '/never' || used.has(req.socket)) req.socket.resetAndDestroy();
    else res.end(path === '/old' ? wsdlOf(imports('/a', '/b')) : schema());
    used.add(req.socket);
  });
  await taken(t, `${origin}/old`);
  assert.deepEqual(asked, ['/old', '/a', '/a', '/b', '/b']);
  asked.length = 0;
  await refused(t, `${origin}/never`, /cannot be asked: ECONNRESET\.$/m);
  assert.deepEqual(asked, ['/never', '/never']);
});

test('a WSDL of a server has no other private server asked, by import or redirect, that is not listed', async (t) => {
  const { origin, port, asked } = await server(t, (path) => {
    if (path === '/import') return wsdlOf(imports(`http://127.0.0.2:${port}/x.xsd`));
    if (path === '/redirect') return redirect(`http://127.0.0.2:${port}/ok`);
    if (path === '/name') return wsdlOf(imports(`http://localhost:${port}/x.xsd`));
    if (path === '/other') return wsdlOf(imports('http://[::ffff:10.0.0.1]/x.xsd'));
    return path === '/ok' ? wsdlOf() : schema();
  });
  const reason =
    /127\.0\.0\.2 is in a private network, and not the server of the WSDL; if you trust the WSDL, list the network/;
  for (const path of ['/import', '/redirect']) {
    asked.length = 0;
    await refused(t, origin + path, reason);
    assert.deepEqual(asked, [path]);
    await taken(t, origin + path, '--network', '127.0.0.2/32');
  }
  await taken(t, `${origin}/name`);
  await refused(t, `${origin}/other`, /is in a private network, and not the server of the WSDL/);
  await taken(t, `http://127.0.0.2:${port}/ok`);
});

test('of the addresses that a name has, the one that answered alone is the server of the WSDL', async (t) => {
  const { port, asked } = await server(t, (path) => {
    if (path === '/import') return wsdlOf(imports(`http://127.0.0.2:${port}/x.xsd`));
    if (path === '/redirect') return redirect(`http://127.0.0.2:${port}/ok`);
    if (path === '/own') return wsdlOf(imports(`http://evil.example:${port}/x.xsd`));
    return path === '/ok' ? wsdlOf() : schema();
  });
  // Who has a name says which addresses it has.
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  t.mock.method(promises, 'lookup', () => Promise.resolve(addresses));
  type Done = (error: null, found: typeof addresses) => void;
  t.mock.method(dns, 'lookup', (_name: string, _options: object, done: Done) =>
    done(null, addresses),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const evil = `http://evil.example:${port}`;
  for (const path of ['/import', '/redirect']) {
    asked.length = 0;
    await refused(
      t,
      evil + path,
      /127\.0\.0\.2 is in a private network, and not the server of the WSDL/,
    );
    assert.deepEqual(asked, [path]);
    await taken(t, evil + path, '--network', '127.0.0.2/32');
  }
  await taken(t, `${evil}/own`);
});

describe('a server whose documents have no end', () => {
  test('limit documentBytes: plain, without a length, and inflated', async (t) => {
    const blanks = 40 * 1024 * 1024;
    const { origin } = await server(t, (path) => {
      if (path === '/endless') {
        return (_, res) => {
          const more = () => {
            while (res.write(Buffer.alloc(1 << 20, ' ')));
            res.once('drain', more);
          };
          more();
        };
      }
      const coding = path.slice(1);
      if (coding === 'small')
        return (_, res) =>
          res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(wsdlOf()));
      if (coding === 'bad')
        return (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
      const bomb = gzipSync(Buffer.alloc(blanks, ' '));
      return (_, res) =>
        res
          .writeHead(200, { 'content-encoding': coding })
          .end(coding === 'gzip' ? bomb : gzipSync(bomb));
    });
    const large = /The document has more than 33554432 bytes \(limit documentBytes\)\.$/m;
    await refused(t, `${origin}/endless`, large);
    await refused(t, `${origin}/gzip`, large);
    await refused(t, `${origin}/gzip,%20gzip`, /in a content coding that is not read\.$/m);
    await refused(t, `${origin}/bad`, /What the server sent cannot be inflated\.$/m);
    await taken(t, `${origin}/small`);
    await refused(
      t,
      `${origin}/small`,
      /more than 1000 bytes \(limit documentBytes\)/,
      '--limit',
      'documentBytes=1000',
    );
  });

  test('limit totalBytes', async (t) => {
    const filled = schema(`<!-- ${'x'.repeat(100_000)} -->`);
    const { origin } = await server(t, (path) =>
      path === '/a' ? wsdlOf(imports('b', 'c')) : filled,
    );
    await taken(t, `${origin}/a`, '--limit', 'totalBytes=250000');
    await refused(
      t,
      `${origin}/a`,
      /\/c: .* more than 200000 bytes \(limit totalBytes\)/,
      '--limit',
      'totalBytes=200000',
    );
  });

  test('limits documentSeconds and seconds: a body that stalls, documents that all come late', async (t) => {
    const { origin } = await server(t, (path) => {
      if (path === '/stalled') return (_, res) => res.write('<wsdl:definitions');
      if (path === '/silent') return () => {};
      if (path === '/slow')
        return wsdlOf(imports(...Array.from({ length: 12 }, (_, index) => `/late/${index}`)));
      return (_, res) => setTimeout(() => res.end(schema()), 100);
    });
    const late = /It was not there after 1 s \(limit documentSeconds\)\.$/m;
    for (const path of ['/stalled', '/silent'])
      await refused(t, origin + path, late, '--limit', 'documentSeconds=1');
    await refused(
      t,
      `${origin}/slow`,
      /The documents were not there after 1 s \(limit seconds\)\.$/m,
      ...['--limit', 'seconds=1'],
    );
    await taken(t, `${origin}/slow`);
  });
});

describe('a WSDL that imports without end', () => {
  test('limit documents: a thousand, each the next, in a circle', async (t) => {
    const next = (path: string) => `/${Number(path.slice(1)) + 1}`;
    const { origin, asked } = await server(t, (path) => {
      if (path === '/circle') return wsdlOf(imports('/one'));
      if (path === '/one' || path === '/two')
        return schema('<s:import schemaLocation="one"/><s:import schemaLocation="two"/>');
      if (path === '/wide')
        return wsdlOf(imports(...Array.from({ length: 20 }, (_, index) => `/leaf?${index}`)));
      if (path.startsWith('/leaf')) return schema();
      return path === '/0'
        ? wsdlOf(imports('/1'))
        : schema(`<s:import schemaLocation="${next(path)}"/>`);
    });
    await refused(
      t,
      `${origin}/0`,
      /\/1000: A WSDL may consist of at most 1000 documents \(limit documents\)\.$/m,
    );
    assert.equal(asked.length, 1_000);
    await taken(t, `${origin}/circle`);
    await taken(t, `${origin}/wide`, '--limit', 'documents=21');
    await refused(t, `${origin}/wide`, /at most 20 documents/, '--limit', 'documents=20');
  });

  test('limit nodes: many elements and attributes, and few that many namespaces include', async (t) => {
    const elements = (count: number) => '<s:element name="a"/>'.repeat(count);
    const { origin } = await server(t, (path) => {
      if (path === '/many') return wsdlOf(imports('/b?1', '/b?2', '/b?3', '/b?4'));
      if (path.startsWith('/b')) return schema(elements(150_000));
      if (path === '/shared') {
        const including = (_: unknown, index: number) =>
          `<s:schema targetNamespace="urn:n${index}"><s:include schemaLocation="/small"/></s:schema>`;
        return wsdlOf({ schemas: Array.from({ length: 100 }, including).join('') });
      }
      return `<s:schema ${SCHEMA}>${Array.from({ length: 500 }, (_, index) => `<s:element name="a${index}"/>`).join('')}</s:schema>`;
    });
    const many = /the documents have too many elements and attributes \(limit nodes\)\.$/m;
    await refused(t, `${origin}/many`, many);
    await refused(t, `${origin}/shared`, many, '--limit', 'nodes=100000');
    await taken(t, `${origin}/shared`, '--limit', 'nodes=110000');
  });

  test('a limit must be one, and a number', async (t) => {
    const { origin } = await server(t, () => wsdlOf());
    for (const [limit, reason] of [
      [
        'bytes=1',
        /--limit: There is no limit bytes; there are documentBytes, totalBytes, documents, /,
      ],
      ['documents=0', /--limit: The limit documents must be a positive integer, not 0\. See/],
      ['documents=many', /--limit: The limit documents must be a positive integer/],
      ['__proto__=1', /--limit: There is no limit __proto__/],
    ] as const) {
      await refused(t, origin, reason, '--limit', limit);
    }
    for (const command of ['client', 'compare'] as const) {
      const { code, stderr } = await asmx(command, origin, origin, '--limit', 'documents=0');
      assert.deepEqual([code, /--limit: The limit documents must be/.test(stderr)], [2, true]);
    }
  });
});

describe('a WSDL that is a file', () => {
  test('names schemas anywhere on this machine, as old projects do', async (t) => {
    const root = await place(t);
    await mkdir(join(root, 'service'));
    await writeFile(join(root, 'common.xsd'), schema('<s:complexType name="F"/>'));
    for (const at of ['../common.xsd', '..\\common.xsd', join(root, 'common.xsd')]) {
      const asks = '<s:element name="p" type="u:F"/>';
      await writeFile(join(root, 'service', 'old.wsdl'), wsdlOf({ ...imports(at), asks }));
      await taken(t, join(root, 'service', 'old.wsdl'));
    }
  });

  test('shows nothing of files that are neither schema nor WSDL', async (t) => {
    const root = await place(t);
    for (const [name, content] of [
      ['passwd', 'geheim:x:0:0:root:/root:/bin/sh\n'],
      ['settings.xml', '<geheim password="geheim"><geheim/></geheim>'],
      ['broken.xml', '<?geheim geheim?><geheim geheim=geheim>'],
      ['key.pem', '-----BEGIN geheim-----\n'],
      ['.env', '<geheim'],
      ['empty', ''],
      ['bytes', Buffer.from([0xff, 0xd8, 0, 1])],
    ] as const) {
      await writeFile(join(root, name), content);
      for (const shape of [
        imports(name),
        { more: `<wsdl:import location="${name}"/>` },
        { schema: `<s:include schemaLocation="${name}"/>` },
      ]) {
        await writeFile(join(root, 'old.wsdl'), wsdlOf(shape));
        const { code, said } = await from(t, join(root, 'old.wsdl'));
        assert.equal(code, 2, name);
        assert.doesNotMatch(said, /geheim/, name);
      }
    }
  });

  test('names none of another machine', async (t) => {
    const root = await place(t);
    for (const at of [
      '\\\\evil.example\\share\\x.xsd',
      '//evil.example/x.xsd',
      'file://evil.example/x.xsd',
    ]) {
      await writeFile(join(root, 'old.wsdl'), wsdlOf(imports(at)));
      await refused(t, join(root, 'old.wsdl'), /cannot be read\.$/m);
    }
  });
});
