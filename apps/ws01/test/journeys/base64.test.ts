import assert from 'node:assert/strict';
import { it } from 'node:test';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { exchange, JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { noisyPng } from '../kit/images/photographs.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A picture whose base64 has many characters of every kind. */

const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'a data URL': (text) => `data:image/png;base64,${text}`,
  'a data URL with parameters, in capitals': (text) =>
    ` DATA:image/PNG;charset=utf-8;BASE64,${text}`,
  lines: (text) => text.match(/.{1,76}/g)!.join('\r\n'),
  'lines joined with blanks': (text) => text.match(/.{1,76}/g)!.join(' '),
  'blanks around': (text) => `\n  ${text} \n`,
  'the URL-safe alphabet': (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
};

forEachEngine((_engine, fresh) => {
  it('base64 is read as people write it, in every binding, to the byte', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const store = await database.open();
    const sizeOf = async (guid: string) =>
      (
        await store.read((db) =>
          db.selectFrom('images').select('bytes').where('guid', '=', guid).executeTakeFirst(),
        )
      )?.bytes;
    for (const binding of [...TEST_BINDINGS, JSON_BINDING]) {
      for (const [way, write] of Object.entries(WAYS)) {
        const picture = await noisyPng(24);
        const FileGuid = `${binding.name} ${way}`;
        const FileImg = write(picture.toString('base64'));
        const { result, body } = await binding.call(url, 'InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid,
          FileImg,
        });
        assert.equal(result, 'true', `${FileGuid}: ${body}`);
        assert.equal(await sizeOf(FileGuid), picture.length, FileGuid);
      }
      for (const FileImg of [
        'data:text/html;base64,PGI+',
        'data:image/png,abc',
        'data:image/png;base64',
      ]) {
        const { code } = await binding.call(url, 'InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid: 'x',
          FileImg,
        });
        assert.equal(code, 'InvalidParameter', `${binding.name} ${FileImg}`);
      }
    }
  });

  it('a + that was not encoded is understood over GET and POST, twice as the contract lists the parameter', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const store = await database.open();
    for (let n = 0; n < 12; n++) {
      const picture = await noisyPng(24);
      const text = picture.toString('base64');
      assert.ok(text.includes('+'));
      const pair = `FileImg=${text}`;
      const given = `verifyCode=${TOKEN}&FileGuid=${n}&${pair}&${pair}`;
      const path = `${url}/WS01.asmx/InsertArticleImageFile`;
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const answer =
        n % 2 === 0 ? await exchange(`${path}?${given}`) : await postTo(path, given, form);
      assert.match(answer.body, />true</, answer.body);
      const row = await store.read((db) =>
        db
          .selectFrom('images')
          .select('bytes')
          .where('guid', '=', String(n))
          .executeTakeFirstOrThrow(),
      );
      assert.equal(row.bytes, picture.length);
    }
  });
});
