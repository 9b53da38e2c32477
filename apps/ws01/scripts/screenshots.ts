/** `npm run -s screenshots`: takes the pictures of the documentation anew, from `ws01 demo`. Look at them before you commit. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../test/kit/chromium.ts';

const IMAGES = 'docs/images';
const PATIENCE_MS = 240_000;
const PASSWORD = 'corner-market-demo';
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 860 }, colorScheme: 'light' };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  ...{ isMobile: true, hasTouch: true, colorScheme: 'dark' },
};

/** Each picture: its name, on what, and the way to it from the overview. */
const PICTURES: readonly (readonly [name: string, on: BrowserContextOptions, go: (page: Page) => Promise<void>])[] = [
  ['console-overview', DESKTOP, (page) => page.locator('[data-chart] canvas').waitFor()],
  [
    'console-mail',
    DESKTOP,
    async (page) => {
      await page.getByRole('link', { name: 'Inbox' }).click();
      await page.locator('tbody a').first().click();
      await page.locator('iframe').waitFor();
    },
  ],
  ['console-phone', PHONE, async (page) => void (await page.goto(new URL('/console/adverts', page.url()).href))],
];

const demo = spawn(process.execPath, ['bin/ws01.js', 'demo', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await launchChromium();
try {
  let told = '';
  for await (const line of createInterface(demo.stdout)) {
    told += line;
    if (line.endsWith('}')) break;
  }
  const { console: link } = JSON.parse(told) as { console: string };
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
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: `${IMAGES}/${name}.png` });
    console.log(`${IMAGES}/${name}.png`);
  }
} finally {
  await browser.close();
  demo.kill('SIGTERM');
}
