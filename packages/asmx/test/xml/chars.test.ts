import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findForbiddenUnit, isXmlChar } from '../../src/xml/chars.ts';
import { read } from './kit/reading.ts';

/** The productions of XML 1.0, fifth edition, written as the specification writes them. */
const NAME_START =
  /^[:A-Z_a-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}\u{200C}-\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{EFFFF}]$/u;
const NAME_ONLY = /^(?:[-.0-9]|\u{B7}|[\u{300}-\u{36F}]|[\u{203F}-\u{2040}])$/u;
const CHAR = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]$/u;

/** Every code point of the first plane, and the borders of the others. */
function* points(): Generator<number> {
  for (let point = 0; point <= 0xffff; point++) yield point;
  for (let plane = 1; plane <= 16; plane++) {
    for (const offset of [0, 1, 0x8000, 0xfffd, 0xfffe, 0xffff]) yield plane * 0x10000 + offset;
  }
}

test('chars: every character is allowed or forbidden as production [2] says', () => {
  for (const point of points()) {
    const character = String.fromCodePoint(point);
    const allowed = CHAR.test(character);
    assert.equal(isXmlChar(point), allowed, point.toString(16));
    // Lone surrogates never come out of a decoder.
    if (character.isWellFormed())
      assert.equal(findForbiddenUnit(`x${character}`), allowed ? -1 : 1, point.toString(16));
  }
});

test('chars: every character begins or continues a name as productions [4] and [4a] say', () => {
  for (const point of points()) {
    const character = String.fromCodePoint(point);
    if (!CHAR.test(character) || character === ':') continue;
    const starts = NAME_START.test(character);
    assert.equal(
      read(`<${character}/>`).error === undefined,
      starts,
      `start ${point.toString(16)}`,
    );
    const continues = starts || NAME_ONLY.test(character) || /[\t\n\r /]/.test(character);
    assert.equal(
      read(`<a${character}/>`).error === undefined,
      continues && character !== '/',
      `in ${point.toString(16)}`,
    );
  }
});
