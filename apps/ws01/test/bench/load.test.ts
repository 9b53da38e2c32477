import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { AnswerReader } from '../../../../bench/kit/load/answer-reader.ts';
import { fillIn, ITEM, SERIAL, TURN } from '../../../../bench/kit/load/outgoing-request.ts';
import { microsBetween, treeThreads } from '../../../../bench/kit/sides/process-stats.ts';

const withLength = (body: string) =>
  `HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (body: string) =>
  `HTTP/1.1 500 Oops\r\ntransfer-encoding: chunked\r\nConnection: close\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const continued = (body: string) => `HTTP/1.1 100 Continue\r\n\r\n${withLength(body)}`;

/** Pushes bytes in pieces that end where they are told to; the pieces after which an answer was complete. */
function completed(reader: AnswerReader, bytes: Buffer, ends: readonly number[]): number[] {
  const cuts = [...new Set([...ends.map((end) => end % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  const complete: number[] = [];
  let start = 0;
  for (const end of cuts) {
    if (end > start && reader.push(bytes.subarray(start, end), end - start)) complete.push(end);
    start = end;
  }
  return complete;
}

describe('the reader of answers that counts for the benches', () => {
  it('finds the end of an answer however its bytes arrive, one answer after another', () => {
    const answer = fc.record({
      write: fc.constantFrom(withLength, chunked, continued),
      body: fc.string({ maxLength: 400 }),
    });
    fc.assert(
      fc.property(
        fc.array(answer, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(2_000)),
        (answers, ends) => {
          const reader = new AnswerReader();
          for (const { write, body } of answers) {
            const bytes = Buffer.from(write(`<${body}>`));
            assert.deepEqual(completed(reader, bytes, ends), [bytes.length]);
            assert.equal(reader.status, write === chunked ? 500 : 200);
            assert.equal(reader.closes, write === chunked);
          }
        },
      ),
    );
  });

  it('reads answers far longer than a head may be', () => {
    const reader = new AnswerReader();
    for (const write of [withLength, chunked]) {
      const bytes = Buffer.from(write('漢字'.repeat(50_000)));
      assert.deepEqual(completed(reader, bytes, [10, 65_536, 131_072]), [bytes.length]);
    }
  });
});

describe('numbers in requests', () => {
  it('stand in place of the placeholders, as wide as they', () => {
    const text = `漢字 ${SERIAL},${ITEM},${TURN};${ITEM}`;
    assert.equal(fillIn(text, 1_234_567), '漢字 000001234567,000006,851;000006');
    assert.equal(fillIn(text, 7), '漢字 000000000007,000007,000;000007');
  });
});

describe('the CPU time of a process between two looks', () => {
  const busy = () => {
    for (let until = performance.now() + 50; performance.now() < until; );
  };

  it('has what its main thread used, and is not less because another thread ended', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       (${busy})();
       parentPort.once('message', () => {});
       parentPort.postMessage('was busy');`,
      { eval: true },
    );
    await once(worker, 'message');
    const before = treeThreads(process.pid);
    busy();
    await worker.terminate();
    const after = treeThreads(process.pid);
    const main = String(process.pid);
    const ofMain = (after.get(main) ?? 0) - (before.get(main) ?? 0);
    assert.ok(ofMain > 0, `${ofMain} µs`);
    assert.ok([...before.keys()].some((thread) => !after.has(thread)));
    const all = microsBetween(before, after);
    assert.ok(all >= ofMain, `${all} of ${ofMain} µs`);
  });
});
