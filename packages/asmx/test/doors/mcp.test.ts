import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  boolean,
  createEndpoint,
  type Endpoint,
  int,
  nodeListener,
  operation,
  ServiceError,
  service,
  string,
} from '../../src/index.ts';
import { createMcp, type McpOptions } from '../../src/mcp/index.ts';
import { Weather, endpoint as weather } from '../values/sample.ts';

type Test = { after(close: () => unknown): void };

async function start(test: Test, options: McpOptions, endpoint: Endpoint): Promise<URL> {
  const mcp = await createMcp(options);
  const listener = nodeListener(endpoint);
  const server = createServer((req, res) => {
    if (!mcp(req, res) && !listener(req, res)) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

async function connect(test: Test, url: URL, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  // Registered before the connection is there: a test that fails half way leaves nothing open.
  test.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
  return client;
}

const Library = service('Library', {
  namespace: 'urn:library',
  operations: {
    FindBook: operation({ summary: 'Finds a book.', input: { title: string }, result: string, readOnly: true }),
    RemoveBook: operation({
      summary: 'Removes a book.',
      input: { token: string, id: int },
      result: boolean,
      destructive: true,
    }),
  },
});
const library = createEndpoint(Library, {
  path: '/Library.asmx',
  errors: { NotFound: { status: 404, side: 'client', meaning: 'There is no such book.' } },
  authorize: ({ operation: { name }, text }) => {
    if (name === 'RemoveBook' && text('token') !== 'librarian') throw new ServiceError('Forbidden', 'Librarians only.');
  },
  handlers: {
    FindBook: ({ title }) => `A book called ${title}`,
    RemoveBook: ({ id }) => (id === 1 ? true : ({ result: false, code: 'NotFound' } as const)),
  },
});
const LIBRARY = {
  service: Library,
  endpoint: library,
  servicePath: '/Library.asmx',
  credential: ({ name }) => (name === 'RemoveBook' ? 'token' : undefined),
  allows:
    (_, token) =>
    ({ name }) =>
      name !== 'RemoveBook' || token === 'librarian',
} satisfies McpOptions;

describe("tools of the Model Context Protocol, with the SDK's own client", () => {
  it('each operation is a tool with the schemas of its types, and a call returns structured content', async (test) => {
    const url = await start(test, { service: Weather, endpoint: weather, servicePath: '/Weather.asmx' }, weather);
    const client = await connect(test, url);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      Weather.operations.map(({ name }) => name),
    );
    const forecast = tools.find(({ name }) => name === 'GetForecast')!;
    assert.deepEqual(Object.keys(forecast.inputSchema.properties ?? {}), ['city', 'days']);
    assert.deepEqual(Object.keys((forecast.outputSchema as { $defs?: object }).$defs ?? {}).sort(), [
      'ArrayOfForecast',
      'ArrayOfInt',
      'Condition',
      'Forecast',
      'Temperature',
    ]);
    // The client checks structured content against the tool's output schema.
    const answer = await client.callTool({ name: 'GetForecast', arguments: { city: 'Rome', days: 1 } });
    assert.deepEqual(answer.structuredContent, {
      result: [
        {
          day: '2024-02-01T00:00:00.000Z',
          condition: 'Rain',
          low: null,
          hours: [1, 2],
          temperature: { value: '12.50', unit: 'C' },
          station: 'Rome&',
        },
      ],
    });
    assert.equal(answer.isError, undefined);
    const large = await client.callTool({
      name: 'Echo',
      arguments: { value: { big: '9007199254740993', amount: '0.10' } },
    });
    const { result } = large.structuredContent as { result: Record<string, unknown> };
    assert.deepEqual([result.big, result.amount], ['9007199254740993', '0.10']);
    const out = await client.callTool({ name: 'TryParse', arguments: { text: '1', value: 2 } });
    assert.deepEqual(out.structuredContent, { result: true, value: 3, rest: '' });
    assert.deepEqual((await client.callTool({ name: 'Forget', arguments: {} })).structuredContent, {});
    assert.deepEqual((await client.callTool({ name: 'Notify', arguments: {} })).structuredContent, {});
  });

  it('annotations say what reads and what destroys; tools and calls are those that the caller may', async (test) => {
    const url = await start(test, LIBRARY, library);
    const guest = await connect(test, url);
    const librarian = await connect(test, url, { Authorization: 'Bearer librarian' });
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(guest), ['FindBook']);
    assert.deepEqual(await names(librarian), ['FindBook', 'RemoveBook']);
    const [find, remove] = (await librarian.listTools()).tools;
    assert.deepEqual(find?.annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: false });
    assert.deepEqual(remove?.annotations, { readOnlyHint: false, destructiveHint: true, openWorldHint: false });
    assert.deepEqual(Object.keys(remove?.inputSchema.properties ?? {}), ['id'], 'the credential is no argument');
    const removed = await librarian.callTool({ name: 'RemoveBook', arguments: { id: 1 } });
    assert.deepEqual(removed.structuredContent, { result: true });
    const missing = await librarian.callTool({ name: 'RemoveBook', arguments: { id: 2 } });
    assert.deepEqual(missing.structuredContent, { result: false, code: 'NotFound' });
    const refused = await guest.callTool({ name: 'RemoveBook', arguments: { id: 1 } });
    assert.deepEqual(
      [refused.isError, refused.content],
      [true, [{ type: 'text', text: 'Forbidden: Librarians only.' }]],
    );
  });

  it('what is wrong is an error of the tool, with the reason of the service', async (test) => {
    const url = await start(test, { service: Weather, endpoint: weather, servicePath: '/Weather.asmx' }, weather);
    const client = await connect(test, url);
    const wrong = await client.callTool({ name: 'GetForecast', arguments: { days: 'many' } });
    assert.equal(wrong.isError, true);
    assert.match(JSON.stringify(wrong.content), /InvalidParameter: days: /);
    const none = await client.callTool({ name: 'Nothing', arguments: {} });
    assert.match(JSON.stringify(none.content), /There is no tool Nothing/);
  });

  it('only POST, no pages of other sites, no messages without end, no service without JSON', async (test) => {
    const url = await start(test, { ...LIBRARY, bodyBytes: 1000 }, library);
    assert.equal((await fetch(url)).status, 405);
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body });
    assert.equal((await post('{}', { Origin: 'http://evil.example' })).status, 403);
    assert.equal((await post('{')).status, 400);
    assert.equal((await post(`"${'x'.repeat(2000)}"`)).status, 413);
    await assert.rejects(createMcp({ ...LIBRARY, service: { ...Library, bindings: ['soap11'] } }), TypeError);
  });

  it('a page under a foreign name that points here may call as little as one of another site', async (test) => {
    const url = await start(test, { ...LIBRARY, hosts: ['Tools.example'] }, library);
    // fetch does not let the Host be set.
    const status = (host: string, origin: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          host,
          origin,
        };
        const asked = request({ port: url.port, path: '/mcp', method: 'POST', headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on('error', reject);
        asked.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      });
    assert.equal(await status('evil.example:8080', 'http://evil.example:8080'), 403);
    for (const host of ['tools.example', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
      assert.equal(await status(host, `http://${host}`), 200, host);
    assert.equal(await status('localhost:8080', 'http://localhost:9090'), 403);
    assert.equal(await status('localhost:8080', 'null'), 403);
  });

  it('a batch has an end; messages that never end give way to others', async (test) => {
    const url = await start(test, { ...LIBRARY, bodyBytes: 4000 }, library);
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const batch = async (count: number) => {
      const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(messages) })).status;
    };
    assert.deepEqual([await batch(20), await batch(21)], [200, 400]);
    const begin = () => {
      const asked = request(url, { method: 'POST', headers: { ...headers, 'Content-Length': 4000 } });
      test.after(() => asked.destroy());
      asked.on('error', () => {});
      asked.write('x'.repeat(3900));
      return new Promise<number | undefined>((resolve) =>
        asked.on('response', (answer) => resolve(answer.resume().statusCode)),
      );
    };
    const waiting = [begin(), begin(), begin(), begin(), begin()];
    // Four of the longest are held: one of five gives way, which came first.
    assert.equal(await Promise.race(waiting), 503);
    assert.equal(await batch(1), 200);
  });
});
