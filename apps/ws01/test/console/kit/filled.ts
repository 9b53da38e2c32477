import type { TestContext } from 'node:test';
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

/** A service with something of most kinds in it; text messages alone need a gateway among the settings. */
export async function filledService(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<TestService> {
  const service = await startService(t, undefined, env);
  const flat = { guid: 'flat', caption: 'Flat to let', CreateUserId: 'ada' };
  await call(service, 'InsertArticle', { ...flat, content: 'Two rooms.\nQuiet.' });
  await call(service, 'InsertArticle', { ...flat, content: 'Three rooms.\nQuiet.' });
  for (const number of [1, 2, 3]) {
    const caption = `Bicycle ${number} 自行车`;
    await call(service, 'InsertArticle', {
      guid: `bike-${number}`,
      caption,
      content: 'New.',
      CreateUserId: 'bob',
    });
  }
  await call(service, 'addNewAdvert', {
    guid: 'spam',
    title: 'Win a phone now!!!',
    CreateUserId: 'mallory',
  });
  await call(service, 'addNewAdvert', {
    guid: 'piano',
    title: 'Piano lessons',
    CreateUserId: 'ada',
  });
  await call(service, 'SendEmail', {
    authorizationUserId: TOKEN,
    receiverName: 'Bob',
    receiverEmail: 'bob@example.com',
    subject: 'Your advert was answered',
    body: '<h1>Hello Bob</h1><p>Somebody wants your <b>bicycle</b>.</p><script>parent.hacked = true</script>',
  });
  await call(service, 'submitReview', { id: 'flat', Mark: 'A lovely place', userId: 'bob' });
  await call(service, 'UrltoShortUrl', {
    _userId: 'ada',
    _orgUrl: 'https://example.org/a/long/address',
  });
  await call(service, 'CreateVerifyCode', { userId: 'ada', cellphone: '+14155550123' });
  await upload(service, 'flat');
  return service;
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

/** Reports an advert, as a reader of the site does. */
export async function report(service: TestService, targetKey: string): Promise<void> {
  const answer = await fetch(`${service.url}/api/v1/public/reports`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ targetKind: 'advert', targetKey, reason: 'spam' }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Whether the public sees an advert. */
export async function isListed(service: TestService, title: string): Promise<boolean> {
  return (await call(service, 'QueryAdvert', { userId: 'mallory', query: '' })).includes(title);
}
