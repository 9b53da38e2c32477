import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { HOSTILE_TITLES, TURNING } from '../kit/hostile-texts.ts';
import { startService, type TestService } from '../kit/service.ts';
import { sessionOf, visitor } from './kit/browser.ts';
import { call, filledService, report } from './kit/filled.ts';

/** The pages of the console, as text without marks between lines, for somebody of a role. */
async function readerOf(service: TestService, role: 'owner' | 'moderator', language = 'en') {
  const headers = {
    Cookie: await sessionOf(service, role, `${role} ${language}`),
    'Accept-Language': language,
  };
  const open = async (path: string) => (await fetch(service.url + path, { headers })).text();
  return { open, lines: async (path: string) => linesOf(await open(path)) };
}

/** The lines of the details of the audit trail on a page, without their elements. */
const linesOf = (page: string): string[] =>
  [...page.matchAll(/<ul class="plain told">(.*?)<\/ul>/gs)].flatMap(([, list]) =>
    [...list!.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line]) =>
      line!
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );

test('the history says what was changed, from what to what', async (t) => {
  const service = await startService(t);
  const article = { guid: 'flat', content: 'One.', CreateUserId: 'ada' };
  await call(service, 'InsertArticle', { ...article, caption: 'a' });
  await call(service, 'InsertArticle', { ...article, caption: 'b' });
  await call(service, 'InsertArticle', { ...article, caption: 'b', content: 'Two.' });
  await call(service, 'UpdateArticleCategory', { guid: 'flat', cateId: 'homes' });
  await call(service, 'updateUserInfo', { userId: 'ada', firstName: 'Ada', city: 'Turin' });
  await call(service, 'updateUserInfo', { userId: 'ada', firstName: 'Augusta', city: 'Turin' });

  const owner = await readerOf(service, 'owner');
  assert.deepEqual(await owner.lines('/console/articles/flat'), [
    'Category: – → homes',
    'Revision 3',
    'Text changed',
    'Revision 2',
    'Caption: a → b',
    'Revision 1',
  ]);
  assert.deepEqual(await owner.lines('/console/users/ada'), [
    'First name: Ada → Augusta',
    'First name: – → Ada',
    'City: – → Turin',
  ]);
  // The whole trail, the page of an entry, the overview and a download tell the same.
  const told = [
    ...(await owner.lines('/console/users/ada')),
    'Category: – → homes',
    'Caption: a → b',
  ];
  for (const path of ['/console/audit', '/console']) {
    const lines = await owner.lines(path);
    for (const line of told)
      assert.ok(lines.includes(line), `${path}: ${line} of ${lines.join('\n')}`);
  }
  const [, entry] = /href="(\/console\/audit\/[^"]+)"/.exec(
    await owner.open('/console/audit?action=user.update'),
  )!;
  assert.deepEqual(await owner.lines(entry!), ['First name: Ada → Augusta']);
  const exported = await owner.open('/console/audit.csv');
  for (const line of ['Caption: a → b', 'First name: – → Ada; City: – → Turin'])
    assert.ok(exported.includes(line), exported);
  const chinese = await readerOf(service, 'owner', 'zh-CN');
  assert.ok((await chinese.lines('/console/articles/flat')).includes('标题：a → b'));
});

test('a report is called what it is about, an image is its picture, an edited advert says what changed', async (t) => {
  const service = await filledService(t);
  const owner = await readerOf(service, 'owner');
  const desk = visitor(service, await sessionOf(service, 'owner', 'desk'));
  const { items } = (await desk.api('GET', '/adverts?limit=1')).body;
  const { guid, title } = items[0];
  await report(service, guid);
  const edited = { title: 'A title', detail: 'Other words', linkTxt: 'Look' };
  await desk.api('PATCH', `/adverts/${guid}`, edited);
  await desk.api('PATCH', `/adverts/${guid}`, {
    title: 'Another',
    showDeadLine: '2031-05-06T00:00:00Z',
  });
  await desk.api('PATCH', '/articles/flat', { iconGuid: 'photo' });
  const page = await owner.open('/console/audit');
  const rowOf = (action: string) =>
    [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).find((row) => row.includes(action))!;
  const called = /href="\/console\/reports\/[^"]+"[^>]*><bdi>([^<]*)</.exec(
    rowOf('report: created'),
  );
  assert.equal(called?.[1], 'Another');
  assert.match(rowOf('image: created'), /<img class="thumb" src="\/media\/[^"]+" alt="photo"/);
  assert.match(rowOf('article: replaced'), /Icon: – → <ins><a [^>]*><img class="thumb"/);
  const changes = [
    'Title: A title → Another',
    /^Until: – → 2031-05-0/,
    `Title: ${title} → A title`,
    'Changed: Details',
    'Text of the link: – → Look',
  ];
  for (const path of [`/console/adverts/${guid}`, '/console/audit?action=advert.edit']) {
    const lines = await owner.lines(path);
    assert.equal(lines.length, changes.length, lines.join('\n'));
    for (const [at, change] of changes.entries()) assert.match(lines[at]!, RegExp(change));
  }
  // Who may not read a user's data reads none here.
  const moderator = await readerOf(service, 'moderator');
  assert.deepEqual(await moderator.lines('/console/audit?action=user.update'), []);
});

