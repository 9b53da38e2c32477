import type { TestService } from '../../kit/service.ts';
import { filledIn, KEYS, routePaths } from './routes.ts';

/** Texts that callers wrote, the answer of another server, names of scopes, a command, and hosts for example. */
const ALLOWED =
  /cannot be asked: nothing listens there|articles, adverts[\w, ]*manage|ws01 admin reset NAME|Flat to let|Win a phone now|Your advert was answered|A lovely place|(?:Two|Three) rooms\. Quiet|Hello Bob|Somebody wants your|parent\.hacked|\w+\.example\.com/g;

/** Three English words in a row: a sentence, or most of one. */
const ENGLISH = /[A-Za-z’']{2,}(?:[ ,;:.]+[A-Za-z’']{2,}){2,}/g;

/** The texts of a page that people read or hear; names of code and what is marked as English are left out. */
function textsOf(page: string): string[] {
  const plain = page
    .replaceAll(/<(script|style|iframe|code|pre|textarea)\b.*?<\/\1>/gs, '')
    .replaceAll(/<(\w+) [^>]*\blang="en".*?<\/\1>/gs, '')
    .replaceAll(/data-chart="[^"]*"/g, '');
  return [...plain.matchAll(/>([^<]+)<| (?:title|placeholder|aria-label|data-\w+)="([^"]*)"/g)].map(
    ([, text, attribute]) => (text ?? attribute)!.replaceAll(/\s+/g, ' '),
  );
}

const englishIn = (page: string) =>
  textsOf(page).flatMap((text) => text.replaceAll(ALLOWED, '').match(ENGLISH) ?? []);

/** What has been read in Chinese. */
interface ChineseWalk {
  readonly pages: number;
  /** Where an English sentence stands, and the sentence. */
  readonly english: readonly string[];
}

const HEADERS = {
  'Accept-Language': 'zh-CN',
  'User-Agent': 'test',
  'Sec-Fetch-Site': 'same-origin',
};

/** Asks as a person who reads Chinese does, by a form if there is one. */
function ask(
  service: TestService,
  cookie: string,
  path: string,
  form?: Record<string, string>,
  redirect: 'follow' | 'manual' = 'follow',
): Promise<Response> {
  const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  return fetch(service.url + path, { headers: { ...HEADERS, Cookie: cookie }, redirect, ...init });
}

/** What the console answers in Chinese: the status, the texts of the page, and English sentences among them. */
export async function answerInChinese(
  service: TestService,
  cookie: string,
  path: string,
  form?: Record<string, string>,
) {
  const answer = await ask(service, cookie, path, form, 'manual');
  const page = await answer.text();
  const texts = textsOf(page).map((text) => text.replaceAll('&quot;', '"').trim());
  const untranslated = page.match(/<span lang="en">.*?<\/span>/gs) ?? [];
  return { status: answer.status, texts, english: [...englishIn(page), ...untranslated] };
}

/** Reads every page in Chinese, and the form of every action. */
export async function walkInChinese(service: TestService, cookie: string): Promise<ChineseWalk> {
  const open = async (path: string, form?: Record<string, string>) =>
    (await ask(service, cookie, path, form)).text();
  const lists = new Map<string, string>();
  const found: string[] = [];
  const judge = (what: string, page: string) =>
    found.push(...englishIn(page).map((sentence) => `${what}: ${sentence}`));
  let pages = 0;
  for (const route of await routePaths()) {
    const hasRecords =
      !/suppressions|backups|webhooks|deliveries|failures/.test(route) || !route.includes(':key');
    if (!hasRecords) continue;
    const path = await filledIn(open, route, { ...KEYS, secret: 'none' }, lists);
    const page = await open(path);
    if (!page.startsWith('<!DOCTYPE html>\n<html lang="zh-CN">')) continue;
    pages++;
    judge(path, page);
    const [, key] = /name="key" value="([^"]+)"/.exec(page) ?? [];
    for (const [, verb] of page.matchAll(/<button [^>]*name="(?:verb|now)" value="(\w+)"/g)) {
      const act = path.replace(/^(\/console\/[\w-]+)\/.*$/, '$1/act');
      judge(`${act} ${verb}`, await open(act, { verb: verb!, key: key! }));
    }
  }
  return { pages, english: [...new Set(found)] };
}
