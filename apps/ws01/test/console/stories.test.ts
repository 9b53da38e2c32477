import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Role } from '../../src/contract/roles.ts';
import type { Language } from '../../src/web/language.ts';
import { freshDatabase } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { spawnService } from '../kit/process.ts';
import { type TestService, TOKEN } from '../kit/service.ts';
import { apiOfSession, boxOf, DESKTOP, openSignedIn, PHONE, sessionOf } from './kit/browser.ts';
import { call, filledService, isListed } from './kit/filled.ts';
import { type Hands, handsOf, type Tool } from './kit/hands.ts';

/** What a task has to do with. */
interface Desk {
  readonly service: TestService;
  readonly page: Page;
  /** Of the mail that did not arrive. */
  readonly requestId: string;
  /** Reads the HTTP API as an owner. */
  readonly api: ReturnType<typeof apiOfSession>;
}

/** Adverts of the spammer: by day enough for two pages of a list. */
const SPAM = BY_NIGHT ? 400 : 60;
/** Articles that are judged one after the other: each takes what the others take. */
const JUDGED = BY_NIGHT ? 20 : 4;

/** A task that begins at the overview, or where the one before it ended. */
interface Task {
  /** As in the table of docs/console.md. */
  readonly name: string;
  /** Who has it. */
  readonly role: Role;
  readonly goesOn?: true;
  readonly work: (hands: Hands, desk: Desk) => Promise<void>;
  /** Whether it is done. */
  readonly isDone: (desk: Desk, hands: Hands) => Promise<unknown>;
}

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const isShown = (page: Page, text: string) => page.getByText(text).first().waitFor();

/** Opens the list and the record in it; by keyboard the search finds the record at once. */
async function open(hands: Hands, list: 'articles' | 'adverts' | 'tokens', record: string) {
  if (hands.tool === 'keys') return hands.find(record, record);
  await hands.visit(`kind.${list}`);
  await hands.press(record);
}

/** Does what cannot be undone: its name is typed. */
async function confirm(hands: Hands, verb: 'verb.revoke' | 'verb.erase', name: string) {
  await hands.unfold(hands.say(verb));
  await hands.fill(hands.say('act.type', { text: name }), name);
  await hands.submit(hands.say('act.confirm', { verb: hands.say(verb) }));
}

