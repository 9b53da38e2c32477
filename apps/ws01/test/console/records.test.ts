import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { apiOfSession, sessionOf, visitor } from './kit/browser.ts';
import { call, filledService, report } from './kit/filled.ts';

test('what an author moved to the trash is restored or deleted; a code has a timeline, and its user the verified number', async (t) => {
  const service = await filledService(t);
  const { act, open } = visitor(service, await sessionOf(service, 'owner', 'ada'));
  await call(service, 'DeleteArticleByGuid', { guid: 'bike-1', createuserid: 'bob' });
  const verbs = [
    ...(await open('/console/articles/bike-1')).matchAll(/name="(?:verb|now)" value="(\w+)"/g),
  ];
  assert.deepEqual(
    verbs.map(([, verb]) => verb).filter((verb) => verb === 'restore' || verb === 'purge'),
    ['restore', 'purge'],
  );
  await act('articles', 'restore', 'bike-1');
  assert.doesNotMatch(await open('/console/articles/bike-1'), /value="(?:restore|purge)"/);

  const asked = { userId: 'eve', cellphone: '+14155550199' };
  const code = await call(service, 'CreateVerifyCode', asked);
  await call(service, 'VerifyCodeForPhone', {
    ...asked,
    VerifyCode: code === '000000' ? '111111' : '000000',
  });
  await call(service, 'VerifyCodeForPhone', { ...asked, VerifyCode: code });
  const page = await open(
    /href="(\/console\/codes\/[^"]+)"/.exec(await open('/console/codes?userId=eve'))![1]!,
  );
  const [, steps = ''] = /<h2 id="timeline">Timeline<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
  const told = [...steps.matchAll(/<li>(.*?)<\/li>/gs)].map(([, step]) =>
    step!
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  assert.equal(told.length, 4, told.join('\n'));
  assert.match(told[0]!, /^\S+ \d\d:\d\d:\d\d UTC A code was asked for, from 127\.0\.0\.1$/);
  assert.match(told[1]!, /No text message went out, because no SMS gateway is set \( SMS_URL \)/);
  assert.match(told[2]!, /^wrong .* Entered wrong, try 1 of 5\.$/);
  assert.match(told[3]!, /^verified .* Entered right, try 2 of 5\.$/);
  assert.match(await open('/console/users/eve'), /<td[^>]*>\+14155550199<\/td>/);
});

test('why a code and a picture did not arrive is on their pages; what happened has words of the language', async (t) => {
  const gateway = await startHttpGateway(t);
  gateway.answer = { status: 400, body: 'no such number' };
  const service = await filledService(t, {
    ...{ ...SEEDED_SETTINGS, SMS_URL: gateway.url, WEBHOOK_NETWORKS: '127.0.0.1' },
  });
  const cookie = await sessionOf(service, 'owner', 'ada');
  const { open } = visitor(service, cookie);
  const first = async (list: string) => {
    const found = async () =>
      new RegExp(`<div id="list".*?href="(/console/${list}/[^"?]+)"`, 's').exec(
        await open(`/console/${list}`),
      )?.[1];
    await until(async () => (await found()) !== undefined);
    return (await found())!;
  };
  const code = await first('codes');
  await until(async () => (await open(code)).includes('HTTP 400: no such number'));
  const text = /id="timeline".*?href="(\/console\/sms\/[^"]+)"/s.exec(await open(code));
  assert.match(
    await open(text![1]!),
    /HTTP 400: no such number.*The gateway refused it permanently/s,
  );

  const body = new URLSearchParams({ verifyCode: TOKEN, FileGuid: 'p-1', Link_Guid: 'flat' });
  body.set('FileImg', Buffer.from('no picture').toString('base64'));
  await fetch(`${service.url}/WS01.asmx/InsertArticleImageFile`, { method: 'POST', body });
  const refused = await open(await first('failures'));
  assert.match(refused, /<h1>The file is no JPEG, PNG, GIF/);
  assert.match(refused, /p-1/);
  assert.match(refused, /op=InsertArticleImageFile">What this operation takes</);

  await apiOfSession(service, cookie)('POST', '/webhooks', {
    ...{ url: `${gateway.url}/hook`, types: ['article.*'] },
  });
  await call(service, 'InsertArticle', { guid: 'bike-4', caption: 'Bicycle', content: 'New.' });
  const headers = { Cookie: cookie, 'Accept-Language': 'zh-CN' };
  const inChinese = async (path: string) => (await fetch(service.url + path, { headers })).text();
  const delivery = await first('deliveries');
  assert.match(await inChinese('/console/deliveries'), />文章：创建</);
  assert.match(await inChinese(delivery), /<span class="word" title="article">文章</);
  const users = await open('/console/users/ada');
  for (const [list, filter] of [
    ['adverts', 'createUserId'],
    ['codes', 'userId'],
  ]) {
    const path = `/console/${list}?${filter}=ada`;
    assert.ok(users.includes(`href="${path}"`), path);
    assert.doesNotMatch(await open(path), /were ignored|No records/, path);
  }
  await report(service, 'piano');
  const reported = await first('reports');
  assert.match(await inChinese(reported), /<h1>垃圾信息</);
  assert.match(await open(reported), /<h1>spam</);
});

