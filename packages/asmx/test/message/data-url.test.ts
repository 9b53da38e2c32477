import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Base64Error } from '../../src/message/base64-error.ts';
import { DataUrlHead } from '../../src/message/data-url.ts';

/** What is left of a text that comes in these pieces; `refused` for a data URL of anything else. */
function read(...pieces: readonly string[]): string {
  const head = new DataUrlHead();
  try {
    return pieces.map((piece) => head.take(piece)).join('') + head.end();
  } catch (error) {
    assert.ok(error instanceof Base64Error);
    return 'refused';
  }
}

it('the head of a data URL is taken off, and no other text, wherever it is cut', () => {
  for (const [text, left] of [
    ['data:image/png;base64,QUJD', 'QUJD'],
    [' \r\n DATA:image/PNG;charset=utf-8;BASE64,QUJD', 'QUJD'],
    ['data:text/html;base64,QUJD', 'refused'],
    ['data:image/png;base64', 'refused'],
    ['da ta:image/png;base64,QUJD', 'da ta:image/png;base64,QUJD'],
    ['dat', 'dat'],
    ['QUJD', 'QUJD'],
    ['', ''],
  ] as const) {
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assert.equal(read(...pieces), left, JSON.stringify(pieces));
      }
    }
  }
});
