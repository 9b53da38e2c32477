import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compress } from '../../src/message/compression.ts';

const MIB = 1024 * 1024;
const answer = (body: string) =>
  compress({ status: 200, headers: { 'Content-Type': 'text/xml' }, body }, 'gzip');

it('8 MiB are compressed at the same time; what comes meanwhile goes as it is, and the next is compressed again', async () => {
  const body = 'é'.repeat(MIB);
  const answers = await Promise.all(Array.from({ length: 10 }, () => answer(body)));
  assert.deepEqual(
    answers.map(({ headers }) => headers['Content-Encoding']),
    [...Array(4).fill('gzip'), ...Array(6).fill(undefined)],
  );
  for (const { body: sent, headers } of answers) {
    assert.equal(headers.Vary, 'Accept-Encoding');
    const whole = typeof sent === 'string' ? sent : gunzipSync(sent).toString();
    assert.ok(whole === body);
  }
  assert.equal((await answer(body)).headers['Content-Encoding'], 'gzip');
});

it('one that is larger is compressed when it is alone', async () => {
  const large = 'a'.repeat(9 * MIB);
  const [alone, behind] = await Promise.all([answer(large), answer('b'.repeat(MIB))]);
  assert.equal(alone.headers['Content-Encoding'], 'gzip');
  assert.equal(behind.headers['Content-Encoding'], undefined);
});