test('a link, and the role of an admin, say what they were and are', async (t) => {
  const service = await filledService(t);
  const owner = await readerOf(service, 'owner');
  const desk = visitor(service, await sessionOf(service, 'owner', 'desk'));
  const [link] = (await desk.api('GET', '/links')).body.items;
  await desk.api('PATCH', `/links/${link.code}`, { deadline: '2031-05-06T00:00:00Z' });
  await desk.api('PATCH', `/links/${link.code}`, { orgUrl: 'https://example.org/b' });
  const lines = await owner.lines(`/console/links/${link.code}`);
  assert.equal(lines[0], `Leads to: ${link.orgUrl} → https://example.org/b`);
  assert.match(lines[1]!, /^Until: – → 2031-05-0/);
  const added = await desk.api('POST', '/admins', { name: 'mia', role: 'reader' });
  await desk.api('PATCH', `/admins/${added.body.item.id}`, { role: 'moderator' });
  assert.deepEqual(await owner.lines('/console/audit?action=admin.role'), [
    'Role: reader → moderator',
  ]);
});

test('a purged advert leaves which members were changed, and no words', async (t) => {
  const service = await filledService(t);
  const owner = await readerOf(service, 'owner');
  const desk = visitor(service, await sessionOf(service, 'owner', 'desk'));
  await desk.api('PATCH', '/adverts/spam', {
    title: 'Free phones',
    linkTxt: 'Here',
    detail: 'Now',
  });
  await desk.api('POST', '/adverts/spam/remove', { reason: 'Spam.' });
  await desk.api('POST', '/adverts/spam/purge', { reason: 'Spam.' });
  const trail = await owner.open('/console/audit?action=advert.edit');
  assert.doesNotMatch(trail, /Win a phone|Free phones/);
  assert.deepEqual(await owner.lines('/console/audit?action=advert.edit'), [
    'Changed: Title, Text of the link, Details',
  ]);
  assert.match(trail, /desk/, 'and who did it');
});

test('details that no page knows are names and values, whatever they hold', async (t) => {
  const service = await startService(t);
  const store = await service.database.open();
  const rare = { depth: { of: { a: 'well' } }, list: [1, { two: 2 }], Größe: true, none: null };
  const hostile = Object.fromEntries(HOSTILE_TITLES.map((text, at) => [`h${at}`, text]));
  const keys = { claimedUser: '\ud800', writtenBy: 'k'.repeat(2_000) };
  const token = {
    before: 'articles; A; b; never',
    after: 'articles mail; A; c; 2027-01-01T00:00:00.000Z',
  };
  const webhook = { before: 'https://a.example/; ; x', after: 'https://a.example/; user.block; x' };
  const told = [
    ['future.thing', rare],
    ['future.thing', hostile],
    ['future.thing', keys],
    ['token.edit', token],
    ['webhook.edit', webhook],
  ] as const;
  for (const [at, [action, details]] of told.entries()) {
    const row = {
      ...{ id: `01a222cb-0000-7000-8000-00000000000${at}`, at: Date.now(), token_id: null },
      ...{ action, target_kind: 'future', target_key: 'x', address: null },
      ...{ details: JSON.stringify(details), request_id: null },
    };
    await store.write((tx) => tx.insertInto('audit').values(row).execute());
  }
  const owner = await readerOf(service, 'owner');
  const lines = await owner.lines('/console/audit');
  const changes = [
    'Scopes: articles → articles, mail',
    'Label: A; b → A; c',
    /^Expires: never → 2027-01-01/,
    'Event types: – → user.block',
  ];
  for (const change of changes)
    assert.ok(
      lines.some((line) => (typeof change === 'string' ? line === change : change.test(line))),
      `${change} among ${lines.join('\n')}`,
    );
  for (const line of ['Depth.of.a: well', 'List.0: 1', 'List.1.two: 2', 'Größe: yes', 'None: –'])
    assert.ok(lines.includes(line), `${line} among ${lines.join('\n')}`);
  assert.ok(lines.includes('H0: [U+200B][U+200B][U+200B]'), 'what nobody sees is named');
  assert.ok(
    !lines.some((line) => /[{}[\]]/.test(line.replaceAll(/\[U\+\w+\]/g, ''))),
    lines.join('\n'),
  );
  const page = await owner.open('/console/audit');
  assert.ok(!/<(?:b data-evil|script>|img src=x)/.test(page) && !page.includes(TURNING));
});

