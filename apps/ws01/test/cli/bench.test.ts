import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { startService } from '../kit/service.ts';

/** No database is needed: none is made. */
const NOWHERE = { dataDir: join(tmpdir(), 'ws01-never-made'), databaseUrl: undefined };

const bench = (...args: readonly string[]) => ws01(NOWHERE, ['bench', ...args]);

/** How long an answer takes, so that callers do not keep a processor busy for the whole second; ms. */
const SLOWLY = 100;

/** A slow service of which the test says how it answers the n-th call. */
async function answering(
  t: TestContext,
  status: (n: number, path: string) => number | Promise<number>,
): Promise<string> {
  let calls = 0;
  const server = createServer(async ({ url }, response) => {
    const answer = status(++calls, url!);
    await pause(SLOWLY);
    response.writeHead(await answer).end();
  });
  return originOf(t, server);
}

describe('ws01 bench', () => {
  test('counts the answers of a service by callers at once', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const service = await startService(t, database, { RATE_LIMITS: 'off' });
    const url = await answering(
      t,
      async (_, path) => (await fetch(`${service.url}${path}`)).status,
    );
    const { code, stdout, stderr } = await bench('--url', url, '--seconds', '1', '--json');
    assert.equal(code, 0, stderr);
    const { steps } = JSON.parse(stdout);
    assert.deepEqual(
      steps.map(({ callers, refused, failed }: Record<string, number>) => ({
        ...{ callers, refused, failed },
      })),
      [1, 4, 16, 64].map((callers) => ({ callers, refused: 0, failed: 0 })),
    );
    for (const { answers, perSecond, p50, p99 } of steps)
      assert.ok(answers > 0 && perSecond > 0 && p50 > 0 && p99 >= p50, stdout);
  });

  test('ends early where calls fail, and says it by its exit code', async (t) => {
    const url = await answering(t, (n) => (n % 10 === 2 ? 500 : 200));
    const { code, stdout } = await bench('--url', url, '--seconds', '1');
    assert.equal(code, 1);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    assert.match(heading!, /^CALLERS +PER SECOND +P50 MS +P99 MS +REFUSED +FAILED$/);
    assert.equal(rows.length, 1, stdout);
  });

  test('counts what RATE_LIMITS refuses, and says what to do', async (t) => {
    const url = await answering(t, (n) => (n % 2 === 0 ? 429 : 200));
    const { code, stdout, stderr } = await bench('--url', url, '--seconds', '1', '--json');
    assert.equal(code, 0);
    assert.ok(JSON.parse(stdout).steps.every(({ refused }: { refused: number }) => refused > 0));
    assert.match(stderr, /RATE_LIMITS refused some calls; try it on a copy/);
  });

  test('says in one line what it cannot call', async (t) => {
    const missing = await answering(t, () => 404);
    const wrong: Record<string, RegExp> = {
      'ftp://host': /^ws01: --url must be an http or https URL, not ftp:\/\/host\.\n$/,
      [missing]: /answers 404; name a service that answers QueryAdvert\.\n$/,
      'http://127.0.0.1:1': /^ws01: .* cannot be reached: [^\n]*\n$/,
    };
    for (const [url, said] of Object.entries(wrong)) {
      const { code, stderr } = await bench('--url', url);
      assert.match(stderr, said);
      assert.equal(code, 2);
    }
    for (const seconds of ['0', '61', 'x']) {
      const { code, stderr } = await bench('--url', missing, '--seconds', seconds);
      assert.match(stderr, /Give a whole number from 1 to 60\./);
      assert.equal(code, 2);
    }
  });
});
