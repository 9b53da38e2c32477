import { drawing } from './pictures.ts';
import { ADVERTS, ARTICLES, MAILS, REVIEWS } from './site.ts';

/** The headers of a current browser. */
const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/**
 * Fills a new service through its public interface, as an application would.
 * @param base its URL without a trailing slash.
 * @throws {Error} when a call fails.
 */
export async function fill(base: string, token: string, servicePath: string): Promise<void> {
  const call = (operation: string, fields: Record<string, string>) =>
    callOperation(`${base}${servicePath}/${operation}`, fields);
  for (const [at, article] of ARTICLES.entries()) {
    const {
      guid,
      owner,
      category,
      caption,
      content,
      earlier,
      picture,
      status = 0,
      pinned,
    } = article;
    const fields = {
      token,
      guid,
      caption,
      categoryGuid: category,
      CreateUserId: owner,
      Status: String(status),
    };
    const pin = pinned ? { pinnedTopDueDate: '2099-01-01' } : {};
    if (earlier !== undefined) await call('InsertArticle', { ...fields, content: earlier });
    await call('InsertArticle', { ...fields, ...pin, content });
    const file = (await drawing(picture, at * 60)).toString('base64');
    const image = {
      verifyCode: token,
      FileGuid: `picture-of-${guid}`,
      FileImg: file,
      Link_Guid: guid,
    };
    await call('InsertArticleImageFile', { ...image, category: 'photos', IsIcons: 'true' });
  }
  for (const { guid, owner, title, detail, category } of ADVERTS) {
    await call('addNewAdvert', {
      tokenId: token,
      guid,
      CreateUserId: owner,
      title,
      detail,
      postAtCategoryGuid: category,
    });
  }
  for (const { of: id, by, positive, mark } of REVIEWS) {
    await call('submitReview', { id, userId: by, IsPositive: positive, Mark: mark });
  }
  for (const { to, name, subject, body } of MAILS) {
    await call('SendEmail', {
      authorizationUserId: token,
      receiverEmail: to,
      receiverName: name,
      subject,
      body,
    });
  }
  for (const { guid } of ARTICLES.slice(0, 3)) {
    const link = await call('UrltoShortUrl', {
      _userId: 'ada',
      _orgUrl: `https://example.com/articles/${guid}`,
    });
    for (let visit = 0; visit < 3; visit++)
      await fetch(link, { headers: BROWSER, redirect: 'manual' });
  }
  const phone = { tokenId: token, userId: 'ada', cellphone: '+14155550123' };
  const code = await call('CreateVerifyCode', phone);
  await call('VerifyCodeForPhone', {
    ...phone,
    VerifyCode: code === '000000' ? '111111' : '000000',
  });
  await call('VerifyCodeForPhone', { ...phone, VerifyCode: code });
  await call('CreateVerifyCode', { tokenId: token, userId: 'bob', cellphone: '+14155550124' });
  await call('updateUserInfo', {
    tokenId: token,
    userId: 'ada',
    firstName: 'Ada',
    lastName: 'Lovelace',
    city: 'London',
  });
  // A call that fails, for who looks for it in the console.
  await fetch(`${base}${servicePath}/QueryAdvert?userId=ada&pagesize=many`);
  await report(base, 'win-a-phone');
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
