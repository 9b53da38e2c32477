import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import express from 'express';
import * as engine from '../../../asmx/src/index.ts';
import { usernameToken } from '../../../asmx/src/security/index.ts';
import { createClient } from '../../src/client/index.ts';
import { createMcp } from '../../src/mcp/index.ts';

const { createEndpoint, nodeListener, operation, service, ServiceError, string } = engine;

/** The code of a page, as it stands there: by the heading that it is under, or the number of the block. */
async function codeOf(page: string): Promise<Record<string, string>> {
  const text = await readFile(new URL(`../../../../site/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^## (.*)$|```ts\n([\s\S]*?)```/gm)];
  const code: Record<string, string> = {};
  let heading = '';
  for (const [, title, block] of blocks) {
    if (title !== undefined) heading = title;
    else
      code[heading in code ? `${heading} again` : heading] = (block ?? '').replaceAll(
        /^import .*\n/gm,
        '',
      );
  }
  return code;
}

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

/** Runs code with what it takes from around it, on any free port. @returns what the expression `returned` then is. */
function runCode(
  code: string,
  names: Readonly<Record<string, unknown>>,
  returned = 'undefined',
): Promise<unknown> {
  const body = `${code.replaceAll('.listen(8080)', '.listen(0, "127.0.0.1")')}\nreturn ${returned};`;
  return new AsyncFunction(...Object.keys(names), body)(
    ...Object.values(names),
  ) as unknown as Promise<unknown>;
}

const Weather = service('Weather', {
  namespace: 'urn:weather',
  operations: { Hello: operation({ input: { city: string }, result: string }) },
});
const handlers = {
  Hello: ({ city }: { city?: string | undefined }, { caller }: { caller: unknown }) =>
    `${city} ${caller}`,
};
const endpoint = createEndpoint(Weather, { path: '/Weather.asmx', handlers });
const recipes = await codeOf('recipes.md');

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
  const keep = (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    return server;
  };
  return { servers, keep };
}

describe('the recipes of the site run as they stand there', () => {
  it('who may call', async (test) => {
    const refuse = () => {
      throw new ServiceError('Unauthorized', 'Who are you?');
    };
    const userOf = (basic: { user: string } | undefined) => basic?.user;
    const names = { createEndpoint, Weather, userOf, refuse, handlers };
    const basic = (await runCode(
      `const made = ${recipes['Who may call']}`,
      names,
      'made',
    )) as engine.Endpoint;
    const passwords = new Map([['eve', 'secret']]);
    const secured = recipes['Who may call again']!.replace(
      /^createEndpoint/m,
      'const made = createEndpoint',
    );
    const wsse = (await runCode(
      secured,
      { ...names, usernameToken, passwords },
      'made',
    )) as engine.Endpoint;
    for (const [made, header] of [
      [basic, {}],
      [basic, { Authorization: `Basic ${btoa('ann:x')}` }],
      [wsse, {}],
    ] as const) {
      const origin = await originOf(
        test,
        createServer(nodeListener(made) as never).listen(0, '127.0.0.1'),
      );
      const answer = await fetch(`${origin}/Weather.asmx/Hello?city=Rome`, { headers: header });
      assert.equal(answer.status, 'Authorization' in header ? 200 : 401);
      if (answer.status === 200) assert.match(await answer.text(), />Rome ann</);
    }
  });

  it('OpenAPI, a typed client, tools', async (test) => {
    const app = express();
    const names = { app, endpoint, Weather, createClient, createMcp };
    const [weather, tools] = (await runCode(
      recipes['OpenAPI, a typed client, tools for language models']!,
      names,
      '[weather, tools]',
    )) as [unknown, unknown];
    assert.deepEqual(
      [typeof (weather as { Hello?: unknown }).Hello, typeof tools],
      ['function', 'function'],
    );
    const origin = await originOf(test, createServer(app).listen(0, '127.0.0.1'));
    const { openapi } = (await (await fetch(`${origin}/openapi.json`)).json()) as {
      openapi: string;
    };
    assert.match(openapi, /^3\.1/);
  });

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
