import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { SETTINGS } from '../../src/config/settings.ts';
import { BUDGETS } from '../../src/domain/budgets/rates.ts';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

/** The calls of a page, in order, each with the answer shown below it. */
function examples(markdown: string): { call: string; answer: string }[] {
  const found = markdown.matchAll(/^```sh\n([^`]*)\n```\n\n```(?:xml|text)\n([^`]*)\n```$/gm);
  return [...found].map(([, call, answer]) => ({ call: call!, answer: answer! }));
}

/** Runs the calls of a page; `note` sees each answer and may give the calls after it variables. */
async function checkPage(
  page: string,
  url: string,
  count: number,
  note: (answer: string) => Record<string, string>,
): Promise<void> {
  const shown = examples(await readFile(`docs/operations/${page}.md`, 'utf8'));
  assert.equal(shown.length, count);
  let env: NodeJS.ProcessEnv = { ...process.env, TOKEN };
  for (const { call, answer } of shown) {
    const { stdout } = await run('bash', ['-c', call.replace('http://localhost:8080', url)], {
      env,
    });
    const lines = stdout.replaceAll('\r\n', '\n').trimEnd();
    env = { ...env, ...note(lines) };
    const settled = lines
      .replace(/>[0-9]{6}</, '>020725<')
      .replace(/>http:\/\/127\.0\.0\.1:[0-9]+\/s\/.{7}</, '>http://localhost:8080/s/Bh2dFgR<');
    assert.equal(settled, answer);
  }
}

it('the page on phone codes shows calls that answer what stands below them', async (t) => {
  const { url } = await startService(t);
  await checkPage('phone', url, 3, (answer) => {
    const code = /[0-9]{6}/.exec(answer);
    return code === null ? {} : { CODE: code[0] };
  });
});

it('the page on short links shows calls that answer what stands below them', async (t) => {
  const { url } = await startService(t);
  await checkPage('links', url, 2, (answer) => {
    const link = /127\.0\.0\.1:[0-9]+(\/s\/.{7})</.exec(answer);
    return link === null ? {} : { LINK: `${url}${link[1]}` };
  });
});

it('the page on budgets names each budget with its default', async () => {
  const page = await readFile('docs/budgets.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `([^`]+)` \|/gm)].map(
    ([, variable, rates]) => [variable, rates],
  );
  const budgets = Object.entries(SETTINGS).filter(([property]) => Object.hasOwn(BUDGETS, property));
  assert.deepEqual(
    rows,
    budgets.map(([, { variable, ...setting }]) => [
      variable,
      'fallback' in setting ? setting.fallback : undefined,
    ]),
  );
});
