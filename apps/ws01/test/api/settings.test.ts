import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { exchange, jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { storedSettings } from '../../src/domain/settings/settings.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { callOperation, openApiDesk } from '../kit/api.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines } from '../kit/database.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService } from '../kit/service.ts';

forBothEngines((engine, fresh) => {
  it('a setting is changed while the service runs, on every node, outlives a restart and goes back', async (t) => {
    const desk = await openApiDesk(t, fresh, { AUDIT_KEPT_DAYS: '400', RATE_LIMITS: 'on' });
    const readable = async (url: string) =>
      (await exchange(`${url}/api/v1/public/articles`, { method: 'GET' })).status === 200;
    const change = (variable: string, value: string | null) =>
      desk.ask('PATCH', `/settings/${variable}`, { value });
    const other =
      engine === 'postgres' ? (await startService(t, desk.service.database)).url : undefined;
    assert.equal(await readable(desk.url), true);

    const { status, body } = await change('PUBLIC_READING', 'off');
    assert.deepEqual([status, body.changed, body.item.value], [200, true, 'off']);
    assert.ok(body.item.changedBy !== null && Date.parse(body.item.changedAt) > 0);
    assert.equal(await readable(desk.url), false, 'at once');
    if (other !== undefined) await until(async () => !(await readable(other)));
    assert.equal((await change('PUBLIC_READING', 'off')).body.changed, false);

    // A budget follows without a restart, too.
    const { body: token } = await desk.post('/tokens', {
      ...{ scopes: ['articles'], kind: 'user', userId: 'ada', label: 'x' },
    });
    const insert = (guid: string) =>
      callOperation(
        { url: desk.url, tokens: { ...desk.tokens, articles: token.token } },
        'InsertArticle',
        {
          ...{ guid, caption: 'x', CreateUserId: 'ada' },
        },
      );
    await insert('one');
    assert.equal((await change('POSTS_PER_USER', '1/day')).status, 200);
    await assert.rejects(insert('two'), /RateLimited/);
    assert.equal((await change('POSTS_PER_USER', null)).body.item.value, '200/day');
    await insert('two');

    for (const [variable, value, code, refusal] of [
      ['PUBLIC_READING', 'perhaps', 400, /PUBLIC_READING must be/],
      ['AUDIT_KEPT_DAYS', '30', 403, /fixed by the environment/],
      ['PORT', '80', 403, /fixed by the environment/],
      ['NO_SUCH', 'x', 404, /There is no setting NO_SUCH/],
    ] as const) {
      const refused = await change(variable, value);
      assert.equal(refused.status, code, variable);
      assert.match(refused.body.detail, refusal);
    }
    const { items } = (await desk.get('/settings')).body;
    const fixed = (variable: string) =>
      items.find((one: { variable: string }) => one.variable === variable).isFixed;
    assert.deepEqual(['AUDIT_KEPT_DAYS', 'PORT', 'MAIL_KEPT_DAYS'].map(fixed), [true, true, false]);
    const [entry] = (await desk.get('/audit?targetKey=PUBLIC_READING')).body.items;
    assert.deepEqual(
      [entry.action, entry.details],
      ['setting.change', { before: null, after: 'off' }],
    );

    await desk.service.app.stop();
    const again = await startService(t, desk.service.database);
    assert.equal(await readable(again.url), false, 'after a restart');
    const back = await exchange(
      `${again.url}/api/v1/settings/PUBLIC_READING`,
      jsonRequest({ value: null }, { Authorization: `Bearer ${desk.tokens.manage}` }, 'PATCH'),
    );
    assert.equal(back.status, 200, back.body);
    assert.equal(await readable(again.url), true);
  });

  it('a setting has a version, and a change of another version is refused', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const path = '/settings/MAIL_KEPT_DAYS';
    const send = async (value: string, ifMatch?: string) => {
      const headers = {
        Authorization: `Bearer ${desk.tokens.manage}`,
        ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      };
      return exchange(`${desk.url}/api/v1${path}`, jsonRequest({ value }, headers, 'PATCH'));
    };
    const read = async () => {
      const { headers, body } = await desk.get(path);
      return { etag: String(headers.etag), value: body.value };
    };
    const first = await read();
    const changed = await send('41', first.etag);
    assert.equal(changed.status, 200, changed.body);
    assert.equal(changed.headers.etag, (await read()).etag);
    const late = await send('42', first.etag);
    assert.equal(late.status, 412);
    assert.equal(JSON.parse(late.body).parameter, 'If-Match');
    assert.equal((await read()).value, '41', 'the first save was not lost');
    assert.equal((await send('42', String(changed.headers.etag))).status, 200);
    assert.equal((await send('44')).status, 200, 'without If-Match as before');
    assert.equal((await desk.get('/settings/NO_SUCH')).status, 404);
  });

  it('mails go by the server that was named while the service runs; nobody reads its password', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const server = await startMailServer(t);
    const change = async (variable: string, value: string) =>
      (await desk.ask('PATCH', `/settings/${variable}`, { value })).body;
    const hidden = await change('SMTP_URL', 'smtps://user:hidden1@mail.example.com');
    assert.equal(hidden.item.value, 'smtps://mail.example.com/…');
    const told = JSON.stringify([
      (await desk.get('/audit?targetKey=SMTP_URL')).body,
      (await desk.get('/settings')).body,
    ]);
    assert.doesNotMatch(told, /hidden1/);
    // As docs/configuration.md says: it is in the database, and nowhere else.
    const { database } = desk.service;
    assert.match(JSON.stringify(await desk.store.read(storedSettings)), /hidden1/);
    const folder = join(database.dataDir, 'exported');
    assert.equal((await ws01(database, ['export', folder])).code, 0);
    const files = await Array.fromAsync(glob('**/*', { cwd: folder, withFileTypes: true }));
    for (const file of files.filter((one) => one.isFile()))
      assert.doesNotMatch(await readFile(join(file.parentPath, file.name), 'utf8'), /hidden1/);
    for (const command of ['config', 'status', 'doctor', 'audit list --json']) {
      const { stdout, stderr } = await ws01(database, command.split(' '));
      assert.doesNotMatch(stdout + stderr, /hidden1/, command);
    }
    const Cookie = await sessionOf(desk.service, 'owner');
    for (const page of ['settings', 'audit']) {
      const shown = await exchange(`${desk.url}/console/${page}`, {
        method: 'GET',
        headers: { Cookie },
      });
      assert.match(shown.body, /SMTP_URL/, page);
      assert.doesNotMatch(shown.body, /hidden1/, page);
    }
    await change('SMTP_URL', server.url);
    await change('MAIL_FROM', 'Market <market@example.com>');
    await desk.post('/users', { id: 'ada', email: 'ada@example.com' });
    const asked = { scopes: ['mail'], kind: 'user', userId: 'ada' };
    const { token } = (await desk.post('/tokens', asked)).body;
    const send = () =>
      callOperation(desk, 'SendEmail', {
        authorizationUserId: token,
        ...{ receiverName: 'Bob', receiverEmail: `bob${Date.now()}@example.com` },
        ...{ subject: 'Hello', body: 'It works.' },
      });
    // The worker looks at the settings every two seconds.
    await until(async () => {
      await send();
      return server.received.length > 0;
    });
    assert.match(server.received[0]!.raw, /^From: .*market@example\.com/m);
  });
});
