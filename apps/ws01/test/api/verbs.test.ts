import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { callOperation, openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';

forEachEngine((_engine, fresh) => {
  it('what moderators do is told before, done, audited with who did it, and undone', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const tokenId = (await desk.get('/tokens?q=has+manage')).body.items[0].id;
    for (const kind of ['adverts', 'images', 'reviews', 'articles'] as const) {
      const path = `/${kind}/${keys[kind]}`;
      const state = async () => (await desk.get(path)).body.state;
      const act = async (verb: string) => {
        const before = await state();
        const preview = await desk.post(`${path}/${verb}?preview=true`, { reason: 'spam' });
        assert.equal(preview.status, 200, JSON.stringify(preview.body));
        assert.equal(await state(), before, 'a preview changes nothing');
        const { body } = await desk.post(`${path}/${verb}`, { reason: 'spam' });
        assert.deepEqual([body.changed, body.preview], [preview.body.changed, false]);
        assert.equal(body.item?.state, preview.body.item?.state);
        return [body.changed, body.item?.state];
      };
      assert.equal((await desk.post(`${path}/purge`)).status, 400, 'not without a removal');
      assert.deepEqual(await act('hold'), [true, 'held']);
      assert.deepEqual(await act('hold'), [false, 'held']);
      assert.deepEqual(await act('release'), [true, 'published']);
      assert.deepEqual(await act('remove'), [true, 'removed']);
      assert.deepEqual(await act('restore'), [true, 'published']);
      await act('remove');
      assert.deepEqual(await act('purge'), [true, undefined]);
      assert.equal((await desk.get(path)).status, 404);
      const { items } = (await desk.get(`/audit?targetKey=${keys[kind]}&limit=6`)).body;
      const kindOf = kind.slice(0, -1);
      assert.deepEqual(
        items.map(({ action }: { action: string }) => action.replace(`${kindOf}.`, '')).toSorted(),
        ['hold', 'purge', 'release', 'remove', 'remove', 'restore'],
      );
      for (const item of items) {
        assert.deepEqual([item.tokenId, item.address], [tokenId, '127.0.0.1']);
        if (item.action !== 'image.purge') assert.equal(item.details.reason, 'spam');
      }
    }
  });

  it('revisions are listed, compared and restored; the last content is a revision then', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    await seedEveryKind(desk);
    const revisions = async () =>
      (await desk.get('/articles/a-1/revisions')).body.items.map(
        ({ revision }: { revision: number }) => revision,
      );
    assert.deepEqual(await revisions(), [2, 1]);
    const { body } = await desk.get('/articles/a-1/revisions/2');
    assert.deepEqual(body.changes, [{ field: 'caption', before: 'Flat', after: 'Flat to let' }]);
    assert.deepEqual(body.content, [
      { kind: 'same', text: 'one' },
      { kind: 'removed', text: 'two' },
      { kind: 'added', text: '2' },
      { kind: 'same', text: 'three' },
    ]);
    const restored = await desk.post('/articles/a-1/revisions/1/restore');
    assert.deepEqual([restored.body.item.caption, restored.body.item.revision], ['Flat', 3]);
    assert.deepEqual(await revisions(), [3, 2, 1]);
    assert.equal((await desk.post('/articles/a-1/revisions/1/restore')).body.changed, false);
    assert.equal((await desk.post('/articles/a-1/revisions/9/restore')).status, 404);
    assert.equal((await desk.post('/articles/a-1/revisions/x/restore')).status, 400);
  });

  it('what the site shows is made and edited, and an edit of an old version does nothing', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const made = await desk.post('/articles', {
      ...{ guid: 'n-1', caption: 'Piano', content: 'Black', createUserId: 'ada' },
      pinnedTopDueDate: '2031-05-06T07:08:00.000Z',
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.equal(made.body.item.createUserId, 'ada');
    assert.equal((await desk.post('/articles', { guid: 'n-1', caption: 'other' })).status, 409);
    assert.equal((await desk.post('/articles', { content: '\u200b' })).body.parameter, 'caption');
    const text = `${'long '.repeat(100_000)}end`;
    const edit = { content: text, pinnedTopDueDate: null, categoryGuid: 'music' };
    const { item } = (await desk.ask('PATCH', '/articles/n-1', edit)).body;
    assert.deepEqual(
      [
        item.caption,
        item.content === text,
        item.pinnedTopDueDate,
        item.categoryGuid,
        item.revision,
      ],
      ['Piano', true, null, 'music', 2],
    );
    const nothing = await desk.ask('PATCH', '/articles/n-1', { caption: '', content: null });
    assert.deepEqual([nothing.status, nothing.body.parameter], [400, 'caption']);
    const unreadable = await desk.ask('PATCH', '/articles/n-1', { caption: 'a\u0001' });
    assert.deepEqual([unreadable.status, unreadable.body.parameter], [400, 'caption']);

    const advert = await desk.post('/adverts', { title: 'Bikes', linkUrl: 'example.com/b' });
    assert.equal(advert.body.item.linkUrl, 'http://example.com/b');
    const path = `/adverts/${advert.body.item.guid}`;
    assert.equal((await desk.ask('PATCH', path, { isImage: true })).body.parameter, 'imgGuid');
    const repaired = await desk.ask('PATCH', path, { title: 'Bicycles', detail: 'All of them' });
    assert.deepEqual([repaired.body.changed, repaired.body.item.title], [true, 'Bicycles']);
    assert.equal((await desk.ask('PATCH', path, { title: 'Bicycles' })).body.changed, false);

    const { item: link } = (await desk.post('/links', { orgUrl: 'https://example.com/one' })).body;
    const follow = async () => (await exchange(`${desk.url}/s/${link.code}`)).headers.location;
    assert.equal(await follow(), 'https://example.com/one');
    const there = { orgUrl: 'https://example.com/two' };
    await desk.ask('PATCH', `/links/${link.code}`, there);
    assert.equal(await follow(), 'https://example.com/two');
    assert.equal((await desk.post('/links', there)).body.item.code, link.code, 'it is found again');
    for (const orgUrl of [link.url, `https://other.example/s/${link.code}`]) {
      const loop = await desk.ask('PATCH', `/links/${link.code}`, { orgUrl });
      assert.equal(loop.body.code, 'DestinationBlocked', orgUrl);
    }
    assert.equal((await desk.ask('PATCH', '/links/none', there)).status, 404);

    const headers = { Authorization: `Bearer ${desk.tokens.manage}` };
    const send = async (query: string, body: Uint8Array, type = 'image/png') => {
      const url = `${desk.url}/api/v1/images${query}`;
      return JSON.parse((await postTo(url, body, { ...headers, 'Content-Type': type })).body);
    };
    const picture = (await send('?linkGuid=n-1&isIcon=true', blackPng(4, 3))).item;
    assert.deepEqual([picture.linkGuid, picture.width, picture.isIcon], ['n-1', 4, true]);
    const other = (await send(`?fileGuid=${picture.fileGuid}`, blackPng(5, 3))).item;
    assert.deepEqual([other.linkGuid, other.width, other.isIcon], ['n-1', 5, true]);
    assert.equal((await send('', Buffer.from('no picture'))).parameter, 'file');
    const empty = await send('', Buffer.alloc(0));
    assert.deepEqual([empty.code, empty.parameter], ['MissingParameter', 'file']);
    const form = await send('', Buffer.from('--x--'), 'multipart/form-data; boundary=x');
    assert.deepEqual([form.code, form.parameter], ['UnsupportedMediaType', 'file']);
  });

  it('nobody acts for a user who is blocked', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    await seedEveryKind(desk);
    const { body } = await desk.post('/tokens', {
      scopes: ['articles', 'mail'],
      kind: 'user',
      userId: 'ada',
    });
    const insert = (token: string, more = {}) =>
      JSON_BINDING.call(desk.url, 'InsertArticle', {
        token,
        guid: randomUUID(),
        caption: 'x',
        ...more,
      });
    assert.equal((await insert(body.token)).status, 200);
    assert.equal(
      (await desk.post('/users/ada/block', { reason: 'spam' })).body.item.blockedAt === null,
      false,
    );
    assert.deepEqual(
      [(await insert(body.token)).code, (await insert(body.token)).status],
      ['Forbidden', 403],
    );
    assert.equal((await insert(desk.tokens.articles, { CreateUserId: 'ada' })).code, 'Forbidden');
    assert.equal((await insert(desk.tokens.articles, { CreateUserId: 'bob' })).status, 200);
    await desk.post('/users/ada/unblock');
    assert.equal((await insert(body.token)).status, 200);
    assert.equal((await insert(desk.tokens.articles, { CreateUserId: 'ada' })).status, 200);
  });

  it('links, tokens and users do what they are told', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const follow = async () => (await exchange(`${desk.url}/s/${keys.links}`)).status;
    assert.equal(await follow(), 302);
    await desk.post(`/links/${keys.links}/disable`);
    assert.equal(await follow(), 410);
    await desk.post(`/links/${keys.links}/enable`);
    assert.equal(await follow(), 302);

    const made = await desk.post('/tokens', { scopes: ['read'], label: 'eyes' });
    assert.equal((await desk.ask('GET', '/articles', undefined, made.body.token)).status, 200);
    const { body: tokens } = await desk.get('/tokens?q=eyes');
    assert.ok(!JSON.stringify(tokens).includes(made.body.token), 'the text is shown once');
    await desk.post(`/tokens/${made.body.item.id}/revoke`);
    assert.equal((await desk.ask('GET', '/articles', undefined, made.body.token)).status, 401);

    const edited = await desk.ask('PATCH', '/users/ada', {
      cellPhone: '+1 212 555 0199',
      city: null,
      name: 'A. L.',
    });
    assert.deepEqual(
      [edited.body.item.cellPhone, edited.body.item.name],
      ['+12125550199', 'A. L.'],
    );
    assert.equal((await desk.ask('PATCH', '/users/ada', { cellPhone: 'x' })).status, 400);
    assert.equal((await desk.ask('PATCH', '/users/none', { city: 'x' })).status, 404);
  });

  it('a mail is cancelled, queued again and its recipient suppressed; its body is for moderators', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const path = `/mails/${keys.mails}`;
    assert.equal((await desk.get(path)).body.body, 'Secret');
    assert.equal('body' in (await desk.ask('GET', path, undefined, desk.tokens.read)).body, false);
    // Each state that it can be cancelled in comes back: a kept mail is not sent because somebody pressed "Undo".
    const putInto = (state: 'kept' | 'queued' | 'deferred') =>
      desk.store.write((tx) =>
        tx
          .updateTable('outbox')
          .set({ state, due_at: state === 'kept' ? null : 1 })
          .where('id', '=', keys.mails)
          .execute(),
      );
    const due = () =>
      desk.store.read((db) =>
        db
          .selectFrom('outbox')
          .select('due_at')
          .where('id', '=', keys.mails)
          .executeTakeFirstOrThrow(),
      );
    for (const state of ['kept', 'deferred', 'queued'] as const) {
      await putInto(state);
      assert.equal((await desk.post(`${path}/cancel`)).body.item.status, 'cancelled');
      assert.equal((await due()).due_at, null);
      assert.equal((await desk.post(`${path}/uncancel`)).body.item.status, state);
      assert.equal((await due()).due_at === null, state === 'kept');
      assert.equal(
        (await desk.post(`${path}/uncancel`)).body.code,
        'InvalidParameter',
        'it is not cancelled',
      );
    }
    // Without a record of the cancel, nothing is sent.
    await desk.store.write((tx) =>
      tx
        .updateTable('outbox')
        .set({ state: 'cancelled', due_at: null })
        .where('id', '=', keys.mails)
        .execute(),
    );
    await desk.store.write((tx) => tx.deleteFrom('audit').execute());
    assert.equal((await desk.post(`${path}/uncancel`)).body.item.status, 'kept');
    const inVain = await desk.post(`${path}/retry`);
    assert.deepEqual([inVain.status, inVain.body.code], [400, 'InvalidParameter']);
    assert.equal(inVain.body.detail, 'There is no mail server yet.');
    assert.equal((await desk.get(path)).body.status, 'kept');
    await desk.post(`${path}/suppress`, { reason: 'asked for it' });
    assert.equal((await desk.get('/suppressions/grace@example.com')).body.detail, 'asked for it');
    assert.equal((await desk.post(`${path}/unsuppress`)).body.changed, true);
    assert.equal((await desk.get('/suppressions/grace@example.com')).status, 404);
    assert.equal((await desk.post(`${path}/unsuppress`)).body.changed, false);
    await desk.post(`${path}/suppress`);
    assert.equal((await desk.ask('DELETE', '/suppressions/grace@example.com')).body.changed, true);
    assert.equal((await desk.get('/suppressions/grace@example.com')).status, 404);
  });

  it('a code for a phone is shown nowhere, its steps are', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const phone = '+12125550123';
    const code = await callOperation(desk, 'CreateVerifyCode', { userId: 'eve', cellphone: phone });
    assert.match(code, /^\d{4,8}$/);
    await callOperation(desk, 'VerifyCodeForPhone', {
      userId: 'eve',
      cellphone: phone,
      VerifyCode: code,
    });
    const { body } = await desk.get('/codes?userId=eve');
    assert.deepEqual(
      body.items.map(({ step }: { step: string }) => step),
      ['verified', 'attempted', 'created'],
    );
    const seen = [body];
    for (const path of [
      '/audit',
      '/sms',
      '/users/eve',
      '/users/eve/verifications',
      '/search?q=eve',
    ]) {
      seen.push((await desk.get(path)).body);
    }
    assert.ok(!JSON.stringify(seen).includes(`"${code}"`));
    assert.equal((await desk.get('/users/eve/verifications')).body.items[0].phone, phone);
  });

  it('one box finds what happened to a number, in every writing, and shows the whole number nowhere', async (t) => {
    const desk = await openApiDesk(t, fresh, { DEFAULT_COUNTRY: 'CN' });
    const cellphone = '13812345678';
    const make = (params: Record<string, string>) =>
      callOperation(desk, 'CreateVerifyCode', params);
    // No text message leads from the number to these: there is no gateway.
    for (const params of [{ cellphone }, { cellphone, userId: 'bob' }]) {
      await make(params);
      await callOperation(desk, 'VerifyCodeForPhone', { ...params, VerifyCode: '1' });
    }
    const steps = (await desk.get('/codes')).body.items as Readonly<Record<string, string>>[];
    assert.deepEqual(
      steps.map(({ userId, step }) => [userId, step]),
      ['bob', null].flatMap((user) => ['attempted', 'created'].map((step) => [user, step])),
    );
    // Other numbers of the same user, and of nobody; what is seen of one looks the same.
    await make({ cellphone: '13812345699', userId: 'bob' });
    await make({ cellphone: '13912345678' });
    for (const q of [
      ...['+8613812345678', '008613812345678', '13812345678', '8613812345678'],
      ...['(138) 1234-5678', 'tel:+86-138-1234-5678', '（＋８６）１３８–１２３４–５６７８'],
    ]) {
      const { items } = (await desk.get(`/search?q=${encodeURIComponent(q)}`)).body;
      const found = items.filter(({ kind }: { kind: string }) => kind === 'codes');
      assert.deepEqual(
        found.map(({ key }: { key: string }) => key).toSorted(),
        steps.map(({ id }) => id).toSorted(),
        q,
      );
      assert.ok(!JSON.stringify([items, steps]).includes('1381234'), 'no whole number');
    }
  });

  it('a picture that is held is gone for the public; who may read its record still sees it', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    await seedEveryKind(desk);
    const { url } = (await desk.get('/images/i-1')).body;
    const open = async () => (await exchange(url)).status;
    assert.equal(await open(), 200);
    await desk.post('/images/i-1/hold');
    assert.deepEqual([await open(), (await desk.get('/images/i-1')).body.url], [410, null]);
    for (const [size, token] of [
      ['full', desk.tokens.manage],
      ['icon', desk.tokens.read],
    ]) {
      const headers = { Authorization: `Bearer ${token}` };
      const picture = await fetch(`${desk.url}/api/v1/images/i-1/file?size=${size}`, { headers });
      const bytes = Buffer.from(await picture.arrayBuffer());
      assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
      assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
    }
  });

  it('a body must be what it says', async (t) => {
    const desk = await openApiDesk(t, fresh);
    assert.equal((await desk.ask('POST', '/users', '{')).body.code, 'MalformedRequest');
    assert.equal((await desk.ask('POST', '/users', {})).body.code, 'MissingParameter');
    assert.match(
      (await desk.ask('POST', '/users', { id: 'x', role: 'owner' })).body.detail,
      /"role" is no member here/,
    );
    const headers = { Authorization: `Bearer ${desk.tokens.manage}`, 'Content-Type': 'text/plain' };
    const plain = await postTo(`${desk.url}/api/v1/users`, '{"id":"x"}', headers);
    assert.equal(plain.status, 415);
  });
});
