import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionOf, visitor } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

/** What a page says, without its marks. */
const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('who has a first and a last name is called so in the list of users, as in every other', async (t) => {
  const service = await filledService(t);
  await call(service, 'updateUserInfo', {
    ...{ userId: 'ada', firstName: 'Ada', lastName: 'Lovelace' },
  });
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  const users = await open('/console/users');
  assert.match(users, /<td data-label="Name"[^>]*>Ada Lovelace<\/td>/);
  // Who has no name but the key is not called by it twice.
  assert.match(users, /href="\/console\/users\/bob">bob<\/a><\/td><td data-label="Name"[^>]*>–</);
  assert.match(textOf(await open('/console/articles')), /Ada Lovelace/);
});
