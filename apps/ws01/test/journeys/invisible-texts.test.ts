import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

/** Characters that no reader sees: blanks, joiners, marks of direction, fillers, selectors, tags, empty glyphs. */
const INVISIBLE = [
  '\u0020\u00a0\u1680\u2003\u3000',
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u200e\u200f',
  '\u2028\u202a\u202e\u2060\u2064\u2066\u2069\u206a\u2800\u3164\ufe0f\ufeff\uffa0',
  '\u{16fe4}\u{1bca0}\u{1d159}\u{1d173}\u{e0001}\u{e0020}\u{e007f}\u{e0100}\u{13441}\u{13442}',
].flatMap((characters) => [...characters, characters]);

/** Texts with such characters that are seen. */
const SEEN = ['\u200b.', '👩\u200d🔧', '\u202eabc\u202c', '\u3164x', '\u2801', '한', '\u0e33'];

forEachEngine((_engine, fresh) => {
  it('titles, captions, names and mails that show nothing are empty, over every binding', async (t) => {
    const { url } = await startService(t, await fresh(t));
    const nameOf = async () => {
      const { body } = await exchange(`${url}/api/v1/users/ada`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      return JSON.parse(body).firstName;
    };
    for (const [index, text] of INVISIBLE.entries()) {
      const { call, name } = BINDINGS[index % BINDINGS.length]!;
      const told = `${name}: ${[...text].map((character) => character.codePointAt(0)!.toString(16))}`;
      const guid = `invisible-${index}`;
      const refused = async (
        operation: string,
        parameter: string,
        params: Record<string, string>,
      ) => {
        const { code, message } = await call(url, operation, params);
        assert.equal(code, 'MissingParameter', `${operation} ${told}`);
        assert.ok(message?.includes(parameter), told);
      };
      await refused('addNewAdvert', 'title', { tokenId: TOKEN, guid, title: text });
      await refused('InsertArticle', 'caption', {
        token: TOKEN,
        guid,
        caption: text,
        content: text,
      });
      await refused('UpdateOrInsertArticleById', 'caption', {
        token: TOKEN,
        Id: guid,
        caption: text,
        content: '',
      });
      await refused('SendEmail', 'subject', {
        authorizationUserId: TOKEN,
        receiverEmail: 'grace@example.com',
        subject: text,
        body: text,
      });
      const named = { tokenId: TOKEN, userId: 'ada', firstName: 'Ada' };
      assert.equal((await call(url, 'updateUserInfo', named)).result, 'ada');
      assert.equal(await nameOf(), 'Ada');
      assert.equal(
        (await call(url, 'updateUserInfo', { ...named, firstName: text })).result,
        'ada',
      );
      assert.equal(await nameOf(), null, told);
    }
    for (const [index, text] of SEEN.entries()) {
      const { call } = BINDINGS[index % BINDINGS.length]!;
      assert.equal(
        (await call(url, 'addNewAdvert', { tokenId: TOKEN, guid: `seen-${index}`, title: text }))
          .status,
        200,
      );
      const article = { token: TOKEN, guid: `seen-${index}`, caption: text };
      assert.equal((await call(url, 'InsertArticle', article)).result, article.guid);
    }
  });
});
