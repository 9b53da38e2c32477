import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

/** The pages whose calls are run, with the number of calls on each. */
const PAGES = { articles: 6, adverts: 3, users: 3, counts: 3, reviews: 3 };

/** The calls of a page, in order, each with the answer shown below it. */
function examples(markdown: string): { call: string; answer: string }[] {
  const found = markdown.matchAll(/^```sh\n([^`]*)\n```\n\n```xml\n([^`]*)\n```$/gm);
  return [...found].map(([, call, answer]) => ({ call: call!, answer: answer! }));
}

for (const [page, count] of Object.entries(PAGES)) {
  it(`the page on ${page} shows calls that answer what stands below them`, async (t) => {
    const { url } = await startService(t);
    const shown = examples(await readFile(`docs/operations/${page}.md`, 'utf8'));
    assert.equal(shown.length, count);
    for (const { call, answer } of shown) {
      const { stdout } = await run('bash', ['-c', call.replace('http://localhost:8080', url)], {
        env: { ...process.env, TOKEN },
      });
      const lines = stdout
        .replaceAll('\r\n', '\n')
        .replace(/<requestId>[^<]+</, '<requestId>…<')
        .replace(/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"');
      assert.equal(lines, answer);
    }
  });
}
