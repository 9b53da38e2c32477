import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const LIMITS_OVER = new URL('../kit/limits-over.ts', import.meta.url).href;

/** Articles before the kill, and after it: more together than are delivered at once. */
const WRITTEN = BY_NIGHT ? 20 : 6;

const STREAMS = BY_NIGHT ? 100 : 20;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly key: string | null;
}

interface Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that can be away: then it keeps its port, so that nobody else gets it, and ends each connection. */
class Receiver {
  readonly calls: Call[] = [];
  /** What it answers to the n-th call. */
  status: (n: number) => number = () => 204;
  readonly #server = createServer(async (request, response) => {
    this.calls.push({
      headers: request.headers as Record<string, string>,
      body: await text(request),
    });
    response.writeHead(this.status(this.calls.length), { location: 'http://127.0.0.1:1/' }).end();
  });
  isUp = false;
  port = 0;

  async listen(t: TestContext): Promise<void> {
    this.#server.on('connection', (socket) => this.isUp || socket.destroy());
    this.port = await listen(t, this.#server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook?x=1`;
  }

  get ids(): readonly string[] {
    return this.calls.map(({ headers }) => headers['webhook-id']!);
  }
}

async function call(
  url: string,
  operation: string,
  params: Record<string, string>,
): Promise<string> {
  const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;
  const { status, body, result } = await get.call(url, operation, params);
  assert.equal(status, 200, body);
  return result ?? '';
}

/** The example of docs/webhooks.md. */
async function verifierOfThePage(
  t: TestContext,
): Promise<(secret: string, headers: object, body: string) => boolean> {
  const [, code] = /^```js\n([\s\S]*?)^```$/m.exec(await readFile('docs/webhooks.md', 'utf8'))!;
  const file = join(await temporaryFolder(t), 'verify.mjs');
  await writeFile(file, code!);
  return (await import(pathToFileURL(file).href)).verify;
}