test('records that a page tells of are called by name, to who may read the name', async (t) => {
  const service = await startService(t);
  const store = await service.database.open();
  await call(service, 'InsertArticle', { guid: 'flat', caption: 'A flat', CreateUserId: 'ada' });
  await call(service, 'InsertArticle', { guid: 'seen', caption: TURNING, CreateUserId: 'ada' });
  await call(service, 'updateUserInfo', { userId: 'ada', firstName: 'Ada', lastName: 'Byron' });
  await call(service, 'submitReview', { id: 'flat', Mark: '', userId: 'bob', IsPositive: 'true' });
  const [token] = await store.read((db) => db.selectFrom('tokens').select('id').execute());

  const owner = await readerOf(service, 'owner');
  const list = await owner.open('/console/articles');
  assert.match(list, /href="\/console\/users\/ada" title="ada"><bdi>Ada Byron<\/bdi>/);
  const record = await owner.open('/console/articles/flat');
  assert.match(record, /<h1>A flat<\/h1>/);
  assert.ok(record.includes(`data-copy value="${token!.id}"`), 'the whole key can be copied');
  assert.ok(record.includes(`>${token!.id.slice(0, 8)}…<`), 'and is shown in short');
  const audit = await owner.open('/console/audit');
  assert.match(audit, /href="\/console\/articles\/flat" title="flat"><bdi>A flat<\/bdi>/);
  assert.ok(audit.includes('<bdi>[U+202E]gpj.hcaeb</bdi>'), 'what would turn the text is shown');
  assert.match(audit, /href="\/console\/admins\/[\w-]+" title="[\w-]+"><bdi>owner en<\/bdi>/);
  const reviews = await owner.open('/console/reviews');
  assert.match(reviews, /title="flat"><bdi>A flat<\/bdi>/);
  const [, review] = /href="(\/console\/reviews\/[\w-]+)">About: A flat<\/a>/.exec(reviews) ?? [];
  assert.ok(review, 'a vote without a word is named by what it is about');
  assert.match(await owner.open(review), /<h1>About: A flat<\/h1>/);

  const moderator = await readerOf(service, 'moderator');
  for (const path of words('articles articles/flat reviews audit users/ada search?q=ada')) {
    const page = await moderator.open(`/console/${path}`);
    assert.ok(/ada|bob/.test(page) && !page.includes('Byron'), path);
  }
});

test('an attempt to give a phone code has its outcome, a test mail why it was not sent', async (t) => {
  // Nobody listens at port 9.
  const service = await startService(t, undefined, {
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
  const asked = { userId: 'eve', cellphone: '+14155550199' };
  const code = await call(service, 'CreateVerifyCode', asked);
  const wrong = code === '000000' ? '000001' : '000000';
  for (const VerifyCode of [wrong, code])
    await call(service, 'VerifyCodeForPhone', { ...asked, VerifyCode });
  const owner = await readerOf(service, 'owner');
  const lines = await owner.lines('/console/audit?action=code.attempt');
  const outcomes = lines.filter((line) => line.startsWith('Outcome'));
  assert.deepEqual(outcomes, ['Outcome: right code', 'Outcome: wrong code']);
  const steps = await owner.open('/console/codes');
  const tags = [...steps.matchAll(/<span class="tag[^>]*>([^<]+)</g)].map(([, word]) => word);
  // What was made of a code stands where it was asked for.
  assert.deepEqual(tags, ['verified', 'right code', 'wrong code', 'created', 'verified']);

  const cookie = await sessionOf(service, 'owner', 'ada');
  const trial = await visitor(service, cookie).api('POST', '/mail-server/test', {
    to: 'eve@example.com',
  });
  assert.equal(trial.body.isSent, false);
  const told = await owner.lines('/console/audit?action=mail.test');
  assert.equal(told[0], 'Sent: no');
  assert.match(told[1]!, /^Reply: .*ECONNREFUSED.* Nothing listens/);
});