test('records of any key are found, shown, taken down and exported', async (t) => {
  const service = await startService(t);
  const headers = { Cookie: await sessionOf(service, 'owner', 'ada') };
  const { act, open } = visitor(service, headers.Cookie);
  const titleOf = (page: string) => /<h1>([^<]*)<\/h1>/.exec(page)?.[1];
  /** Where the links of a page lead, as browsers resolve them. */
  const linksOf = (page: string) =>
    [...page.matchAll(/href="([^"]*)"/g)].map(
      ([, path]) => new URL(path!.replaceAll('&#39;', "'"), service.url).pathname,
    );
  const keys = ['.', '..', 'new', '%2e', 'a/b?c#d', 'x%20y', "o'brien", '漢字', '=1+1;@a'];
  for (const [number, guid] of keys.entries()) {
    await call(service, 'addNewAdvert', { guid, title: `Advert ${number}`, CreateUserId: guid });
  }
  const list = linksOf(await open('/console/adverts')).filter(
    (path) => path.startsWith('/console/adverts/') && path !== '/console/adverts/new',
  );
  assert.equal(list.length, keys.length, list.join(' '));
  const titles = await Array.fromAsync(list, async (path) => titleOf(await open(path)));
  assert.deepEqual(titles.toSorted(), keys.map((_, number) => `Advert ${number}`).toSorted());
  for (const [number, key] of keys.entries()) {
    assert.match(await act('adverts', 'remove', key), /Taken down\./, key);
    const found = linksOf(await open(`/console/search?${new URLSearchParams({ q: key })}`));
    assert.ok(
      found.includes(list.find((_, at) => titles[at] === `Advert ${number}`)!),
      `${key}: ${found.join(' ')}`,
    );
  }
  const users = linksOf(await open('/console/users')).filter((path) =>
    /^\/console\/users\/(?!(?:new|ws01)$)/.test(path),
  );
  // One after the other, as a person does: all at once may be over the searches that may wait.
  const names = await Array.fromAsync(users, async (path) => titleOf(await open(path)));
  assert.deepEqual(names.toSorted(), keys.map((key) => key.replace("'", '&#39;')).toSorted());
  for (const path of users) {
    const answer = await fetch(`${service.url}${path}/export.json`, { headers });
    const { person } = (await answer.json()) as { person: string };
    assert.ok(keys.includes(person), path);
    // The name of the file, and nothing else (RFC 8187).
    const [, name] = /^attachment; filename="person\.json"; filename\*=UTF-8''([\w%.~!-]+)$/.exec(
      answer.headers.get('content-disposition') ?? '',
    ) ?? ['', ''];
    assert.equal(decodeURIComponent(name!), `${person}.json`);
  }
  // A search ends after 200 characters, also within one that takes two.
  const long = `${'a'.repeat(199)}😀`;
  assert.match(
    await open(`/console/search?${new URLSearchParams({ q: long })}`),
    /Nothing was found/,
  );
});
