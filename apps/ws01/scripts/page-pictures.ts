import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { filledIn, KEYS, routePaths } from '../test/console/kit/routes.ts';

const FOLDER = 'docs/images/pages';

/** Beyond it a picture ends: more would show more of the same. In CSS pixels. */
const TALLEST = 1_000;

/** Pages beside those of the console, and what each is called here. */
const OTHER_PAGES: readonly (readonly [name: string, path: string])[] = [
  ['operations', '/WS01.asmx'],
  ['operation', '/WS01.asmx?op=InsertArticle'],
  ['operation-unknown', '/WS01.asmx?op=None'],
  ['api-docs', '/api/docs'],
  ['not-found', '/nothing-here'],
];

/** Parameters of routes that no list leads to; those of the demo. */
const DEMO_KEYS = { ...KEYS, guid: 'house-by-the-lake' };

/** The same page, as somebody with a desk sees it, and as somebody with a phone, in the dark, who reads Chinese. */
export interface Looks {
  readonly desktop: BrowserContext;
  readonly phone: BrowserContext;
}

/**
 * Takes a picture of every page, in both looks, and writes a list of them.
 * @param origin the URL of the service, without a trailing slash.
 * @param secret of the link of somebody who has not signed in yet.
 * @throws {Error} when a page has no record to show.
 */
export async function takeEveryPage(origin: string, secret: string, looks: Looks): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const pages = { desktop: await looks.desktop.newPage(), phone: await looks.phone.newPage() };
  const open = async (path: string) => (await pages.desktop.request.get(origin + path)).text();
  await makeWhatIsMissing(pages.desktop, origin);

  const entries: string[] = [];
  const picture = async (name: string, route: string, path = route) => {
    for (const [look, page] of Object.entries(pages))
      await take(page, origin + path, `${name}-${look}`);
    entries.push(`| \`${route}\` | ![](${name}-desktop.webp) | ![](${name}-phone.webp) |`);
  };
  for (const [name, path] of OTHER_PAGES) await picture(name, path);
  const records = new Map<string, string>();
  for (const route of (await routePaths()).sort()) {
    const path = await filledIn(open, route, { ...DEMO_KEYS, secret }, records);
    if (isPage(await open(path))) await picture(nameOf(route), route, path);
  }
  await writeFile(`${FOLDER}/README.md`, list(entries));
}

/** What is downloaded, or stands within a page, is no page. */
const isPage = (text: string): boolean => /^<!DOCTYPE html>\n<html lang="\w/.test(text);

/** The name of a page's pictures, without the look. */
export const nameOf = (route: string): string =>
  route.slice(1).replaceAll(':', '').replaceAll('/', '-').toLowerCase();

const list = (entries: readonly string[]): string => `# Every page

On a desktop, and on a phone, in the dark, in Chinese. \`npm run -s screenshots\` takes them anew.

| page | desktop | phone |
| --- | --- | --- |
${entries.join('\n')}
`;

/** Makes what the demo has none of, by the console: a webhook with a delivery, a suppression, a backup. */
async function makeWhatIsMissing(page: Page, origin: string): Promise<void> {
  // What is said of an act: it was done, or not.
  const said = page.locator('main :is([role=status], [role=alert])').first();
  const actOnNewest = async (list: string, verb: string) => {
    await page.goto(`${origin}/console/${list}`);
    await page.locator('tbody a').first().click();
    await page.locator(`main button[value=${verb}]`).click();
    const isAsked = page.getByRole('heading', { level: 1, name: /\?$/ });
    await isAsked.or(said).first().waitFor();
    if (await isAsked.isVisible()) await page.locator('button[name=confirm]').click();
    await said.waitFor();
  };
  await page.goto(`${origin}/console/webhooks/new`);
  // Nobody has this address (RFC 5737), so nothing leaves the machine.
  await page.locator('main [name=url]').fill('https://192.0.2.1/hook');
  await page.locator('main [name=label]').fill('CRM');
  await page.locator('main button.primary').click();
  // It is in a private network, so the form asks.
  await page.locator('main [name=answered]').waitFor({ state: 'attached' });
  await page.locator('main button.primary').click();
  await said.waitFor();
  await actOnNewest('webhooks', 'test');
  await actOnNewest('mails', 'suppress');
  await page.goto(`${origin}/console/backups/new`);
  await page.locator('main button.primary').click();
  await page.waitForURL(/backups(?!.new)/);
}

/** Writes the picture of a page, from its beginning to its end or the tallest. */
async function take(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' });
  const { width } = page.viewportSize()!;
  const end = await page.evaluate<number>('document.documentElement.scrollHeight');
  const clip = { x: 0, y: 0, width, height: Math.min(end, TALLEST) };
  const taken = await page.screenshot({ fullPage: true, clip });
  await sharp(taken).webp({ quality: 25, effort: 6 }).toFile(`${FOLDER}/${name}.webp`);
  console.log(`${FOLDER}/${name}.webp`);
}