forEachEngine((engine, fresh) => {
  it('a webhook that was down gets every event, signed, though the service is killed meanwhile', async (t) => {
    const verify = await verifierOfThePage(t);
    const receiver = new Receiver();
    await receiver.listen(t);
    const database = await fresh(t);
    const env = {
      ...{ WEBHOOK_NETWORKS: '127.0.0.0/8', RATE_LIMITS: 'off' },
      ...processEnv({}, LIMITS_OVER),
    };
    const first = await spawnService(t, database, env);
    const added = await ws01(database, ['webhook', 'add', receiver.url, '--json']);
    assert.equal(added.code, 0, added.stderr);
    const { id, secret } = JSON.parse(added.stdout);
    const write = (url: string, n: number) =>
      call(url, 'InsertArticle', {
        token: TOKEN,
        guid: `a-${n}`,
        caption: 'Bright flat',
        Status: '0',
        CreateUserId: 'ada',
      });
    await Promise.all(Array.from({ length: WRITTEN }, (_, n) => write(first.url, n)));
    const code = await call(first.url, 'CreateVerifyCode', {
      tokenId: TOKEN,
      userId: 'ada',
      cellphone: '+12125550100',
    });
    await call(first.url, 'VerifyCodeForPhone', {
      ...{ tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100', VerifyCode: code },
    });
    await first.end('SIGKILL');
    const second = await spawnService(t, database, env);
    t.after(() => second.end('SIGKILL'));
    await Promise.all(Array.from({ length: WRITTEN }, (_, n) => write(second.url, WRITTEN + n)));

    const read = async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const items: Event[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const answer = await fetch(`${second.url}/api/v1/events?limit=100${query}`, { headers });
        const page = (await answer.json()) as { items: Event[]; next: string | null };
        items.push(...page.items);
        cursor = page.next;
      }
      // The newest first; the webhook is told of itself first.
      return items.slice(0, items.findIndex(({ type }) => type === 'webhook.add') + 1);
    };
    const articles = new Set(
      (await read()).filter(({ type }) => /^article/.test(type)).map(({ key }) => key),
    );
    assert.equal(articles.size, 2 * WRITTEN, 'one for each article that was written');

    // It refuses at first, by an error and by a redirect.
    receiver.status = (n) => [500, 302][n - 1] ?? 204;
    receiver.isUp = true;
    // A retry skips a delivery that is under way, so the test asks again. It asks seldom: each retry is an event, too.
    // The killed service keeps its delivery until the lease ends, which in a patient process takes minutes.
    const retryUntil = (holds: () => boolean | Promise<boolean>, told: string) => {
      let looks = 0;
      return until(
        async () => {
          if (looks++ % 20 === 0) {
            second.child.kill('SIGUSR2');
            await ws01(database, ['webhook', 'retry', id]);
          }
          return holds();
        },
        () => told,
      );
    };
    for (const calls of [1, 2, 3])
      await retryUntil(() => receiver.calls.length >= calls, `call ${calls}`);
    let looked = 0;
    await retryUntil(async () => {
      // Only what has come since may be the rest.
      if (receiver.calls.length === looked) return false;
      looked = receiver.calls.length;
      const known = new Set(receiver.ids);
      return (await read()).every((event) => known.has(event.id));
    }, 'every event');
    const types = new Set(receiver.calls.map(({ body }) => JSON.parse(body).type));
    for (const type of ['code.create', 'code.verify', 'webhook.add'])
      assert.ok(types.has(type), type);
    for (const { headers, body } of receiver.calls) {
      assert.ok(verify(secret, headers, body), 'the signature');
      assert.doesNotMatch(body, /Bright|12125550100|\+1212/, 'nothing that a person wrote');
      // An id or a number may happen to have its digits.
      const told = new RegExp(`(?<![\\w-])(?<!"seq":)${code}(?![\\w-])`);
      assert.doesNotMatch(body, told, 'never the code');
    }
    const byId = Map.groupBy(receiver.calls, ({ headers }) => headers['webhook-id']!);
    for (const calls of byId.values())
      assert.equal(new Set(calls.map(({ body }) => body)).size, 1, 'a repeat says the same');

    const rotated = JSON.parse((await ws01(database, ['webhook', 'rotate', id, '--json'])).stdout);
    await ws01(database, ['webhook', 'test', id]);
    await until(
      () => receiver.calls.some(({ body }) => JSON.parse(body).type === 'webhook.test'),
      () => 'a test',
    );
    const test = receiver.calls.find(({ body }) => JSON.parse(body).type === 'webhook.test')!;
    assert.ok(
      verify(rotated.secret, test.headers, test.body) && verify(secret, test.headers, test.body),
      'both secrets',
    );

    receiver.status = () => 410;
    await write(second.url, 99);
    await until(
      async () => {
        const webhooks = JSON.parse((await ws01(database, ['webhook', 'list', '--json'])).stdout);
        return webhooks[0].disabledReason === 'It answered 410 Gone.';
      },
      () => 'that it is disabled',
    );
    assert.match(
      (await ws01(database, ['status'])).stdout,
      /127\.0\.0\.1:\d+ is disabled: It answered 410 Gone\./,
    );
  });

  it(`${STREAMS} streams, on PostgreSQL of two workers, get every event, and resume after the last one that their client knows`, async (t) => {
    const database = await fresh(t);
    const workers = engine === 'postgres' ? { WORKERS: '2' } : {};
    const env = {
      RATE_LIMITS: 'off',
      WEBHOOK_NETWORKS: '127.0.0.0/8',
      ...processEnv({ apiStreams: 200, apiStreamsPerPerson: 200 }),
      ...workers,
    };
    const service = await spawnService(t, database, env);
    const write = (n: number) =>
      call(service.url, 'InsertArticle', {
        token: TOKEN,
        guid: `a-${n}`,
        caption: 'c',
        Status: '0',
      });
    const open = async (after: string, token = TOKEN) => {
      const stop = new AbortController();
      t.after(() => stop.abort());
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        'last-event-id': after,
      };
      const answer = await fetch(`${service.url}/api/v1/events`, { headers, signal: stop.signal });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'text/event-stream');
      let seen = '';
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const piece of answer.body!) seen += decoder.decode(piece, { stream: true });
      })().catch(() => {});
      const events = () =>
        [...seen.matchAll(/^id: (\d+)\nevent: (.*)\ndata: (.*)\n\n/gm)].map(
          ([, seq, type, data]) => ({
            ...{ seq: Number(seq), type: type!, key: JSON.parse(data!).data.key as string },
          }),
        );
      return { events, reading, stop };
    };
    await write(1);
    const one = await open('0');
    await until(
      () => one.events().some(({ key }) => key === 'a-1'),
      () => 'what was before',
    );
    await write(2);
    await until(
      () => one.events().some(({ key }) => key === 'a-2'),
      () => 'what comes',
    );
    one.stop.abort();
    await one.reading;
    await write(3);
    const known = one.events().at(-1)!.seq;
    const two = await open(String(known));
    await until(
      () => two.events().some(({ key }) => key === 'a-3'),
      () => 'what came meanwhile',
    );
    const seqs = [...one.events(), ...two.events()].map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      Array.from(seqs, (_, n) => seqs[0]! + n),
      'each place once, in order',
    );
    const many = await Promise.all(Array.from({ length: STREAMS }, () => open(String(known))));
    await write(4);
    await until(
      () => many.every(({ events }) => events().some(({ key }) => key === 'a-4')),
      () => 'the same for all',
    );
    for (const { stop } of many) stop.abort();
    await Promise.all(many.map(({ reading }) => reading));
    const refused = await fetch(`${service.url}/api/v1/events`, {
      headers: { accept: 'text/event-stream' },
    });
    assert.equal(refused.status, 401);
    const made = JSON.parse(
      (await ws01(database, ['token', 'create', '--scopes', 'read', '--json'])).stdout,
    );
    const three = await open(String(known), made.token);
    await until(
      () => three.events().some(({ key }) => key === 'a-3'),
      () => 'what came before',
    );
    assert.equal((await ws01(database, ['token', 'revoke', made.id])).code, 0);
    let ended = false;
    void three.reading.then(() => {
      ended = true;
    });
    await until(
      () => ended,
      () => 'the end of a stream whose token was revoked',
    );
    // A stop ends the stream; it does not wait for the client.
    assert.equal(await service.end('SIGTERM'), 0);
    await two.reading;
  });
});
