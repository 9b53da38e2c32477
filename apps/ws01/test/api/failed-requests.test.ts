import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiDesk, openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

/** What the document says of a route that a test needs to ask it wrongly. */
interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly properties?: object } }>;
  };
  readonly responses: Record<string, { readonly content?: object }>;
}

/** Text that no sentence of the service has. */
const SENT = 'zq9"7 <zq9@';

/** Each route is asked with a wrong value for each member in turn, and with one by another name. */
async function askWrongly(desk: ApiDesk): Promise<number> {
  const { paths } = (await desk.get('/openapi.json')).body as {
    readonly paths: Record<string, Record<string, Described>>;
  };
  let asked = 0;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
      if ('text/event-stream' in (responses['200']?.content ?? {})) continue;
      const to = path.replaceAll(/\{\w+\}/g, 'no-such');
      const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const inBody = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {});
      const queries = [...inQuery, 'zq9'].map((name) => `${name}=${encodeURIComponent(SENT)}`);
      const bodies = [...inBody, 'zq9'].map((name) => ({ [name]: SENT }));
      for (const query of queries) await desk.ask(method.toUpperCase(), `${to}?${query}`);
      if (requestBody?.content['application/json'] !== undefined)
        for (const body of bodies) await desk.ask(method.toUpperCase(), to, body);
      asked++;
    }
  return asked;
}

forEachEngine((_engine, fresh) => {
  it('requests to the HTTP API that failed are found by their id, and not counted as calls', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const answers = [
      await desk.post('/webhooks', { url: 7 }),
      await desk.post('/webhooks', { adress: 'https://example.com/' }),
      await desk.post('/articles/gone/hold'),
      await desk.ask('POST', '/articles/gone/hold', undefined, desk.tokens.read),
      await desk.ask('GET', '/articles', undefined, desk.tokens.articles),
      await desk.ask('GET', '/articles', undefined, undefined),
      await desk.ask('GET', '/articles', undefined, 'a-wrong-token'),
      await desk.get('/artikles'),
      // Visitors look for what is gone every day.
      await desk.ask('GET', '/public/articles/gone', undefined, undefined),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 404, 403, 403, 401, 401, 404, 404],
    );
    await desk.service.app.stop();
    const kept = await desk.store.read((db) =>
      db.selectFrom('failed_calls').selectAll().orderBy('id').execute(),
    );
    assert.deepEqual(
      kept.map((call) => call.request_id),
      answers.slice(0, -1).map(({ body }) => body.requestId),
    );
    assert.deepEqual(
      kept.map((call) => [call.operation, call.error, call.parameter, call.target_key]),
      [
        ['POST /api/v1/webhooks', 'InvalidParameter', 'url', null],
        ['POST /api/v1/webhooks', 'InvalidParameter', null, null],
        ['POST /api/v1/articles/{guid}/hold', 'NotFound', null, 'gone'],
        ['POST /api/v1/articles/{guid}/hold', 'Forbidden', null, 'gone'],
        ['GET /api/v1/articles', 'Forbidden', 'Authorization', null],
        ['GET /api/v1/articles', 'Unauthenticated', 'Authorization', null],
        ['GET /api/v1/articles', 'Unauthenticated', 'Authorization', null],
        [null, 'NotFound', null, null],
      ],
    );
    assert.deepEqual(
      kept.map(({ reason }) => reason),
      [
        'url must be a text.',
        '… is no member here; there are url, types, label.',
        'There is no article with the key ….',
        'POST /articles/{guid}/hold needs a moderator, an owner or a token with the scope "manage"; this is a reader.',
        'The token has neither the scope "read" nor "manage".',
        'Send the text of a token with the scope "read" or "manage": Authorization: Bearer ws1_…',
        'unknown or revoked',
        'There is no GET …; see /api/v1/openapi.json.',
      ],
    );
    assert.deepEqual(
      kept.map((call) => call.token_id !== null),
      [true, true, true, true, true, false, false, false],
    );
    const counted = await desk.store.read((db) =>
      db.selectFrom('call_counts').selectAll().execute(),
    );
    assert.deepEqual(counted, []);
  });

  it('a request that failed leaves nothing that was sent, whatever member was wrong', async (t) => {
    const desk = await openApiDesk(t, fresh);
    assert.ok((await askWrongly(desk)) > 80);
    await desk.service.app.stop();
    const kept = await desk.store.read((db) => db.selectFrom('failed_calls').selectAll().execute());
    assert.ok(kept.length > 100, `${kept.length} are kept`);
    const told = kept.filter((call) => JSON.stringify(call).includes('zq9'));
    assert.deepEqual(
      told.map(({ operation, reason, parameter }) => [operation, reason, parameter]),
      [],
    );
  });
});
