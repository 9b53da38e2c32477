import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { startEcho } from '../kit/echo.ts';
import { type Compared, compareAll, compatibilityPage } from './compatibility.ts';
import { REASONS } from './differences.ts';

describe('the recorded exchanges of a real ASMX server', () => {
  let compared: Compared[];
  const closers: (() => unknown)[] = [];

  before(async () => {
    const echo = await startEcho({ after: (close) => closers.push(close as () => unknown) });
    compared = await compareAll(echo.port);
    for (const close of closers) close();
  });

  it('are answered alike, or differ for one written reason', () => {
    assert.ok(compared.length > 250);
    for (const { name, same, reasons, ours } of compared) {
      assert.equal(reasons.length, same ? 0 : 1, `${name}: ${JSON.stringify(ours)}`);
    }
  });

  it('are all that the reasons speak of', () => {
    const names = new Set(compared.map(({ name }) => name));
    const spoken = REASONS.flatMap(({ exchanges }) => exchanges);
    assert.deepEqual(
      spoken.filter((name) => !names.has(name)),
      [],
    );
  });

  it('are shown in docs/compatibility.md as they are', async () => {
    assert.equal(await readFile('docs/compatibility.md', 'utf8'), compatibilityPage(compared));
  });
});
