import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { startApp } from '../apps/ws01/src/app/app.ts';
import { loadConfig } from '../apps/ws01/src/config/config.ts';
import { normalizePhone } from '../apps/ws01/src/domain/values/phone.ts';
import { foldText, searchWords } from '../apps/ws01/src/domain/values/search-text.ts';
import { TEST_BINDINGS } from '../apps/ws01/test/kit/bindings.ts';
import { launchChromium } from '../apps/ws01/test/kit/chromium.ts';
import { damagedPictures } from '../apps/ws01/test/kit/images/damaged.ts';
import { detailedJpeg } from '../apps/ws01/test/kit/images/photographs.ts';
import { camerasPictures, verdictsOn } from '../apps/ws01/test/kit/images/verdicts.ts';
import { TOKEN } from '../apps/ws01/test/kit/names.ts';
import { NUMBERS_OF_COUNTRIES, waysToWrite } from '../apps/ws01/test/kit/phone-numbers.ts';
import { WORDS_OF_LANGUAGES } from '../apps/ws01/test/kit/words-of-languages.ts';
import { PATIENCE_MS } from '../packages/asmx/test/kit/until.ts';
import { UsageError } from './kit/bench.ts';

import { printGoal, printTable } from './kit/report.ts';
import { createServiceDatabase } from './kit/sides/service.ts';

export const summary =
  'What people really send, and what becomes of it: [phones | words | pictures | page]';

const TABLES: Readonly<Record<string, () => unknown>> = { phones, words, pictures, page };

/** `npm run bench -- tables [name...]`. */
export async function run(args: readonly string[]): Promise<void> {
  for (const name of args.length === 0 ? Object.keys(TABLES) : args) {
    const table = TABLES[name];
    if (table === undefined) throw new UsageError(`There is no table called ${name}.`);
    await table();
  }
}

/** Countries x ways in which people write a number. */
function phones(): void {
  const rows = NUMBERS_OF_COUNTRIES.map(([country, number, home]) => {
    const ways = Object.entries(waysToWrite(number, home));
    const wrong = ways.filter(([, text]) => readPhone(text, country) !== number);
    return [
      country,
      number,
      home,
      `${ways.length - wrong.length} of ${ways.length}`,
      wrong.map(([way]) => way).join(', '),
    ];
  });
  printTable(['country', 'number', 'at home', 'ways read', 'ways not read'], rows);
  const [, number, home] = NUMBERS_OF_COUNTRIES[0]!;
  console.log(`Ways: ${Object.keys(waysToWrite(number, home)).join('; ')}.\n`);
}

function readPhone(text: string, country: string): string | undefined {
  try {
    return normalizePhone(text, 'cellphone', country);
  } catch {
    return undefined;
  }
}

/** Languages x words that are to find a title. */
function words(): void {
  const isFound = (title: string, word: string) =>
    searchWords(word).every((part) => foldText(title).includes(part));
  printTable(
    ['language', 'title', 'found by', 'not found by'],
    WORDS_OF_LANGUAGES.map(([language, title, ...asked]) => [
      ...[language, title],
      asked.filter((word) => isFound(title, word)).join(', '),
      asked.filter((word) => !isFound(title, word)).join(', '),
    ]),
  );
}

/** Formats x damages: what Chromium shows whole, and what the service takes. */
async function pictures(): Promise<void> {
  await withService(async (url, browser) => {
    const page = await browser.newPage();
    const rows: string[][] = [];
    for (const picture of [...(await damagedPictures()), ...camerasPictures()]) {
      const { taken, whole, difference } = await verdictsOn(picture, url, page);
      rows.push([
        ...[
          picture.format,
          picture.damage,
          whole ? 'whole' : 'not whole',
          taken ? 'taken' : 'refused',
        ],
        difference?.toFixed(1) ?? '',
      ]);
    }
    printTable(['format', 'damage', 'Chromium shows it', 'the service', 'difference of 255'], rows);
    const equal = rows.filter(([, , shown, ours]) => (shown === 'whole') === (ours === 'taken'));
    console.log(
      `${equal.length} of ${rows.length} alike; the reasons of the others are in the test.\n`,
    );
  });
}

const PHONE = {
  ...{ viewport: { width: 360, height: 740 }, deviceScaleFactor: 3, isMobile: true },
  ...{ hasTouch: true },
};
const GOAL_BYTES = 200_000;

/** The example site's page with a photograph of 12 megapixels, on a phone. */
async function page(): Promise<void> {
  await withService(async (url, browser) => {
    const photograph = await detailedJpeg(4000, 3000);
    const [soap11] = TEST_BINDINGS;
    const guid = 'photo';
    const article = {
      token: TOKEN,
      guid,
      caption: 'A bicycle',
      content: 'Red.',
      CreateUserId: 'ada',
    };
    await soap11!.call(url, 'InsertArticle', article);
    const FileImg = photograph.toString('base64');
    const image = { verifyCode: TOKEN, FileGuid: guid, FileImg, Link_Guid: guid };
    await soap11!.call(url, 'InsertArticleImageFile', image);
    const args = ['examples/classifieds/site.js', '--port', '0', '--service', `${url}/WS01.asmx`];
    const site = spawn(process.execPath, args, { env: { ...process.env, WS01_TOKEN: TOKEN } });
    try {
      const [line] = (await once(site.stdout, 'data')) as [Buffer];
      const context = await browser.newContext(PHONE);
      context.setDefaultTimeout(PATIENCE_MS);
      const address = `${/http:\S+/.exec(line.toString())![0]}/article?guid=${guid}`;
      // The first visitor has the widths made.
      let rows: string[][] = [];
      for (let visit = 0; visit < 3; visit++) rows = await loaded(await context.newPage(), address);
      printTable(['what', 'type', 'bytes'], rows);
      const shown = Math.max(
        ...rows.filter(([, type]) => /^image/.test(type!)).map((row) => Number(row[2])),
      );
      const found = `${shown} bytes of a photograph of ${photograph.length}`;
      printGoal('a photograph of 12 megapixels in at most 200 kB', found, shown <= GOAL_BYTES);
    } finally {
      site.kill();
    }
  });
}

/** What a page loads: address, type and bytes of each answer. */
async function loaded(page: Page, address: string): Promise<string[][]> {
  const answers: Promise<string[]>[] = [];
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url());
    const row = async () => [
      ...[pathname + search, response.headers()['content-type'] ?? ''],
      String((await response.body()).length),
    ];
    answers.push(row());
  });
  await page.goto(address, { waitUntil: 'networkidle' });
  return Promise.all(answers);
}

async function withService(work: (url: string, browser: Browser) => Promise<void>): Promise<void> {
  const database = await createServiceDatabase('sqlite');
  const env = {
    ...database.env,
    PORT: '0',
    HOST: '127.0.0.1',
    BOOTSTRAP_TOKEN: TOKEN,
    RATE_LIMITS: 'off',
  };
  const app = await startApp(loadConfig(env), pino({ level: 'silent' }));
  const browser = await launchChromium();
  try {
    await work(`http://127.0.0.1:${app.port}`, browser);
  } finally {
    await browser.close();
    await app.stop();
    await database.remove();
  }
}
