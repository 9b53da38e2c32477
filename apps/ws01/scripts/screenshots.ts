/**
 * `npm run -s screenshots`: takes the pictures of the documentation anew, from a service with what `ws01 demo` has. Look
 * at them before you commit.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { fill } from '../src/cli/demo/fill.ts';
import { launchChromium } from '../test/kit/chromium.ts';
import { takeEveryPage } from './page-pictures.ts';

const IMAGES = 'docs/images';
const PATIENCE_MS = 60_000;
const PASSWORD = 'corner-market-demo';
const DESKTOP: BrowserContextOptions = {
  viewport: { width: 1280, height: 860 },
  colorScheme: 'light',
};
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  ...{ isMobile: true, hasTouch: true, colorScheme: 'dark' },
};

/** Each picture: its name, on what, and the way to it from the overview. */
const PICTURES: readonly (readonly [
  name: string,
  on: BrowserContextOptions,
  go: (page: Page) => Promise<void>,
])[] = [
  ['console-overview', DESKTOP, (page) => page.locator('[data-chart] canvas').first().waitFor()],
  [
    'console-mail',
    DESKTOP,
    async (page) => {
      await page.goto(new URL('/console/inbox', page.url()).href);
      await page.locator('tbody a[href*="/mails/"]').first().click();
      await page.locator('iframe').waitFor();
    },
  ],
  [
    'console-phone',
    PHONE,
    async (page) => void (await page.goto(new URL('/console/articles', page.url()).href)),
  ],
  ['help-programs', DESKTOP, (page) => showProgram(page, '?op=submitReview#python')],
  ['help-chinese', PHONE, (page) => showProgram(page, '?lang=zh-CN&op=countUserPosted#csharp')],
];

/** The program of a help page that its address names, with sample values. */
async function showProgram(page: Page, query: string): Promise<void> {
  await page.goto(new URL(`/WS01.asmx${query}`, page.url()).href);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.locator('#filled').check();
  await page.locator('#samples').evaluate((heading: { scrollIntoView(): void }) => {
    heading.scrollIntoView();
  });
}

const home = await mkdtemp(join(tmpdir(), 'ws01-pictures-'));
// Takes each text message, as a gateway does.
const gateway = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1');
await once(gateway, 'listening');
const env = {
  ...process.env,
  DATA_DIR: join(home, 'data'),
  BACKUP_TO: join(home, 'backups'),
  PORT: '0',
  SERVICE_NAME: 'Corner Market',
  LOG_LEVEL: 'error',
  SMS_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
  SMS_SECRET: 'x'.repeat(40),
};
const ws01 = (...args: readonly string[]) =>
  spawn(process.execPath, ['bin/ws01.js', ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const service = ws01('serve');
let example: ChildProcess | undefined;
const browser = await launchChromium();
try {
  let told = '';
  for await (const chunk of service.stdout!) {
    told += chunk;
    if (told.includes('admin add')) break;
  }
  const origin = `http://localhost:${/listening on \S+:(\d+)/.exec(told)![1]}`;
  const token = (await readFile(join(home, 'data/first-token'), 'utf8')).trim();
  await fill(origin, token, '/WS01.asmx');
  const linkFor = async (name: string): Promise<string> =>
    JSON.parse(await text(ws01('admin', 'add', name, '--role', 'owner', '--json').stdout!)).link;
  const link = await linkFor('demo');
  const open = async (options: BrowserContextOptions, url: string) => {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const first = await open(DESKTOP, link);
  await first.getByLabel('Password').fill(PASSWORD);
  await first.getByRole('button', { name: 'Save and sign in' }).click();
  await first.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const storageState = await first.context().storageState();
  for (const [name, on, go] of PICTURES) {
    const page = await open({ ...on, storageState }, new URL('/console', link).href);
    await go(page);
    await take(page, name);
  }
  const signedIn = { storageState, reducedMotion: 'reduce' } as const;
  const secret = (await linkFor('grace')).split('/').at(-1)!;
  await takeEveryPage(origin, secret, {
    desktop: await browser.newContext({ ...DESKTOP, ...signedIn, locale: 'en-GB' }),
    phone: await browser.newContext({ ...PHONE, ...signedIn, locale: 'zh-CN' }),
  });
  example = spawn(process.execPath, ['examples/classifieds/site.js', '--port', '0'], {
    env: { ...process.env, WS01_SERVICE: `${origin}/WS01.asmx`, WS01_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(example.stdout!, 'data')) as [Buffer];
  await take(await open(DESKTOP, /http:\S+/.exec(String(said))![0]), 'example-classifieds');
} finally {
  await browser.close();
  example?.kill('SIGTERM');
  service.kill('SIGTERM');
  await once(service, 'close');
  gateway.close();
  await rm(home, { recursive: true });
}

/** Writes the picture of what is seen of a page. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  // Few colours: a third of the bytes, and nothing that one sees.
  await sharp(await page.screenshot())
    .png({ palette: true, effort: 10 })
    .toFile(`${IMAGES}/${name}.png`);
  console.log(`${IMAGES}/${name}.png`);
}
