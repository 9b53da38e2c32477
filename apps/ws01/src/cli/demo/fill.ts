import { drawing } from './pictures.ts';
import { ADVERTS, ARTICLES, MAILS, REVIEWS } from './site.ts';

/** The headers of a current browser. */
const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** Calls an operation; the text of its result. */
type Call = (operation: string, fields: Record<string, string>) => Promise<string>;

/**
 * Fills a new service through its public interface, as an application would.
 * @param base its URL without a trailing slash.
 * @throws {Error} when a call fails.
 */
export async function fill(base: string, token: string, servicePath: string): Promise<void> {
  const call: Call = (operation, fields) =>
    callOperation(`${base}${servicePath}/${operation}`, fields);
  for (const [at, article] of ARTICLES.entries()) await insertArticle(call, token, article, at);
  await insertRest(call, token);
  await visitLinks(call);
  await verifyPhones(call, token);
  const ada = { firstName: 'Ada', lastName: 'Lovelace', city: 'London' };
  await call('updateUserInfo', { tokenId: token, userId: 'ada', ...ada });
  // A call that fails, for who looks for it in the console.
  await fetch(`${base}${servicePath}/QueryAdvert?userId=ada&pagesize=many`);
  await report(base, 'win-a-phone');
}

async function insertArticle(
  call: Call,
  token: string,
  article: (typeof ARTICLES)[number],
  at: number,
): Promise<void> {
  const { guid, caption, content, earlier, status = 0 } = article;
  const fields = {
    ...{ token, guid, caption },
    categoryGuid: article.category,
    CreateUserId: article.owner,
    Status: String(status),
  };
  const pin = article.pinned ? { pinnedTopDueDate: '2099-01-01' } : {};
  if (earlier !== undefined) await call('InsertArticle', { ...fields, content: earlier });
  await call('InsertArticle', { ...fields, ...pin, content });
  await call('InsertArticleImageFile', {
    verifyCode: token,
    FileGuid: `picture-of-${guid}`,
    FileImg: (await drawing(article.picture, at * 60)).toString('base64'),
    Link_Guid: guid,
    category: 'photos',
    IsIcons: 'true',
  });
}

/** Adverts, reviews and mails. */
async function insertRest(call: Call, tokenId: string): Promise<void> {
  for (const { guid, owner, title, detail, category } of ADVERTS)
    await call('addNewAdvert', {
      ...{ tokenId, guid, title, detail },
      CreateUserId: owner,
      postAtCategoryGuid: category,
    });
  for (const { of: id, by, positive, mark } of REVIEWS)
    await call('submitReview', { id, userId: by, IsPositive: positive, Mark: mark });
  for (const { to, name, subject, body } of MAILS)
    await call('SendEmail', {
      ...{ subject, body },
      authorizationUserId: tokenId,
      receiverEmail: to,
      receiverName: name,
    });
}

async function visitLinks(call: Call): Promise<void> {
  for (const { guid } of ARTICLES.slice(0, 3)) {
    const target = `https://example.com/articles/${guid}`;
    const link = await call('UrltoShortUrl', { _userId: 'ada', _orgUrl: target });
    for (let visit = 0; visit < 3; visit++)
      await fetch(link, { headers: BROWSER, redirect: 'manual' });
  }
}

/** One phone is verified at the second try, one not yet. */
async function verifyPhones(call: Call, tokenId: string): Promise<void> {
  const phone = { tokenId, userId: 'ada', cellphone: '+14155550123' };
  const code = await call('CreateVerifyCode', phone);
  const wrong = code === '000000' ? '111111' : '000000';
  await call('VerifyCodeForPhone', { ...phone, VerifyCode: wrong });
  await call('VerifyCodeForPhone', { ...phone, VerifyCode: code });
  await call('CreateVerifyCode', { tokenId, userId: 'bob', cellphone: '+14155550124' });
}

/** Reports an advert, as a reader of the site does. */
async function report(base: string, targetKey: string): Promise<void> {
  const answer = await fetch(`${base}/api/v1/public/reports`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ targetKind: 'advert', targetKey, reason: 'spam' }),
  });
  if (!answer.ok) throw new Error(`A report was answered ${answer.status}: ${await answer.text()}`);
}

/**
 * Calls an operation over HTTP POST.
 * @returns the text of its result.
 */
async function callOperation(url: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return />([^<>]*)<\/(?:string|boolean)>\s*$/.exec(text)?.[1] ?? '';
}
