import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineLimits } from '../../src/contract/limits.ts';
import { createXmlReader, XmlError } from '../../src/xml/reader.ts';
import { pieces } from './kit/reading.ts';
import { SHAPES } from './kit/shapes.ts';

const FAR = 1 << 30;
/** As good as none, so that the law itself is seen. */
const wide = defineLimits({
  bodyBytes: FAR,
  depth: FAR,
  elements: FAR,
  attributes: FAR,
  namespaces: FAR,
  nameChars: FAR,
  attributeValueChars: FAR,
  textChars: FAR,
});

const narrow = defineLimits({ elements: 1_000, attributeValueChars: 4_000, textChars: 4_000 });

interface Cost {
  readonly steps: number;
  /** The most that was kept at any time between pushes. */
  readonly held: number;
  readonly refused: boolean;
}

function cost(document: string, size: number, limits = wide): Cost {
  const reader = createXmlReader({ open: () => 'text', text() {}, close() {} }, { limits });
  let held = 0;
  try {
    for (const piece of pieces(Buffer.from(document), [size])) {
      reader.push(piece);
      held = Math.max(held, reader.held);
    }
    reader.end();
    return { steps: reader.steps, held, refused: false };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    assert.equal(error.code, 'limit', error.message);
    return { steps: reader.steps, held, refused: true };
  }
}

/** Costs of n, 2n, 4n and 8n. */
const START = 200;
const SIZES = [START, 2 * START, 4 * START, 8 * START];

for (const { name, make } of SHAPES) {
  test(`growth: ${name}: twice the size is at most 2.5 times the work and the memory, three doublings in a row`, () => {
    for (const pieceSize of [FAR, 1]) {
      const costs = SIZES.map((n) => cost(make(n), pieceSize));
      for (let i = 1; i < costs.length; i++) {
        const [before, after] = [costs[i - 1]!, costs[i]!];
        const what = `pieces of ${pieceSize}, n = ${SIZES[i]}: ${JSON.stringify([before, after])}`;
        assert.equal(after.refused, false, what);
        assert.ok(after.steps <= 2.5 * before.steps, `steps, ${what}`);
        assert.ok(after.held <= 2.5 * before.held + 100, `held, ${what}`);
      }
      // Linear in the document itself, whatever the shape: no unit is looked at more than a few times.
      const last = make(SIZES.at(-1)!).length;
      assert.ok(
        costs.at(-1)!.steps <= 12 * last + 1000,
        `${costs.at(-1)!.steps} steps for ${last} characters`,
      );
    }
  });

  test(`growth: ${name}: beyond a limit it ends early, whatever still follows`, () => {
    const [one, two] = [cost(make(5_000), 1_000, narrow), cost(make(10_000), 1_000, narrow)];
    assert.equal(one.refused, two.refused);
    assert.ok(two.steps <= (one.refused ? 1 : 2.5) * one.steps, JSON.stringify([one, two]));
  });
}

test('growth: memory does not grow with text that is handed on', () => {
  for (const unit of ['x', '中', '&lt;', '<![CDATA[x]]>', '<b/>', '<!-- x -->']) {
    const { held } = cost(`<a>${unit.repeat(20_000)}</a>`, 1000);
    assert.ok(held < 1000, `${unit}: ${held}`);
  }
});