const TASKS: readonly Task[] = [
  {
    name: 'find an article that was just published',
    role: 'owner',
    work: (hands) => open(hands, 'articles', 'Bicycle 3 自行车'),
    async isDone({ page }) {
      await heading(page, 'Bicycle 3 自行车');
      await page.locator('.seen').getByText('New.').waitFor();
    },
  },
  {
    name: 'take a spam advert down',
    role: 'moderator',
    async work(hands, { page }) {
      const takeDown = hands.say('verb.remove');
      await open(hands, 'adverts', 'Win a car now!!!');
      if (hands.tool === 'taps') await isInView(page, takeDown);
      await hands.press(takeDown);
    },
    isDone: async ({ service }) => assert.equal(await isListed(service, 'Win a car'), false),
  },
  {
    name: 'undo that',
    role: 'moderator',
    goesOn: true,
    work: (hands) => hands.press(hands.say('act.undo')),
    async isDone({ service, page }, hands) {
      assert.equal(await isListed(service, 'Win a car'), true);
      await page.goto(`${service.url}/console/adverts/car`);
      const history = page.getByRole('group', { name: hands.say('detail.history') });
      const told = (await history.textContent()) ?? '';
      assert.match(told, /moderator/, 'who did it');
    },
  },
  {
    name: 'approve an article that waits',
    role: 'moderator',
    async work(hands) {
      const count = JUDGED + 1;
      await hands.press(`${count} ${hands.say('overview.pending', { count })}`);
      await hands.decide(hands.say('verb.publish'), 'p');
    },
    isDone: ({ page }) => isShown(page, 'Waits 1'),
  },
  {
    name: 'judge 20 that wait, on the desk',
    role: 'moderator',
    goesOn: true,
    async work(hands) {
      for (let number = 1; number <= JUDGED; number++)
        await hands.decide(hands.say('verb.publish'), 'p');
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('empty.desk')),
  },
  {
    name: 'take down 400 adverts of a spammer and block them',
    role: 'owner',
    async work(hands) {
      const ban = hands.say('verb.ban');
      await hands.find('mallory', 'mallory');
      await hands.unfold(ban);
      await hands.press(hands.say('act.confirm', { verb: ban }));
    },
    isDone: async ({ service }) => assert.equal(await isListed(service, 'Pills'), false),
  },
  {
    name: 'bring all of that back',
    role: 'owner',
    goesOn: true,
    work: (hands) => hands.press(hands.say('act.undo')),
    isDone: async ({ service }) => assert.equal(await isListed(service, 'Pills'), true),
  },
  {
    name: 'edit an article that one searches for',
    role: 'owner',
    async work(hands) {
      await hands.find('Flat', 'Flat to let');
      await hands.press(hands.say('verb.edit'));
      await hands.fill(hands.say('field.caption'), 'Flat is let');
      await hands.submit(hands.say('act.save'));
    },
    isDone: ({ page }) => heading(page, 'Flat is let'),
  },
  {
    name: 'change the mail server',
    role: 'owner',
    async work(hands) {
      const server = hands.say('kind.mail-server');
      if (hands.tool === 'keys') await hands.find(server, server);
      else {
        await hands.visit('kind.settings');
        await hands.press(server);
      }
      await hands.fill(hands.say('field.host'), 'mail.example.com');
      await hands.fill(hands.say('field.mail-server.sender'), 'market@example.com');
      await hands.submit(hands.say('act.save'));
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('mailServer.done')),
  },
  {
    name: 'the errors of SendEmail in the last 7 days',
    role: 'owner',
    async work(hands) {
      if (hands.tool === 'keys')
        await hands.find(
          'SendEmail',
          hands.say('action.pair', { thing: hands.say('overview.calls'), verb: 'SendEmail' }),
        );
      else await hands.press(hands.say('history.7d'));
      await hands.press('1');
    },
    isDone: ({ page }) => isShown(page, 'receiverEmail'),
  },
  {
    name: 'find a failed delivery to a webhook, send it again',
    role: 'owner',
    async work(hands) {
      const again = hands.say('verb.resend');
      await hands.visit('kind.deliveries');
      await hands.press(
        hands.say('action.pair', {
          thing: hands.say('action.article'),
          verb: hands.say('action.create'),
        }),
      );
      await hands.press(again);
      await hands.press(hands.say('act.confirm', { verb: again }));
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('did.resend')),
  },
  {
    name: 'find the steps of a phone code by its number',
    role: 'owner',
    work: (hands) => hands.find('+14155550123', '+*********23'),
    isDone: ({ page }, hands) => isShown(page, hands.say('value.created')),
  },
  {
    name: 'find why a mail did not arrive, in the outbox',
    role: 'owner',
    async work(hands) {
      await hands.visit('nav.inbox');
      await hands.press('Lost');
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('inbox.means.bounced')),
  },
  {
    name: 'the same by its request id, besides pasting it',
    role: 'owner',
    work: (hands, { requestId }) => hands.find(requestId, 'Lost'),
    isDone: ({ page }) => isShown(page, '5.1.1 No such user here'),
  },
  {
    name: 'make a token for an app',
    role: 'owner',
    async work(hands) {
      await hands.visit('kind.tokens');
      await hands.press(hands.say('create.title', { kind: hands.say('action.token') }));
      const means = hands.say('form.means', { text: hands.say('scope.articles') });
      await hands.check(`articles${means}`);
      await hands.submit(hands.say('create.submit'));
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('create.secret')),
  },
  {
    name: 'revoke a token',
    role: 'owner',
    async work(hands) {
      await open(hands, 'tokens', 'Partner');
      await confirm(hands, 'verb.revoke', 'Partner');
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('did.revoke')),
  },
  {
    name: 'erase a person',
    role: 'owner',
    async work(hands) {
      await hands.find('eve', 'eve');
      await confirm(hands, 'verb.erase', 'eve');
    },
    isDone: ({ page }, hands) => isShown(page, hands.say('did.erase')),
  },
];

