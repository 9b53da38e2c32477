import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { HONEST, READER_ATTACKS, type ReaderAttack } from './kit/reader-attacks.ts';
import { Target } from './kit/target.ts';

/** How much more an attack may cost than any request of the same size; unbounded ones cost hundreds of times as much. */
const MOST_TIMES_HONEST = 40;
/** For four times the bytes; 4 is linear, and small figures are inexact. */
const MOST_GROWTH = 12;
const BYTES = 200_000;
const ROUNDS = 2;

describe('a request without a credential costs no more than its share, in every reader', () => {
  let target: Target;
  const closers: (() => unknown)[] = [];
  before(async () => {
    target = await Target.start({ after: (close) => closers.push(close) });
    await cost(HONEST, BYTES);
    honest = await costOfHonest();
  });

  /** What a long text takes; ms. */
  let honest: number;
  const costOfHonest = async () => Math.max(0.5, await cost(HONEST, 4 * BYTES));

  /** The CPU time of one request; ms, the least of some. */
  async function cost({ make }: ReaderAttack, bytes: number): Promise<number> {
    const request = make(bytes);
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const { cpuMs } = await target.figures();
      const answer = await target.ask(request);
      assert.match(answer, /^HTTP\/1\.1 (4\d\d|500) /);
      least = Math.min(least, (await target.figures()).cpuMs - cpuMs);
    }
    return least;
  }

  for (const attack of READER_ATTACKS) {
    it(attack.name, async () => {
      let [once, large] = [honest, await cost(attack, 4 * BYTES)];
      if (large > MOST_GROWTH * honest) {
        // It may have been compiled meanwhile, and a small figure may be mostly something else.
        honest = await costOfHonest();
        once = Math.max(honest, await cost(attack, BYTES));
        large = await cost(attack, 4 * BYTES);
      }
      const said = `${once} ms, four times as long ${large} ms; a long text takes ${honest} ms`;
      assert.ok(large < MOST_TIMES_HONEST * honest, said);
      assert.ok(large < MOST_GROWTH * once, said);
      if (process.env.SHOW_FIGURES) console.log(attack.name.padEnd(60), said);
    });
  }

  it('and leaves the service alive', async () => {
    assert.match(
      await target.ask(Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')),
      /^HTTP\/1\.1 200 /,
    );
    for (const close of closers) await close();
  });
});
