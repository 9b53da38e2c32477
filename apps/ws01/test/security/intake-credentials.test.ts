import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startEcho } from '../kit/echo.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { checking, codeOf, send, WAYS } from './kit/intake.ts';
import { ARTICLE, FORM, IMAGE, JSON_TYPE, post } from './kit/requests.ts';

describe('the credential is checked as soon as it is read', () => {
  for (const { name, path, headers, before, begun } of WAYS) {
    it(`${name}: a wrong one before a file is refused before the file has come, and no sink is made`, async (test) => {
      const { sinks, createBinarySink } = countingSinks();
      const echo = await startEcho(test, { ...checking({}), createBinarySink });
      const connection = await send(
        test,
        echo.port,
        post(path, headers, before('wrong') + begun, 1_000_000),
      );
      assert.match(await codeOf(connection), /^(403|500) Unauthenticated$/);
      assert.equal(sinks.length, 0);
    });

    it(`${name}: a good one is checked once, and the file goes to its sink while it comes`, async (test) => {
      const { sinks, createBinarySink } = countingSinks();
      const checked: string[] = [];
      const echo = await startEcho(test, { ...checking({}, checked), createBinarySink });
      const connection = await send(
        test,
        echo.port,
        post(path, headers, before('good') + begun, 1_000_000),
      );
      await until(() => sinks[0] !== undefined && sinks[0].pieces.length > 0);
      assert.deepEqual(checked, ['good']);
      connection.socket.destroy();
      await until(() => sinks[0]!.released === 1);
    });
  }

  it('a long text behind a wrong credential is refused before it has come', async (test) => {
    const echo = await startEcho(test, checking({}));
    const bytes = post(ARTICLE, FORM, `token=wrong&content=${'x'.repeat(100_000)}`, 1_000_000);
    assert.equal(await codeOf(await send(test, echo.port, bytes)), '403 Unauthenticated');
  });

  it('a good credential that is repeated is another text: it is checked again', async (test) => {
    const checked: string[] = [];
    const echo = await startEcho(test, checking({}, checked));
    const body = `token=good&content=${'x'.repeat(100_000)}&token=good`;
    assert.equal(
      await codeOf(await send(test, echo.port, post(ARTICLE, FORM, body))),
      '403 Unauthenticated',
    );
    assert.deepEqual(checked, ['good', 'good,good']);
  });

  it('a short request is read to its end first: what is malformed is told as such', async (test) => {
    const echo = await startEcho(test, checking({}));
    const bytes = post(ARTICLE, JSON_TYPE, '{"token":"wrong",,}');
    assert.equal(await codeOf(await send(test, echo.port, bytes)), '400 MalformedRequest');
  });

  it('of the service: nothing of an upload with a wrong credential goes to the disk, of one with a good one it does', async (test) => {
    const { app, database } = await startService(test);
    const incoming = () => readdir(join(database.dataDir, 'files', 'incoming')).catch(() => []);
    const begun = `FileImg=${randomBytes(900_000).toString('base64')}`;
    const upload = (token: string) => post(IMAGE, FORM, `verifyCode=${token}&${begun}`, 3_000_000);
    assert.equal(
      await codeOf(await send(test, app.port, upload('wrong-token-of-nobody'))),
      '403 Unauthenticated',
    );
    assert.deepEqual(await incoming(), []);
    const good = await send(test, app.port, upload(TOKEN));
    for (let names: string[] = []; names.length === 0; names = await incoming())
      await new Promise(setImmediate);
    good.socket.destroy();
  });
});
