import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { GUARDED } from '../../src/contract/service.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { startService, TOKEN } from '../kit/service.ts';

async function connect(context: TestContext, url: string, token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  context.after(() => client.close());
  const headers: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }) as never,
  );
  return client;
}

suite('MCP', () => {
  test('a token sees and calls the tools of its scopes; without one those that are open', async (context) => {
    const { url, database } = await startService(context, undefined, { MCP: 'on' });
    const store = await database.open();
    const { text: counting } = await issueToken(
      store,
      { kind: 'service', userId: undefined, scopes: ['counts'], label: 'test' },
      Date.now,
    );
    const names = async (client: Client) =>
      (await client.listTools()).tools.map(({ name }) => name).sort();
    const inScope = (scope: string | undefined) =>
      [...GUARDED.values()]
        .filter(({ access }) => access === undefined || access.scope === scope)
        .map(({ name }) => name)
        .sort();
    const guest = await connect(context, url);
    const counter = await connect(context, url, counting);
    const everybody = await connect(context, url, TOKEN);
    assert.deepEqual(await names(guest), inScope(undefined));
    assert.deepEqual(await names(counter), inScope('counts'));
    assert.deepEqual(await names(everybody), [...GUARDED.keys()].sort());

    const { tools } = await everybody.listTools();
    const tool = (name: string) => tools.find((each) => each.name === name)!;
    assert.deepEqual(
      Object.keys(tool('countIpPosted').inputSchema.properties ?? {}).includes('tokenId'),
      false,
    );
    assert.equal(tool('countIpPosted').annotations?.readOnlyHint, true);
    assert.equal(tool('DeleteArticleByGuid').annotations?.destructiveHint, true);
    assert.match(tool('DeleteArticleByGuid').description ?? '', /^Moves an article to the trash/);

    const counted = await counter.callTool({
      name: 'countIpPosted',
      arguments: { IP: '203.0.113.7' },
    });
    assert.equal(counted.isError, undefined, JSON.stringify(counted.content));
    assert.equal(typeof (counted.structuredContent as { result: unknown }).result, 'string');
    const refused = await counter.callTool({ name: 'DeleteArticleByGuid', arguments: {} });
    assert.match(JSON.stringify(refused.content), /Forbidden/);
    const unknown = await connect(context, url, 'no-such-token');
    await assert.rejects(unknown.listTools(), /not usable/);
  });

  test('off by default', async (context) => {
    const { url } = await startService(context);
    assert.equal((await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })).status, 404);
  });
});
