import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import * as engine from '../../../asmx/src/index.ts';
import { usernameToken } from '../../../asmx/src/security/index.ts';
import { compile } from '../../../asmx/test/kit/compile.ts';
import { temporaryFolder } from '../../../asmx/test/kit/folder.ts';
import { linkModules, runNode, writeStrictProject } from '../../../asmx/test/kit/programs.ts';
import { createClient } from '../../src/client/index.ts';
import { createMcp } from '../../src/mcp/index.ts';

/** The code of a page, as it stands there: by the heading that it is under, or the number of the block. */
async function codeOf(page: string): Promise<Record<string, string>> {
  const text = await readFile(new URL(`../../../../site/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^## (.*)$|```ts\n([\s\S]*?)```/gm)];
  const code: Record<string, string> = {};
  let heading = '';
  for (const [, title, block] of blocks) {
    if (title !== undefined) heading = title;
    else code[heading in code ? `${heading} again` : heading] = block ?? '';
  }
  return code;
}

const guides = await codeOf('recipes.md');

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

/** A call of `listen` on the port of the pages, with what one does when it listens. */
const LISTENS = /\.listen\(8080[^)]*\)(?=;)|\.listen\(8080, async[\s\S]*?^\}\)/gm;

/** Runs code with what it takes from around it, on any free port. */
function runCode(code: string, names: Readonly<Record<string, unknown>>): Promise<unknown> {
  const plain = stripTypeScriptTypes(code.replaceAll(/^import .*\n/gm, ''));
  const body = plain.replaceAll(LISTENS, '.listen(0, "127.0.0.1")');
  return new AsyncFunction(...Object.keys(names), body)(
    ...Object.values(names),
  ) as unknown as Promise<unknown>;
}

async function originOf(test: TestContext, server: Server): Promise<string> {
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Servers that code makes, kept by what it calls. */
function keeping() {
  const servers: Server[] = [];
  const keep = (...given: readonly [RequestListener] | readonly [object, RequestListener]) => {
    const server = createServer(given[given.length - 1] as RequestListener);
    servers.push(server);
    return server;
  };
  return { servers, keep };
}

/** Each guide by its heading: what is asked of the running program, and what must be in the answer. */
const GUIDES: Readonly<
  Record<string, readonly (readonly [string, RequestInit, number, RegExp])[]>
> = {
  'Who may call': [
    ['/Weather.asmx/Hello?city=Rome', {}, 401, /Unauthorized/],
    ['/Weather.asmx/Hello?city=Rome', basic('ann', 'secret'), 200, />ann in Rome</],
    ['/Weather.asmx/Hello?city=Rome', basic('ann', 'x'), 401, /Unauthorized/],
  ],
  'Login in a SOAP header': [
    ['/Weather.asmx/Hello?city=Rome', {}, 401, /Unauthorized/],
    [
      '/Weather.asmx/Hello?city=Rome',
      { headers: { 'Soap-AuthHeader': '{"user":"ann","password":"secret"}' } },
      200,
      />ann in Rome</,
    ],
  ],
  'WS-Security': [
    ['/Weather.asmx/Hello?city=Rome', {}, 401, /Unauthorized/],
    [
      '/Weather.asmx',
      envelope('<Hello xmlns="urn:weather"><city>Rome</city></Hello>'),
      200,
      />ann in Rome</,
    ],
  ],
  'Errors and faults': [
    ['/Library.asmx/Get?id=1', {}, 200, />Emma</],
    ['/Library.asmx/Get', json({ id: 2 }), 404, /There is no book 2/],
  ],
  'Types of your own code': [
    [
      '/Shop.asmx/Place',
      json({ lines: [{ article: 'a', count: 2, price: '1.25' }] }),
      200,
      /"d":\{"id":1,"placed":"[^"]+","lines":\[\{"article":"a","count":2,"price":1\.25\}\]\}/,
    ],
    ['/Shop.asmx/Place', json({ lines: [null] }), 400, /lines\[0\]: it must be there/],
  ],
  'Files: upload to disk, download': [
    ['/Files.asmx/Upload', json({ file: btoa('abc') }), 200, /"d":"[-0-9a-f]{36}"/],
    ['/Files.asmx/Download', json({ id: '../x' }), 200, /"d":null/],
  ],
  'Logging and metrics': [
    ['/Hello.asmx/Greet', json({ name: 'Ann' }), 200, /Hello Ann/],
    ['/metrics', {}, 200, /^calls_total\{operation="Greet"\} 1$/m],
  ],
  'Versions beside each other': [
    ['/Shop.asmx/Get?id=7', {}, 200, />item 7</],
    ['/Shop.asmx/v2/Get?id=7&language=de', {}, 200, />Artikel 7</],
    ['/Shop.asmx/v2?WSDL', {}, 200, /targetNamespace="urn:shop:2"/],
  ],
  'Deployment behind a proxy': [
    ['/healthz', {}, 200, /^ok$/],
    [
      '/Hello.asmx?WSDL',
      { headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example' } },
      200,
      /location="https:\/\/shop\.example\/Hello\.asmx"/,
    ],
  ],
  'OpenAPI, a typed client, tools for language models': [
    ['/openapi.json', {}, 200, /"openapi": ?"3\.1/],
    ['/mcp', {}, 405, /sessions/],
  ],
};

function basic(user: string, password: string): RequestInit {
  return { headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` } };
}

