import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { apiOf, callOperation, openApiDesk } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';
import { recordQueries } from '../kit/recorded-queries.ts';

forBothEngines((_engine, fresh) => {
  it('names of records come for many keys by one query a kind, without those that have none', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const count = 120;
    for (let number = 0; number < count; number++) {
      const caption = number % 2 === 0 ? `Title ${number}` : '\u200b';
      const article = { guid: `a-${number}`, caption, content: 'x', CreateUserId: `u-${number}` };
      await callOperation(desk, 'InsertArticle', article);
    }
    const name = { userId: 'u-3', firstName: 'Ada', lastName: 'Byron' };
    await callOperation(desk, 'updateUserInfo', name);
    const targets = { baseUrl: () => desk.url, shortBaseUrl: () => desk.url };
    const { store, queries } = recordQueries(desk.store);
    const articles = Array.from({ length: count }, (_, number) => `a-${number}`);
    const users = articles.map((key) => key.replace('a', 'u'));
    const ask = async (role: 'owner' | 'moderator', body: object) => {
      const answer = await apiOf(store, { targets }).fetch(
        new Request('http://x/api/v1/names', jsonRequest(body)),
        {
          principal: { kind: 'admin', role, name: role, id: role, confirmedAt: null },
          ...{ address: '127.0.0.1', requestId: 'r' },
        },
      );
      if (answer.status !== 200) throw new Error(await answer.text());
      const { items } = (await answer.json()) as {
        items: Record<'kind' | 'key' | 'name', string>[];
      };
      return new Map(items.map(({ kind, key, name: said }) => [`${kind}/${key}`, said]));
    };
    const names = await ask('owner', { articles: [...articles, 'nowhere'], users });
    assert.equal(queries.size, 2, [...queries.keys()].join('\n'));
    assert.equal(names.get('articles/a-2'), 'Title 2');
    assert.equal(names.get('users/u-3'), 'Ada Byron');
    assert.equal(names.size, count / 2 + 1);
    const others = await ask('moderator', {
      articles: ['a-2'],
      users,
      tokens: ['x'],
      mails: ['x'],
    });
    assert.deepEqual([...others], [['articles/a-2', 'Title 2']]);
  });
});
