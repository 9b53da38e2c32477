import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  boolean,
  createEndpoint,
  type Endpoint,
  header,
  int,
  nodeListener,
  operation,
  ServiceError,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { listen } from '../../../asmx/test/kit/listen.ts';
import { FORECAST, Weather, endpoint as weather } from '../../../asmx/test/values/sample.ts';
import { createMcp, type McpOptions } from '../../src/mcp/index.ts';

type Test = { after(close: () => unknown): void };

async function start(test: Test, options: McpOptions, endpoint: Endpoint): Promise<URL> {
  const mcp = await createMcp(options);
  const listener = nodeListener(endpoint);
  const server = createServer((req, res) => {
    if (!mcp(req, res) && !listener(req, res)) res.writeHead(404).end();
  });
  const port = await listen(test, server);
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

async function connect(
  test: Test,
  url: URL,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  // Registered before the connection is there: a test that fails half way leaves nothing open.
  test.after(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never,
  );
  return client;
}

const Library = service('Library', {
  namespace: 'urn:library',
  operations: {
    FindBook: operation({
      summary: 'Finds a book.',
      input: { title: string },
      result: string,
      readOnly: true,
    }),
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
    if (name === 'RemoveBook' && text('token') !== 'librarian')
      throw new ServiceError('Forbidden', 'Librarians only.');
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
  it('takes SOAP headers among the arguments of a call, and is told a wrong servicePath', async (test) => {
    const Auth = header({ user: string }, { required: true });
    const Who = operation({ result: string, headers: { in: { Auth } } });
    const Desk = service('Desk', { namespace: 'urn:desk', operations: { Who } });
    const desk = createEndpoint(Desk, {
      path: '/Desk.asmx',
      handlers: { Who: (_, { headers }) => headers.Auth?.user ?? 'nobody' },
    });
    const options = { service: Desk, endpoint: desk, servicePath: '/Desk.asmx' } as const;
    const client = await connect(test, await start(test, options, desk));
    const soapHeaders = { Auth: { user: 'ånn' } };
    const answer = await client.callTool({ name: 'Who', arguments: { soapHeaders } });
    assert.deepEqual(answer.structuredContent, { result: 'ånn' });
    assert.equal((await client.callTool({ name: 'Who', arguments: {} })).isError, true);
    await assert.rejects(
      createMcp({ ...options, servicePath: '/Office.asmx' }),
      /^TypeError: servicePath: the endpoint is at \/Desk\.asmx, not at \/Office\.asmx\.$/,
    );
  });

  it('each operation is a tool with the schemas of its types, and a call returns structured content', async (test) => {
    const url = await start(
      test,
      { service: Weather, endpoint: weather, servicePath: '/Weather.asmx' },
      weather,
    );
    const client = await connect(test, url);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      Weather.operations.map(({ name }) => name),
    );
    const forecast = tools.find(({ name }) => name === 'GetForecast')!;
    assert.deepEqual(Object.keys(forecast.inputSchema.properties ?? {}), [
      'city',
      'days',
      'soapHeaders',
    ]);
    assert.deepEqual(
      Object.keys((forecast.outputSchema as { $defs?: object }).$defs ?? {}).sort(),
      ['ArrayOfForecast', 'ArrayOfInt', 'Condition', 'Forecast', 'Temperature'],
    );
    // The client checks structured content against the tool's output schema.
    const answer = await client.callTool({
      name: 'GetForecast',
      arguments: { city: 'Rome', days: 1 },
    });
    assert.deepEqual(answer.structuredContent, {
      result: [{ ...FORECAST, day: '2024-02-01T00:00:00.000Z' }],
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
    assert.deepEqual(
      (await client.callTool({ name: 'Forget', arguments: {} })).structuredContent,
      {},
    );
    assert.deepEqual(
      (await client.callTool({ name: 'Notify', arguments: {} })).structuredContent,
      {},
    );
  });

  it('annotations say what reads and what destroys; tools and calls are those that the caller may', async (test) => {
    const url = await start(test, LIBRARY, library);
    const guest = await connect(test, url);
    const librarian = await connect(test, url, { Authorization: 'Bearer librarian' });
    const names = async (client: Client) =>
      (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(guest), ['FindBook']);
    assert.deepEqual(await names(librarian), ['FindBook', 'RemoveBook']);
    const [find, remove] = (await librarian.listTools()).tools;
    assert.deepEqual(find?.annotations, {
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: false,
    });
    assert.deepEqual(remove?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: false,
    });
    assert.deepEqual(
      Object.keys(remove?.inputSchema.properties ?? {}),
      ['id'],
      'the credential is no argument',
    );
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
    const url = await start(
      test,
      { service: Weather, endpoint: weather, servicePath: '/Weather.asmx' },
      weather,
    );
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
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body,
      });
    assert.equal((await post('{}', { Origin: 'http://evil.example' })).status, 403);
    for (const text of ['{', 'gone', 'crowded']) assert.equal((await post(text)).status, 400, text);
    assert.equal((await post(`"${'x'.repeat(2000)}"`)).status, 413);
    await assert.rejects(
      createMcp({ ...LIBRARY, service: { ...Library, bindings: ['soap11'] } }),
      TypeError,
    );
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
        const asked = request(
          { port: url.port, path: '/mcp', method: 'POST', headers },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
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
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const batch = async (count: number) => {
      const messages = Array.from({ length: count }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/list',
      }));
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(messages) })).status;
    };
    assert.deepEqual([await batch(20), await batch(21)], [200, 400]);
    const begin = () => {
      const asked = request(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': 4000 },
      });
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

  describe('with hostile messages', () => {
    const HEADERS = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const call = (id: unknown, name: string, given: object = {}) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: given },
    });
    const post = async (url: URL, message: unknown, headers: Record<string, string> = {}) => {
      const body = typeof message === 'string' ? message : JSON.stringify(message);
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...HEADERS, ...headers },
        body,
      });
      return { status: answer.status, text: await answer.text() };
    };

    it('a cancelled call of a batch is answered all the same, whatever comes first', async (test) => {
      const url = await start(test, LIBRARY, library);
      const cancel = {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 7 },
      };
      for (const batch of [
        [cancel, call(7, 'FindBook', { title: 'x' })],
        [call(7, 'FindBook', { title: 'x' }), cancel, call(8, 'FindBook', { title: 'y' })],
      ]) {
        const { status, text } = await post(url, batch);
        assert.equal(status, 200);
        assert.match(text, /A book called x/);
      }
      assert.equal((await post(url, [cancel])).status, 202);
    });

    it('messages of one id are refused: each would be answered as the other', async (test) => {
      const url = await start(test, LIBRARY, library);
      const twice = [call(1, 'FindBook', { title: 'x' }), call(1, 'FindBook', { title: 'y' })];
      assert.equal((await post(url, twice)).status, 400);
      assert.equal((await post(url, [twice[0], { ...twice[1], id: '1' }])).status, 200);
    });

    it('a message has so many members and items (items), not counting those in texts', async (test) => {
      const url = await start(test, { ...LIBRARY, items: 100 }, library);
      const keys = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
      assert.equal((await post(url, call(1, 'FindBook', keys(90)))).status, 200);
      assert.equal((await post(url, call(1, 'FindBook', keys(101)))).status, 413);
      assert.equal((await post(url, '['.repeat(101) + ']'.repeat(101))).status, 413);
      const title = '\\",[{'.repeat(1_000);
      const { status, text } = await post(url, call(1, 'FindBook', { title }));
      assert.equal(status, 200);
      const { result } = JSON.parse(text) as {
        readonly result: { readonly structuredContent: unknown };
      };
      assert.deepEqual(result.structuredContent, { result: `A book called ${title}` });
      const byDefault = await start(test, LIBRARY, library);
      assert.equal((await post(byDefault, call(1, 'FindBook', keys(19_900)))).status, 200);
      assert.equal((await post(byDefault, call(1, 'FindBook', keys(20_001)))).status, 413);
    });

    it('arguments that name what every object has change nothing', async (test) => {
      const url = await start(test, LIBRARY, library);
      const given =
        '{"__proto__":{"title":"polluted"},"constructor":{"prototype":{"title":"polluted"}}}';
      const { text } = await post(
        url,
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"FindBook","arguments":${given}}}`,
      );
      assert.match(text, /A book called undefined/);
      assert.equal(({} as { readonly title?: string }).title, undefined);
      assert.match((await post(url, call(1, '__proto__'))).text, /There is no tool __proto__/);
      const long = await post(url, call(1, 'x'.repeat(100_000)));
      assert.ok(long.text.length < 300, 'no name is repeated whole');
    });

    it('what fails behind a list or a call is not shown, only what the service says', async (test) => {
      const failing = service('Failing', {
        namespace: 'urn:failing',
        operations: { Fail: operation({ input: {}, result: string }) },
      });
      const endpoint = createEndpoint(failing, {
        path: '/Failing.asmx',
        onAnswered: () => {},
        authorize: () => undefined,
        handlers: {
          Fail: () => {
            throw new Error('geheim');
          },
        },
      });
      const allows = (_: unknown, token: string | undefined) => {
        if (token === 'refused') throw new ServiceError('Forbidden', 'Not for you.');
        throw new Error('connect ECONNREFUSED geheim');
      };
      const options = { service: failing, endpoint, servicePath: '/Failing.asmx', allows } as const;
      const url = await start(test, options, endpoint);
      const warned = once(process, 'warning');
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const failed = await post(url, list);
      assert.match(failed.text, /The server failed\./);
      assert.match(String((await warned)[0]), /geheim/, 'the operator is told');
      assert.match(
        (await post(url, list, { Authorization: 'Bearer refused' })).text,
        /Not for you\./,
      );
      const called = await post(url, call(1, 'Fail'));
      assert.match(called.text, /"isError":true/);
      for (const { text } of [failed, called]) assert.doesNotMatch(text, /geheim|\n\s+at /);
    });

    it('a call ends when its client leaves, and its message is held until then', async (test) => {
      const waiting = service('Waiting', {
        namespace: 'urn:waiting',
        operations: { Wait: operation({ input: { text: string }, result: string }) },
      });
      const calls = new EventEmitter();
      const endpoint = createEndpoint(waiting, {
        path: '/Waiting.asmx',
        authorize: () => undefined,
        handlers: {
          Wait: async (_, { signal }) => {
            calls.emit('began');
            await once(signal, 'abort');
            calls.emit('ended');
            return '';
          },
        },
      });
      const url = await start(
        test,
        { service: waiting, endpoint, servicePath: '/Waiting.asmx', bodyBytes: 4_000 },
        endpoint,
      );
      const begin = async () => {
        const began = once(calls, 'began');
        const asked = request(url, { method: 'POST', headers: HEADERS, agent: false });
        asked.on('error', () => {});
        asked.end(JSON.stringify(call(1, 'Wait', { text: 'x'.repeat(3_800) })));
        await began;
        return asked;
      };
      const asked = [await begin(), await begin(), await begin(), await begin()];
      const long = call(1, 'None', { text: 'x'.repeat(3_800) });
      assert.equal((await post(url, long)).status, 503);
      const ended = once(calls, 'ended');
      asked[0]!.destroy();
      await ended;
      assert.equal((await post(url, long)).status, 200);
      for (const each of asked) each.destroy();
    });
  });
});