function json(body: unknown): RequestInit {
  const headers = { 'Content-Type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

function envelope(call: string): RequestInit {
  const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
  const token =
    '<w:UsernameToken><w:Username>ann</w:Username><w:Password>secret</w:Password></w:UsernameToken>';
  const body =
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">' +
    `<s:Header><w:Security xmlns:w="${wsse}">${token}</w:Security></s:Header>` +
    `<s:Body>${call}</s:Body></s:Envelope>`;
  const headers = { 'Content-Type': 'text/xml', SOAPAction: '"urn:weather/Hello"' };
  return { method: 'POST', headers, body };
}

describe('the guides of the site run as they stand there', () => {
  it('all compile in a folder that has only the packages', async (test) => {
    const folder = await temporaryFolder(test, 'asmx-guides-');
    await linkModules(folder);
    await writeStrictProject(folder);
    for (const [index, program] of Object.values(guides).entries())
      await writeFile(join(folder, `guide${index}.ts`), program);
    assert.equal((await compile(folder)).stdout, '');
  });

  for (const [heading, calls] of Object.entries(GUIDES))
    it(heading, async (test) => {
      const lines: string[] = [];
      test.mock.method(console, 'log', (line: string) => lines.push(line));
      const folder = await temporaryFolder(test, 'asmx-guide-');
      const { servers, keep } = keeping();
      const inFolder = (path: string) => (path.includes('/') ? path : join(folder, path));
      const files = {
        open: (path: string, how: string) => open(inFolder(path), how),
        readFile: (path: string) => readFile(inFolder(path)),
        rename: (from: string, to: string) => rename(inFolder(from), inFolder(to)),
        rm: (path: string, how: object) => rm(inFolder(path), how),
      };
      const names = { ...engine, ...files, createServer: keep, createClient, createMcp };
      // Nothing of a program stays in the process of the tests.
      const process = { once: () => {} };
      await runCode(guides[heading]!, { ...names, process, randomUUID, usernameToken });
      const origin = await originOf(test, servers[0]!);
      for (const [path, init, status, said] of calls) {
        const answer = await fetch(origin + path, init);
        assert.equal(answer.status, status, path);
        assert.match(await answer.text(), said);
      }
      if (heading.startsWith('Logging'))
        assert.match(lines.join(), /"operation":"Greet","status":200/);
    });

  it('every guide but the test is started, and the test passes', async (test) => {
    const { Testing = '', ...others } = guides;
    assert.deepEqual(Object.keys(others).sort(), Object.keys(GUIDES).sort());
    const folder = await temporaryFolder(test, 'asmx-testing-');
    await linkModules(folder);
    await writeFile(join(folder, 'hello.test.ts'), Testing);
    const args = ['--conditions=ws01-source', '--test', '--test-isolation=none', 'hello.test.ts'];
    const { code, stdout } = await runNode(folder, ...args);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /pass 1/);
  });
});

describe('the pages of the site run as they stand there', () => {
  it('a session of MCP answers as the page shows', async (test) => {
    const [code = ''] = Object.values(await codeOf('mcp.md'));
    const { servers, keep } = keeping();
    await runCode(code, { ...engine, createServer: keep, createMcp });
    const url = `${await originOf(test, servers[0]!)}/mcp`;
    const page = await readFile(new URL('../../../../site/mcp.md', import.meta.url), 'utf8');
    const messages = [...page.matchAll(/```json\n([\s\S]*?)```|(Bearer librarian`:)/g)];
    let token: Record<string, string> = {};
    let answered: unknown;
    let exchanges = 0;
    for (const [, json, bearer] of messages) {
      if (bearer !== undefined) token = { Authorization: 'Bearer librarian' };
      else if (answered === undefined) {
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...token,
        };
        answered = await (await fetch(url, { method: 'POST', headers, body: json! })).json();
      } else {
        assert.deepEqual(answered, JSON.parse(json!));
        answered = undefined;
        exchanges++;
      }
    }
    assert.equal(exchanges, 5);
  });
});
