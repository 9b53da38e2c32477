import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { XmlDocument } from 'libxml2-wasm';
import { DEFAULT_LIMITS } from '../../src/contract/limits.ts';
import { words } from '../../src/contract/words.ts';
import { isXmlChar } from '../../src/xml/chars.ts';
import { createXmlReader } from '../../src/xml/reader.ts';
import { escapeAttribute, escapeText, XmlWriteError } from '../../src/xml/writer.ts';

/** Text that XML can hold, with much of what needs escapes. */
const writable = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...words('& < > " ]]> 😀 中 &lt;'),
      "'",
      '\r',
      '\n',
      '\t',
      ' ',
      '\u0085',
      '\u2028',
      '\ufffd',
    ),
    fc
      .integer({ min: 0, max: 0x10ffff })
      .filter(isXmlChar)
      .map((point) => String.fromCodePoint(point)),
  ),
});

/** Reads the text and attribute of a document back. */
function readBack(document: string): { text: string; attribute: string } {
  let text = '';
  let attribute = '';
  const reader = createXmlReader(
    {
      open(element) {
        attribute = element.attributes[0]!.value;
        return 'text';
      },
      text(piece) {
        text += piece;
      },
      close() {},
    },
    { limits: DEFAULT_LIMITS },
  );
  reader.push(Buffer.from(document));
  reader.end();
  return { text, attribute };
}

test('writer: text and attributes come back as they were, through this reader and through libxml2', () => {
  fc.assert(
    fc.property(writable, writable, (text, attribute) => {
      const document = `<a b="${escapeAttribute(attribute)}">${escapeText(text)}</a>`;
      assert.deepEqual(readBack(document), { text, attribute });
      const other = XmlDocument.fromBuffer(Buffer.from(document));
      try {
        assert.equal(other.root.content, text);
        assert.equal(other.root.attr('b')?.value, attribute);
      } finally {
        other.dispose();
      }
    }),
    { numRuns: 500 },
  );
});

test('writer: attributes may stand in single quotes', () => {
  fc.assert(
    fc.property(writable, (value) => {
      assert.equal(readBack(`<a b='${escapeAttribute(value)}'/>`).attribute, value);
    }),
  );
});

test('writer: the escapes are these', () => {
  assert.equal(escapeText('a&b<c>]]>\r\n\t"\'中😀'), 'a&amp;b&lt;c&gt;]]&gt;&#xD;\n\t"\'中😀');
  assert.equal(
    escapeAttribute('a&b<c>\r\n\t"\'中😀'),
    'a&amp;b&lt;c&gt;&#xD;&#xA;&#x9;&quot;&#39;中😀',
  );
});

test('writer: a long text is written as its pieces are', () => {
  fc.assert(
    fc.property(
      fc.array(writable, { maxLength: 4 }),
      fc.integer({ min: 0, max: 80 }),
      (pieces, length) => {
        const filling = 'é'.repeat(length);
        assert.equal(
          escapeText(pieces.join(filling)),
          pieces.map((piece) => escapeText(piece)).join(filling),
        );
      },
    ),
  );
});

test('writer: what XML forbids is refused, with the character and its place, and nothing else', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    for (const text of [
      `中${String.fromCharCode(unit)}x`,
      `中${String.fromCharCode(unit)}${'x'.repeat(64)}`,
    ]) {
      for (const escapeUnit of [escapeText, escapeAttribute]) {
        if (isXmlChar(unit)) escapeUnit(text);
        else {
          assert.throws(
            () => escapeUnit(text),
            (error) => error instanceof XmlWriteError && error.point === unit && error.index === 1,
          );
        }
      }
    }
  }
});
