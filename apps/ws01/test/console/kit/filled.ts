import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { emptyDatabase } from '../../kit/database.ts';
import { blackPng } from '../../kit/images/containers.ts';
import { startService, type TestService, TOKEN } from '../../kit/service.ts';

/** Calls an operation over HTTP POST, as an application does. @returns what it answers, as text. */
export async function call(
  service: Pick<TestService, 'url'>,
  operation: string,
  fields: Record<string, string>,
): Promise<string> {
  const body = new URLSearchParams({ token: TOKEN, tokenId: TOKEN, ...fields });
  const answer = await fetch(`${service.url}/WS01.asmx/${operation}`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${operation}: ${text}`);
  return />([^<]*)<\/string>/.exec(text)?.[1] ?? text;
}

/** The folder of data of a filled service that has ended. */
let filled: Promise<string> | undefined;
after(async () => {
  if (filled !== undefined) await rm(await filled, { recursive: true });
});

/** The clock of the machine. */
const { now } = Date;

/**
 * A service with something of most kinds in it; text messages alone need a gateway among the settings. What is copied
 * has no setting of any test: what a gateway answered, or a replaced clock said, is filled in for each.
 */
export async function filledService(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<TestService> {
  if (env.SMS_URL !== undefined || Date.now !== now) {
    const service = await startService(t, undefined, env);
    await fill(service);
    return service;
  }
  const database = await emptyDatabase('sqlite', t);
  filled ??= filledFolder(t);
  await cp(await filled, database.dataDir, { recursive: true });
  return startService(t, database, env);
}

/** Fills a service, and keeps a copy of its data. */
async function filledFolder(t: TestContext): Promise<string> {
  const service = await startService(t);
  await fill(service);
  await service.app.stop();
  const folder = await mkdtemp(join(tmpdir(), 'ws01-filled-'));
  await cp(service.database.dataDir, folder, { recursive: true });
  return folder;
}

async function fill(service: TestService): Promise<void> {
  const flat = { guid: 'flat', caption: 'Flat to let', CreateUserId: 'ada' };
  await call(service, 'InsertArticle', { ...flat, content: 'Two rooms.\nQuiet.' });
  await call(service, 'InsertArticle', { ...flat, content: 'Three rooms.\nQuiet.' });
  for (const number of [1, 2, 3]) {
    const bike = { guid: `bike-${number}`, caption: `Bicycle ${number} 自行车`, content: 'New.' };
    await call(service, 'InsertArticle', { ...bike, CreateUserId: 'bob' });
  }
  const spam = { guid: 'spam', title: 'Win a phone now!!!', CreateUserId: 'mallory' };
  await call(service, 'addNewAdvert', spam);
  const piano = { guid: 'piano', title: 'Piano lessons', CreateUserId: 'ada' };
  await call(service, 'addNewAdvert', piano);
  await call(service, 'SendEmail', {
    authorizationUserId: TOKEN,
    receiverName: 'Bob',
    receiverEmail: 'bob@example.com',
    subject: 'Your advert was answered',
    body: '<h1>Hello Bob</h1><p>Somebody wants your <b>bicycle</b>.</p><script>parent.hacked = true</script>',
  });
  await call(service, 'submitReview', { id: 'flat', Mark: 'A lovely place', userId: 'bob' });
  const link = { _userId: 'ada', _orgUrl: 'https://example.org/a/long/address' };
  await call(service, 'UrltoShortUrl', link);
  await call(service, 'CreateVerifyCode', { userId: 'ada', cellphone: '+14155550123' });
  await upload(service, 'flat');
}

/**
 * One service for the tests of a suite: what one of them changes there the others must not look at.
 * @param start starts it; default: a filled one.
 */
export function useService(
  start: (life: TestContext) => Promise<TestService> = filledService,
): () => TestService {
  let service: TestService;
  const ends: (() => unknown)[] = [];
  before(async () => {
    service = await start({ after: (end: () => unknown) => ends.push(end) } as never);
  });
  after(async () => {
    for (const end of ends) await end();
  });
  return () => service;
}

/** Uploads a picture of a record. */
export async function upload(service: TestService, linkGuid: string): Promise<void> {
  const body = {
    verifyCode: TOKEN,
    FileGuid: 'photo',
    FileImg: blackPng(64, 48).toString('base64'),
    Link_Guid: linkGuid,
    category: 'photos',
  };
  const answer = await fetch(`${service.url}/WS01.asmx/InsertArticleImageFile`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Reports an advert as spam, or something else, as a reader of the site does. */
export async function report(
  service: TestService,
  targetKey: string,
  more: { readonly targetKind?: 'article'; readonly detail?: string } = {},
): Promise<void> {
  const answer = await fetch(`${service.url}/api/v1/public/reports`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ targetKind: 'advert', targetKey, reason: 'spam', ...more }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Whether the public sees an advert. */
export async function isListed(service: TestService, title: string): Promise<boolean> {
  return (await call(service, 'QueryAdvert', { userId: 'mallory', query: '' })).includes(title);
}
