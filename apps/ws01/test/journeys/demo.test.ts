import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { suite, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { violationsOf } from '../console/kit/axe.ts';
import { DESKTOP, openPage, PHONE } from '../console/kit/browser.ts';
import { detailedJpeg } from '../kit/images/photographs.ts';

/** Starts a program of the project, in the environment given alone. @returns it, with the first line it printed. */
async function startProgram(t: TestContext, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => assert.fail(`It ended with ${code}.`));
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended,
  ]);
  ended.catch(() => {});
  return { child, line: line as string };
}

async function endProgram(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGINT');
  await ended;
}

/** Goes to a control by the keyboard alone. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stop = 0; stop < 40; stop++) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${selector} was not reached`);
}

async function fits(page: Page, what: string): Promise<void> {
  assert.deepEqual(await violationsOf(page), [], what);
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  assert.ok(wide <= 0, `${what} scrolls sideways by ${wide}`);
}

suite('ws01 demo, and the example site beside it', () => {
  test('the demo lets its reader into the console, the site publishes and reviews, and nothing is left behind', async (t) => {
    const temporary = await temporaryFolder(t, 'ws01-demo-test-');
    const { child, line } = await startProgram(
      t,
      ['bin/ws01.js', 'demo', '--port', '0', '--json'],
      {
        TMPDIR: temporary,
      },
    );
    const told: { console: string; service: string; token: string } = JSON.parse(line);
    const welcome = await fetch(told.console);
    assert.equal(welcome.status, 200);
    assert.match(await welcome.text(), /Welcome, demo/);
    const args = ['examples/classifieds/site.js', '--port', '0', '--service', told.service];
    const { line: site } = await startProgram(t, args, { WS01_TOKEN: told.token });

    await t.test('by the keyboard alone, on a desktop', async (inner) => {
      const page = await openPage(inner, site, { ...DESKTOP, colorScheme: 'light' });
      await page.getByRole('link', { name: 'City bicycle, hardly used' }).waitFor();
      await page.getByRole('heading', { name: 'WIN A PHONE NOW!!!' }).waitFor();
      await fits(page, 'the list');
      await tabTo(page, '[name=caption]');
      await page.keyboard.type('Rocking chair <b>');
      await tabTo(page, '[name=content]');
      await page.keyboard.type('Oak & wool, 摇椅.');
      await tabTo(page, '[name=name]');
      await page.keyboard.type('eve');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Rocking chair <b>' }).waitFor();
      await page.getByText('Oak & wool, 摇椅.').waitFor();
      await tabTo(page, '[name=vote]');
      await page.keyboard.press('Space');
      await tabTo(page, '[name=mark]');
      await page.keyboard.press('5');
      await tabTo(page, '[name=name]');
      await page.keyboard.type('bob');
      await page.keyboard.press('Enter');
      await page
        .getByRole('status')
        .filter({ hasText: '1 recommend it, 0 do not. 5 of 5 from 1.' })
        .waitFor();
    });

    await t.test(
      'on a phone in the dark; what the service refuses is said, and nothing typed is lost',
      async (inner) => {
        const look = { ...PHONE, colorScheme: 'dark' } as const;
        const page = await openPage(inner, site, look, /status of 400/);
        await fits(page, 'the list on a phone');
        await page.getByRole('link', { name: 'City bicycle' }).click();
        await page.getByRole('img', { name: 'Picture of: City bicycle' }).waitFor();
        await fits(page, 'an article on a phone');
        // Who types the name of a user writes as a visitor: the owner of this article would be refused.
        await page.getByLabel('Yes').check();
        await page.locator('[name=mark]').selectOption('4');
        await page.getByLabel('Your name').fill('bob');
        await page.getByRole('button').click();
        await page.getByRole('status').waitFor();
        // Nobody reviews their own.
        await page.goto(site);
        await page.getByRole('link', { name: 'Rocking chair' }).click();
        await page.getByLabel('Yes').check();
        await page.getByLabel('Your name').fill('eve');
        await page.getByRole('button').click();
        await page.getByRole('alert').filter({ hasText: 'only others review it' }).waitFor();
        assert.equal(await page.getByLabel('Your name').inputValue(), 'eve');
      },
    );

    await t.test(
      'a phone is sent a photograph in the width that it shows, in at most 200 kB',
      async (inner) => {
        const call = async (operation: string, fields: Record<string, string>) => {
          const body = new URLSearchParams(fields);
          const answer = await fetch(`${told.service}/${operation}`, { method: 'POST', body });
          assert.equal(answer.status, 200);
        };
        const article = { guid: 'flat', caption: 'A flat', content: 'Light', CreateUserId: 'ada' };
        await call('InsertArticle', { token: told.token, Status: '0', ...article });
        const photograph = await detailedJpeg(2016, 1512);
        await call('InsertArticleImageFile', {
          verifyCode: told.token,
          FileGuid: 'photograph',
          FileImg: photograph.toString('base64'),
          Link_Guid: 'flat',
        });
        const look = { ...PHONE, deviceScaleFactor: 3 };
        const page = await openPage(inner, site, look);
        // The list may still be loading pictures of its own.
        const sent = page.waitForResponse(
          (answer) => answer.url().includes('?w=') && answer.frame().url().endsWith('guid=flat'),
        );
        await page.goto(`${site}/article?guid=flat`);
        const answer = await sent;
        assert.match(answer.url(), /\?w=1280$/);
        assert.equal(answer.headers()['content-type'], 'image/avif');
        const { length } = await answer.body();
        assert.ok(length <= 200_000 && length < photograph.length / 4, `${length} bytes`);
        inner.diagnostic(`${photograph.length} bytes of the camera, ${length} to the phone`);
      },
    );

    await t.test(
      'the site takes forms of its own pages alone, and has no page for what is not published',
      async () => {
        const body = new URLSearchParams({ caption: 'x', content: 'x', name: 'x' });
        for (const headers of [{}, { Origin: 'https://other.example' }, { Origin: 'null' }]) {
          assert.equal((await fetch(site, { method: 'POST', headers, body })).status, 403);
        }
        const long = new URLSearchParams({ caption: 'x'.repeat(70_000) });
        assert.equal(
          (await fetch(site, { method: 'POST', headers: { Origin: site }, body: long })).status,
          413,
        );
        for (const path of ['/article?guid=none', '/article?guid=house-by-the-lake', '/other']) {
          assert.equal((await fetch(site + path)).status, 404, path);
        }
      },
    );

    assert.ok((await readdir(temporary)).some((name) => name.startsWith('ws01-demo-')));
    await endProgram(child);
    assert.deepEqual(
      (await readdir(temporary)).filter((name) => name.startsWith('ws01-demo-')),
      [],
    );
  });
});
