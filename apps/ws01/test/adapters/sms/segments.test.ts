import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { segment } from '../../../src/adapters/sms/segments.ts';

const sizes = (text: string) => segment(text).parts.map(({ length }) => length);

it('160 characters of the default alphabet are one part, 161 are two of at most 153', () => {
  assert.deepEqual(
    [segment('x').encoding, sizes('x'.repeat(160)), sizes('x'.repeat(161))],
    ['gsm7', [160], [153, 8]],
  );
  assert.deepEqual(sizes('x'.repeat(306)), [153, 153]);
  assert.deepEqual(sizes(''), [0]);
});

it('the default alphabet has these codes (3GPP TS 23.038)', () => {
  const codes = [...segment('@£$ΔΩÆ !¤0?¡AZÄÑ§¿azäñà\n').parts[0]!];
  assert.deepEqual(
    codes,
    [
      0x00, 0x01, 0x02, 0x10, 0x15, 0x1c, 0x20, 0x21, 0x24, 0x30, 0x3f, 0x40, 0x41, 0x5a, 0x5b,
      0x5d, 0x5f, 0x60, 0x61, 0x7a, 0x7b, 0x7d, 0x7f, 0x0a,
    ],
  );
});

it('brackets and the euro sign take two, and are not cut apart', () => {
  assert.deepEqual([...segment('€[').parts[0]!], [0x1b, 0x65, 0x1b, 0x3c]);
  assert.deepEqual(sizes('€'.repeat(80)), [160]);
  assert.deepEqual(sizes(`${'x'.repeat(152)}€${'x'.repeat(10)}`), [152, 12]);
});

it('any other character makes it UCS-2: 70 alone, 67 together, surrogates not cut apart', () => {
  assert.deepEqual([segment('漢').encoding, [...segment('漢').parts[0]!]], ['ucs2', [0x6f, 0x22]]);
  assert.deepEqual([sizes('漢'.repeat(70)), sizes('漢'.repeat(71))], [[140], [134, 8]]);
  assert.deepEqual(sizes(`${'漢'.repeat(66)}😀${'漢'.repeat(10)}`), [132, 24]);
  // The backtick looks plain and is not in the alphabet.
  assert.equal(segment('`').encoding, 'ucs2');
});

it('the parts say the text again, whatever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const { encoding, parts } = segment(`漢${text}`);
      assert.equal(encoding, 'ucs2');
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
      assert.equal(bytes.swap16().toString('utf16le'), `漢${text}`.toWellFormed());
    }),
  );
});
