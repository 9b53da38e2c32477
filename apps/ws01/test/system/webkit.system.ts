// needs: WebKitWebDriver=webkit2gtk-driver Xvfb=xvfb
/**
 * The console in WebKit, the engine of Safari, by WebDriver: no page is wider than the window; fields of a filter stand in a
 * line; one filter is one step back; an editor shows what visitors will see; who has signed out gets no page back.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { consoleWithPiano, PAGES } from './browsers/console-pages.ts';

/** The second is less than its windows can be: they are then 447 px wide, which is a phone's look, too. */
const WIDTHS = [1280, 390];

/** Sends a command of WebDriver, and returns its value. */
type Send = <T>(method: string, path: string, body?: object) => Promise<T>;

async function end(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

/** Starts WebKit on a screen of its own, and opens a session. */
async function openWebKit(t: TestContext): Promise<Send> {
  const begun = new AsyncDisposableStack();
  t.after(() => begun.disposeAsync());
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1400x1000x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  begun.defer(() => end(screen));
  const [display] = await once(screen.stdout, 'data');
  const port = await freePort();
  const driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${String(display).trim()}`, LIBGL_ALWAYS_SOFTWARE: '1' },
  });
  begun.defer(() => end(driver));
  const ask: Send = async (method, path, body) => {
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: text });
    const { value } = (await response.json()) as { value: never };
    assert.ok(response.ok, JSON.stringify(value));
    return value;
  };
  await until(() => ask('GET', '/status').then(Boolean, () => false));
  const [binary] = globSync('/usr/lib/*/webkit2gtk-4*/MiniBrowser');
  const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } };
  const capabilities = { alwaysMatch: options };
  const { sessionId } = await ask<{ sessionId: string }>('POST', '/session', { capabilities });
  begun.defer(() => ask('DELETE', `/session/${sessionId}`));
  return (method, path, body) => ask(method, `/session/${sessionId}${path}`, body);
}

test('the console works in WebKit', async (t) => {
  const { service, name, value } = await consoleWithPiano(t);
  const send = await openWebKit(t);
  const go = (path: string) => send('POST', '/url', { url: `${service.url}${path}` });
  const evaluate = <T>(expression: string) =>
    send<T>('POST', '/execute/sync', { script: `return ${expression}`, args: [] });
  await go('/console/sign-in');
  await send('POST', '/cookie', { cookie: { name, value, path: '/', httpOnly: true } });

  for (const width of WIDTHS) {
    await send('POST', '/window/rect', { width, height: 800 });
    for (const page of PAGES) {
      await go(`/console/${page}`.replace(/\/$/, ''));
      const heading = await evaluate('document.querySelector("h1")?.textContent ?? ""');
      assert.notEqual(heading, '', page);
      const spare = await evaluate<number>('innerWidth - document.documentElement.scrollWidth');
      assert.ok(spare >= 0, `${page} is ${-spare} px wider than a window of ${width}`);
    }
  }

  await send('POST', '/window/rect', { width: 1280, height: 800 });
  await go('/console/articles');
  const heights = await evaluate<number[]>(
    `[...document.querySelectorAll('form.filters :is(input, select, button)')]
      .filter((field) => field.type !== 'hidden').map((field) => field.offsetHeight)`,
  );
  assert.ok(heights.length > 1, 'there are filters');
  assert.ok(Math.max(...heights) - Math.min(...heights) <= 1, String(heights));
  await evaluate(`(() => {
    const field = document.querySelector('form.filters [name=q]');
    field.value = 'piano';
    field.form.requestSubmit();
  })()`);
  await until(() => evaluate<boolean>('location.search.includes("q=piano")'));
  await send('POST', '/back', {});
  await until(() => evaluate<boolean>('location.search === ""'));

  await go('/console/articles/piano/edit');
  await evaluate(`(() => {
    const field = document.querySelector('textarea');
    field.value = 'Brown';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  })()`);
  // The frame is another one once what visitors will see is loaded into it.
  const isSeen = async () => {
    await send('POST', '/frame', { id: null });
    await send('POST', '/frame', { id: 0 });
    return evaluate<boolean>('document.body.textContent.includes("Brown")');
  };
  await until(() => isSeen().catch(() => false));
  await send('POST', '/frame', { id: null });
  await go('/console/articles/piano/edit');
  assert.equal(await evaluate('document.querySelector("textarea").value'), 'Brown', 'it is kept');

  await go('/console/users/ada');
  await go('/console/account');
  await evaluate('document.querySelector("form[action$=sign-out] button").click()');
  await until(() => evaluate<boolean>('location.pathname.endsWith("/sign-in")'));
  for (const step of ['the account', 'the person']) {
    await send('POST', '/back', {});
    await until(() => evaluate<boolean>('location.pathname.endsWith("/sign-in")'));
    assert.ok(!(await evaluate<string>('document.body.textContent')).includes('ada'), step);
  }
});