/** It needs a service that is a process: the backup and its dry run are commands of its own. */
const RESTORE: Task = {
  name: 'restore a backup, having seen what that does',
  role: 'owner',
  async work(hands, { api }) {
    const { items } = await api('GET', '/backups');
    await hands.visit('kind.backups');
    await hands.press(items[0].name);
    await hands.press(hands.say('restore.see'));
    const text = items[0].name;
    await hands.fill(hands.say('act.type', { text }), text);
    await hands.submit(hands.say('restore.do'));
  },
  isDone: ({ page }, hands) => isShown(page, hands.say('restore.done')),
};

/** Waits until something is seen without scrolling, neither down nor sideways. */
async function isInView(page: Page, name: string): Promise<void> {
  // Until its style is there, all is elsewhere.
  await page.waitForLoadState();
  const box = await boxOf(page.getByRole('button', { name, exact: true }));
  const { width, height } = PHONE.viewport!;
  assert.ok(box.x >= 0 && box.x + box.width <= width, `${name} is beside the page`);
  assert.ok(box.y >= 0 && box.y + box.height <= height, `${name} is below the page`);
}

/** A site, and the sessions of its people. */
type Site = Omit<Desk, 'page'> & { readonly cookies: Readonly<Record<string, string>> };

/** A site with all that the tasks are about. */
async function siteOfTasks(t: TestContext): Promise<Site> {
  const [mail, hook] = [await startMailServer(t), await startHttpGateway(t)];
  mail.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user here' });
  hook.answer = { status: 503, body: 'closed for lunch' };
  const service = await filledService(t, { WEBHOOK_NETWORKS: '127.0.0.1', RATE_LIMITS: 'off' });
  const owner = await sessionOf(service, 'owner', 'ada');
  const api = apiOfSession(service, owner);
  const { port } = new URL(mail.url);
  await api('PATCH', '/mail-server', {
    ...{ host: '127.0.0.1', port: Number(port), security: 'unencrypted' },
    sender: 'site@example.com',
  });
  for (let number = 1; number <= JUDGED + 1; number++)
    await call(service, 'InsertArticle', {
      ...{ guid: `w-${number}`, caption: `Waits ${number}`, content: 'Text.' },
      ...{ CreateUserId: 'eve', Status: '2' },
    });
  for (let number = 1; number <= SPAM; number++)
    await call(service, 'addNewAdvert', {
      ...{ guid: `pills-${number}`, title: `Pills ${number}`, CreateUserId: 'mallory' },
    });
  const car = { guid: 'car', title: 'Win a car now!!!', CreateUserId: 'mallory' };
  await call(service, 'addNewAdvert', car);
  const fields = { authorizationUserId: TOKEN, subject: 'Lost', body: 'Hello' };
  const send = (receiverEmail: string) =>
    fetch(`${service.url}/WS01.asmx/SendEmail`, {
      method: 'POST',
      body: new URLSearchParams({ ...fields, receiverEmail }),
    });
  assert.equal((await send('no address')).status, 400);
  const sent = await send('nobody@example.com');
  assert.equal(sent.status, 200);
  await api('POST', '/tokens', { scopes: ['mail'], label: 'Partner' });
  await api('POST', '/webhooks', { url: hook.url, label: 'CRM', types: ['article.create'] });
  await call(service, 'InsertArticle', { guid: 'seen', caption: 'Seen', CreateUserId: 'bob' });
  await until(async () => {
    const { items } = await api('GET', '/deliveries?status=deferred');
    const { items: bounced } = await api('GET', '/mails?status=bounced');
    const { items: failed } = await api('GET', '/failures');
    return items.length > 0 && bounced.length > 0 && failed.length > 0;
  });
  const cookies = { owner, moderator: await sessionOf(service, 'moderator') };
  return { service, api, cookies, requestId: sent.headers.get('x-request-id')! };
}

