import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

it('the page on images shows calls that answer what stands below them', async (t) => {
  const { url } = await startService(t, undefined, { BASE_URL: 'http://localhost:8080' });
  const page = await readFile('docs/operations/images.md', 'utf8');
  const shown = [...page.matchAll(/^```sh\n([^`]*)\n```\n\n```xml\n([^`]*)\n```$/gm)];
  assert.equal(shown.length, 4);
  for (const [, call, answer] of shown) {
    const { stdout } = await run('bash', ['-c', call!.replace('http://localhost:8080', url)], {
      env: { ...process.env, TOKEN },
    });
    const lines = stdout
      .replaceAll('\r', '')
      .replace(/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"');
    assert.equal(lines.trimEnd(), answer);
  }
});
