/** `npm run -s screenshots`: takes the pictures of the documentation anew, from `ws01 demo`. Look at them before you commit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { launchChromium } from '../test/kit/chromium.ts';

const IMAGES = 'docs/images';
const PATIENCE_MS = 240_000;
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
  ['console-overview', DESKTOP, (page) => page.locator('[data-chart] canvas').waitFor()],
  [
    'console-mail',
    DESKTOP,
    async (page) => {
      await page.goto(new URL('/console/inbox', page.url()).href);
      await page.locator('tbody a').first().click();
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

const demo = spawn(process.execPath, ['bin/ws01.js', 'demo', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let example: ChildProcess | undefined;
const browser = await launchChromium();
try {
  let told = '';
  for await (const line of createInterface(demo.stdout)) {
    told += line;
    if (line.endsWith('}')) break;
  }
  const {
    console: link,
    service,
    token,
  } = JSON.parse(told) as Record<'console' | 'service' | 'token', string>;
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
  const env = { ...process.env, WS01_SERVICE: service, WS01_TOKEN: token };
  example = spawn(process.execPath, ['examples/classifieds/site.js', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(example.stdout!, 'data')) as [Buffer];
  await take(await open(DESKTOP, /http:\S+/.exec(String(said))![0]), 'example-classifieds');
} finally {
  await browser.close();
  example?.kill('SIGTERM');
  demo.kill('SIGTERM');
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
