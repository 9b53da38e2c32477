import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordedReason } from '../../../../apps/ws01/test/kit/golden-reason.ts';
import { LexicalError, parseBoolean } from '../../src/lexical/index.ts';

const WORDS = ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off', ''];
const TRUE = new Set(['true', '1', 'yes', 'on']);

function tryParse(text: string, form: 'element' | 'text'): boolean | LexicalError {
  try {
    return parseBoolean(text, form);
  } catch (error) {
    assert.ok(error instanceof LexicalError);
    return error;
  }
}

describe('boolean', () => {
  const anyCase = fc.constantFrom(...WORDS).chain((word) => fc.mixedCase(fc.constant(word)));
  const texts = fc.oneof(
    fc.string(),
    anyCase,
    anyCase.map((word) => ` ${word}\n`),
  );

  it('takes the nine words in any case as text, and nothing else', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const word = text.trim().toLowerCase();
        const expected = WORDS.includes(word) ? TRUE.has(word) : undefined;
        const actual = tryParse(text, 'text');
        assert.equal(actual instanceof LexicalError ? undefined : actual, expected);
      }),
    );
  });

  it('takes the four words of XML Schema in an element, and nothing else', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const word = text.trim();
        const expected = ['true', 'false', '1', '0', ''].includes(word)
          ? TRUE.has(word)
          : undefined;
        const actual = tryParse(text, 'element');
        assert.equal(actual instanceof LexicalError ? undefined : actual, expected);
      }),
    );
  });

  it("gives ASP.NET's reasons", () => {
    const inText = tryParse('ja', 'text');
    const inElement = tryParse(' ja ', 'element');
    assert.ok(inText instanceof LexicalError && inElement instanceof LexicalError);
    assert.equal(inText.aspnetReason, recordedReason('post/bad-bool'));
    assert.equal(inElement.aspnetReason, "The string 'ja' is not a valid Boolean value.");
  });

  it('says what was wrong without control characters or length', () => {
    const error = tryParse(`\u0000<\ud800>${'x'.repeat(1_000_000)}`, 'element');
    assert.ok(error instanceof LexicalError);
    assert.match(
      error.reason,
      /^"\ufffd<\ufffd>x{36}…" is not a boolean; write true, false, 1 or 0\.$/,
    );
  });
});
