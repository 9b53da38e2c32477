// needs: firefox-esr
/**
 * The pages of the console in Firefox, by WebDriver BiDi, which it speaks itself: no page has a script error, breaks
 * the policy or is wider than the window, on a desktop and on a phone; an editor shows what visitors will see.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { consoleWithPiano, PAGES } from './browsers/console-pages.ts';

const WIDTHS = [1280, 390];

interface Bidi {
  send<T = unknown>(method: string, params: object): Promise<T>;
  /** What the pages complained of since the last call. */
  complaints(): string[];
}

/** Starts Firefox, and opens a session. */
async function openFirefox(t: TestContext): Promise<Bidi> {
  const profile = await mkdtemp(join(tmpdir(), 'ws01-firefox-'));
  const args = ['--headless', '--profile', profile, '--remote-debugging-port', '0'];
  const firefox = spawn('firefox-esr', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    firefox.kill('SIGTERM');
    await once(firefox, 'exit');
    await rm(profile, { recursive: true, force: true });
  });
  let url: string | undefined;
  for await (const line of createInterface(firefox.stderr)) {
    url = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  firefox.stderr.resume();
  const socket = new WebSocket(`${url}/session`);
  await once(socket, 'open');
  const waiting = new Map<number, (answer: { result?: unknown; message?: string }) => void>();
  let said: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const news = JSON.parse(String(data)) as {
      readonly id?: number;
      readonly method?: string;
      readonly params?: { readonly level: string; readonly text: string };
      readonly message?: string;
    };
    if (news.id !== undefined) waiting.get(news.id)?.(news);
    else if (news.method === 'log.entryAdded' && news.params?.level === 'error')
      said.push(news.params.text);
  });
  let last = 0;
  const send = async <T>(method: string, params: object) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<{ result?: unknown; message?: string }>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await promise;
    assert.equal(message, undefined, method);
    return result as T;
  };
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  return {
    send,
    complaints: () => {
      const told = said;
      said = [];
      return told;
    },
  };
}

test('Firefox shows every page of the console as Chromium does', async (t) => {
  const { service, name, value } = await consoleWithPiano(t);
  const { send, complaints } = await openFirefox(t);
  const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' });
  const cookie = { name, value: { type: 'string', value }, domain: '127.0.0.1', path: '/' };
  await send('storage.setCookie', { cookie: { ...cookie, sameSite: 'lax', httpOnly: true } });
  const evaluate = async (expression: string) => {
    const params = { expression, target: { context }, awaitPromise: true };
    const answer = await send<{ result: { value?: unknown } }>('script.evaluate', params);
    return answer.result?.value;
  };
  const go = (path: string) =>
    send('browsingContext.navigate', { context, url: `${service.url}${path}`, wait: 'complete' });
  for (const width of WIDTHS) {
    await send('browsingContext.setViewport', { context, viewport: { width, height: 800 } });
    for (const page of PAGES) {
      await go(`/console/${page}`.replace(/\/$/, ''));
      assert.notEqual(await evaluate('document.querySelector("h1")?.textContent ?? ""'), '', page);
      const spare = await evaluate('innerWidth - document.documentElement.scrollWidth');
      assert.ok(Number(spare) >= 0, `${page} is ${-Number(spare)} px wider than ${width}`);
      assert.deepEqual(complaints(), [], page);
    }
  }
  await go('/console/articles/piano/edit');
  await evaluate(`{
    const field = document.querySelector('textarea');
    field.value = 'Brown';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }`);
  const { contexts } = await send<{ contexts: readonly { children: readonly object[] }[] }>(
    'browsingContext.getTree',
    { root: context },
  );
  assert.equal(contexts[0]!.children.length, 1, 'the frame of what visitors will see');
  await until(async () => {
    const tree = await send<{ contexts: readonly { children: readonly { url: string }[] }[] }>(
      'browsingContext.getTree',
      { root: context },
    );
    return tree.contexts[0]!.children[0]?.url.endsWith('/console/articles/seen') ?? false;
  });
  await go('/console/articles/piano/edit');
  assert.equal(await evaluate('document.querySelector("textarea").value'), 'Brown', 'it is kept');
});
