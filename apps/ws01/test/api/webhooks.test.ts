import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('a webhook is stored as it is called: a URL with what parsers leave out is refused', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const url = 'https://hooks.example.com/services/a';
    for (const left of ['\r\n', '\n', '\t', '\0', ' ', '\u00a0', '\u0085', '\u2028']) {
      for (const written of [
        `${url}${left}`,
        `${left}${url}`,
        url.replace('hooks', `ho${left}oks`),
        `${url}${left}b`,
      ]) {
        const { status, body } = await desk.post('/webhooks', { url: written, types: ['*'] });
        assert.deepEqual([status, body.parameter], [400, 'url'], JSON.stringify(written));
      }
    }
    assert.equal(
      (await desk.post('/webhooks', { url: `${url}?a=%0D%0A`, types: ['*'] })).status,
      201,
    );
    assert.deepEqual(
      (await desk.get('/webhooks')).body.items.map((item: { url: string }) => item.url),
      [`${url}?a=%0D%0A`],
    );
  });
});