/** A service that is a process, with a verified backup. */
async function siteWithBackup(t: TestContext): Promise<Site> {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const owner = await sessionOf(
    { database: { ...database, open: async () => store } },
    'owner',
    'ada',
  );
  // A database that another process has open is not replaced.
  await store.close();
  // Beside the data, the schedule begins with the first backup: none is made before its next time.
  const { url, output } = await spawnService(t, database);
  const service = { url, database } as TestService;
  const api = apiOfSession(service, owner);
  assert.deepEqual(await api('POST', '/backups'), { started: true });
  await until(async () => {
    const { items } = await api('GET', '/backups');
    assert.doesNotMatch(output(), /the backup failed/);
    return items[0]?.state === 'verified';
  }, output);
  return { service, api, cookies: { owner }, requestId: '' };
}

/** A tool and a language, with scripts or without. */
type Way = readonly [Tool, Language, 'without scripts'?];
/** All by night; by day those where most goes wrong, each in another language. */
const WAYS: readonly Way[] = BY_NIGHT
  ? [
      ...(['clicks', 'taps', 'keys'] as const).flatMap((tool) =>
        (['en', 'zh'] as const).map((language): Way => [tool, language]),
      ),
      ['clicks', 'zh', 'without scripts'],
    ]
  : [
      ['taps', 'en'],
      ['keys', 'zh'],
    ];

/** What the table of docs/console.md says of each task. */
const TABLE = new Map(
  [
    ...readFileSync(new URL('../../../../docs/console.md', import.meta.url), 'utf8').matchAll(
      /^\| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \| [^|]+ \|$/gm,
    ),
  ].map(([, name, clicks, taps, keys]) => [
    name!,
    { clicks: Number(clicks), taps: Number(taps), keys: Number(keys) },
  ]),
);

suite('the tasks of the people of a site take as many clicks, taps and keys as docs/console.md says', () => {
  // A site that restores a backup is away meanwhile.
  const complaints = /^Blocked script execution|status of (?:409|503)/;

  /** Does some tasks one after the other, and compares. */
  async function doAll(
    t: TestContext,
    tasks: readonly Task[],
    site: Site,
    [tool, language, bare]: Way,
  ) {
    const { service, cookies } = site;
    const pages = new Map<Role, Page>();
    for (const role of new Set(tasks.map((task) => task.role))) {
      const options = {
        ...(tool === 'taps' ? PHONE : DESKTOP),
        locale: language === 'zh' ? 'zh-CN' : 'en-GB',
        javaScriptEnabled: bare === undefined,
      };
      const cookie = cookies[role]!;
      pages.set(role, await openSignedIn(t, service, cookie, '/console', options, complaints));
    }
    for (const { name, role, goesOn, work, isDone } of tasks) {
      await t.test(`${name}: by ${tool}, ${language}`, async (own) => {
        const page = pages.get(role)!;

        if (goesOn === undefined) await page.goto(`${service.url}/console`);
        const desk = { ...site, page };
        const hands = handsOf(page, tool, language);
        const begun = performance.now();
        await work(hands, desk);
        await page.waitForLoadState();
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        const count = name.startsWith('judge') ? (hands.count() / JUDGED) * 20 : hands.count();
        own.diagnostic(`${count} ${tool}, ${seconds} s`);
        await isDone(desk, hands);
        assert.equal(count, TABLE.get(name)?.[tool], `${name}, by ${tool}`);
      });
    }
  }

  test('the table has each of them, and no other', () => {
    const names = [...TASKS, RESTORE].map(({ name }) => name);
    assert.deepEqual([...TABLE.keys()].toSorted(), names.toSorted());
    for (const [name, { keys }] of TABLE) assert.ok(keys <= 20, `${name}: ${keys} keys`);
  });

  for (const way of WAYS)
    test(`by ${way.join(', ')}`, async (t) => doAll(t, TASKS, await siteOfTasks(t), way));

  test('a restore of a backup, in every way', async (t) => {
    const site = await siteWithBackup(t);
    for (const way of WAYS) await doAll(t, [RESTORE], site, way);
  });
});
