import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Parameter } from '../../src/contract/service.ts';
import { checkText, LexicalError } from '../../src/lexical/index.ts';

const parameter = (parts: Partial<Parameter>): Parameter => ({
  name: 'caption',
  type: 'string',
  documentation: '',
  sample: '',
  ...parts,
});

const accepts = (text: string, parts: Partial<Parameter>): boolean => {
  try {
    checkText(text, parameter(parts));
    return true;
  } catch (error) {
    assert.ok(error instanceof LexicalError);
    assert.ok(error.reason.length < 100 && error.reason.isWellFormed());
    return false;
  }
};

describe('text', () => {
  /** Characters at every edge of XML 1.0's production Char, lone surrogates among them. */
  const edges = [
    '\0',
    '\x08',
    '\t',
    '\n',
    '\x0b',
    '\f',
    '\r',
    '\x0e',
    '\x1f',
    ' ',
    '~',
    '\x7f',
    '\x85',
    '\ud7ff',
    '\ud800',
  ];
  const units = [
    ...edges,
    '\udbff',
    '\udc00',
    '\udfff',
    '\ue000',
    '\ufffd',
    '\ufffe',
    '\uffff',
    '字',
    '😀',
    '\u{10ffff}',
  ];
  const texts = fc
    .array(fc.constantFrom(...units, 'a', 'b', '<', '&'), { maxLength: 12 })
    .map((parts) => parts.join(''));
  const isXmlText = (text: string) =>
    /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text);

  it("accepts exactly XML's characters", () => {
    fc.assert(
      fc.property(texts, (text) => assert.equal(accepts(text, {}), isXmlText(text))),
      { numRuns: 2000 },
    );
  });

  it('accepts no line breaks and tabs in a text of one line', () => {
    fc.assert(
      fc.property(texts, (text) => {
        assert.equal(
          accepts(text, { singleLine: true }),
          isXmlText(text) && !/[\t\n\r]/.test(text),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('counts length in code points', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '字', '\n', '😀', '\u{10ffff}'), maxLength: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (text, maxLength) => {
          assert.equal(accepts(text, { maxLength }), [...text].length <= maxLength);
        },
      ),
    );
    assert.ok(accepts('😀'.repeat(200), { maxLength: 200 }));
    assert.ok(!accepts('😀'.repeat(201), { maxLength: 200 }));
    assert.ok(accepts('字'.repeat(2_000_000), { maxLength: 2_000_000 }));
  });

  it('says which character is wrong and where', () => {
    assert.throws(() => checkText('ab\u0000', parameter({})), /Character 3 of the text is U\+0000/);
    assert.throws(() => checkText('字\ufffe', parameter({})), /Character 2 of the text is U\+FFFE/);
    assert.throws(() => checkText('a\nb', parameter({ singleLine: true })), /one line/);
    assert.throws(() => checkText('abc', parameter({ maxLength: 2 })), /longer than 2 characters/);
  });
});
