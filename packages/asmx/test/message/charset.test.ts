import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { words } from '../../src/contract/words.ts';
import { type CharsetDecoder, charsetDecoder, isLegacyCharset } from '../../src/message/charset.ts';
import { CHARACTER } from '../kit/random.ts';

/** Decodes bytes pushed in pieces of these lengths, the last one repeated. */
function decode(decoder: CharsetDecoder, bytes: Uint8Array, split: readonly number[]): string {
  let text = '';
  for (let at = 0, piece = 0; at < bytes.length && !decoder.invalid; piece++) {
    const length = split[Math.min(piece, split.length - 1)]!;
    const copy = Uint8Array.from(bytes.subarray(at, at + length));
    text += decoder.decode(copy, false);
    copy.fill(0x21);
    at += length;
  }
  return decoder.invalid ? text : text + decoder.decode(new Uint8Array(0), true);
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => Buffer.from(text)),
  fc
    .array(
      fc.constantFrom(
        0x41,
        0xc3,
        0xa9,
        0xe4,
        0xb8,
        0xad,
        0xf0,
        0x9f,
        0x98,
        0x80,
        0xed,
        0xa0,
        0xff,
        0x30,
      ),
      {
        maxLength: 30,
      },
    )
    .map((list) => Uint8Array.from(list)),
);
const splits = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
const encodings = words('utf-8 utf-16le utf-16be gbk gb18030 shift_jis big5 euc-jp windows-1251');

for (const name of encodings) {
  test(`charset: ${name}, however split, is what TextDecoder makes of the whole; strict stops where it is invalid`, () => {
    fc.assert(
      fc.property(bytes, splits, (given, split) => {
        const expected = new TextDecoder(name, { ignoreBOM: true }).decode(given);
        assert.equal(decode(charsetDecoder(name, false)!, given, split), expected);
        const strict = charsetDecoder(name, true)!;
        const text = decode(strict, given, split);
        let isValid = true;
        try {
          new TextDecoder(name, { fatal: true, ignoreBOM: true }).decode(given);
        } catch {
          isValid = false;
        }
        assert.equal(strict.invalid, !isValid);
        assert.ok(
          isValid
            ? text === expected
            : expected.startsWith(text) && expected[text.length] === '\ufffd',
        );
      }),
      { numRuns: 500 },
    );
  });
}

test('charset: ISO-8859-1 and US-ASCII are those of IANA, by any of their names', () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (const name of ['ISO-8859-1', 'latin1', ' l1 ', 'cp819']) {
    assert.equal(
      charsetDecoder(name, true)!.decode(all, true),
      Buffer.from(all).toString('latin1'),
    );
  }
  for (const name of ['US-ASCII', 'ascii']) {
    const text = charsetDecoder(name, false)!.decode(all, true);
    assert.equal(text, Buffer.from(all.subarray(0, 128)).toString('latin1') + '?'.repeat(128));
    const strict = charsetDecoder(name, true)!;
    assert.equal(strict.decode(all, true).length, 128);
    assert.equal(strict.invalid, true);
  }
  assert.equal(charsetDecoder('windows-1252', true)!.decode(Uint8Array.of(0x80), true), '€');
});

/** Of the 17,048 characters of two bytes in order of their bytes, as Python's `cp949` has them. */
const CODE_PAGE_949 = 'f49bf642f090c1ce9815815ce783022b6deebb12346af361db70c72d9d7bb59d';

test('charset: Korean is all of code page 949, by each of its names, however split', () => {
  const read: string[] = [];
  const whole: number[] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x41; trail <= 0xfe; trail++) {
      const decoder = charsetDecoder('ks_c_5601-1987', true)!;
      const text = decoder.decode(Uint8Array.of(lead, trail), true);
      if (decoder.invalid) continue;
      assert.equal(text.length, 1);
      whole.push(lead, trail);
      read.push(text);
    }
  }
  assert.equal(read.length, 17_236);
  const ofWindows = read.filter((char) => char < '\ue000' || char > '\ue0bb').join('');
  assert.equal(createHash('sha256').update(ofWindows).digest('hex'), CODE_PAGE_949);
  assert.ok(ofWindows.includes('€') && ofWindows.includes('®') && ofWindows.includes('똠'));
  for (const name of ['euc-kr', 'KS_C_5601-1987', 'windows-949', 'cp949', 'uhc', 'korean']) {
    for (const split of [[1], [3], [whole.length]]) {
      assert.equal(
        decode(charsetDecoder(name, true)!, Uint8Array.from(whole), split),
        read.join(''),
        name,
      );
    }
  }
  for (const broken of [[0x80], [0xff], [0xb0], [0xb0, 0x20], [0xc6, 0x53], [0xc9, 0x41]]) {
    const lenient = charsetDecoder('euc-kr', false)!;
    assert.match(decode(lenient, Uint8Array.from(broken), [1]), /\ufffd/);
    assert.equal(lenient.replaced, true);
    const strict = charsetDecoder('euc-kr', true)!;
    decode(strict, Uint8Array.from(broken), [1]);
    assert.equal(strict.invalid, true);
  }
});

test('charset: code pages of DOS and Macs that TextDecoder does not know', () => {
  for (const [name, byte, char] of [
    ['DOS-720', 0x98, 'ء'],
    ['ibm737', 0x80, 'Α'],
    ['ibm775', 0x80, 'Ć'],
    ['ibm852', 0x88, 'ł'],
    ['IBM855', 0x80, 'ђ'],
    ['ibm857', 0x8d, 'ı'],
    ['IBM00858', 0xd5, '€'],
    ['IBM860', 0x84, 'ã'],
    ['ibm861', 0x8d, 'Þ'],
    ['DOS-862', 0x80, 'א'],
    ['IBM863', 0x84, 'Â'],
    ['IBM865', 0x9d, 'Ø'],
    ['ibm869', 0x86, 'Ά'],
    ['x-mac-ce', 0x88, 'ą'],
    ['x-mac-greek', 0xb0, 'Α'],
    ['x-mac-turkish', 0xdd, 'ı'],
    ['x-mac-icelandic', 0xdf, 'þ'],
    ['x-mac-romanian', 0xae, 'Ă'],
    ['x-mac-croatian', 0xa9, 'Š'],
  ] as const) {
    const decoder = charsetDecoder(name, true);
    assert.equal(decoder?.decode(Uint8Array.of(0x41, byte), true), `A${char}`, name);
  }
  const hole = charsetDecoder('ibm869', false)!;
  assert.equal(hole.decode(Uint8Array.of(0x80), true), '\ufffd');
  assert.equal(hole.replaced, true);
});

test('charset: unknown names are undefined, prototype names among them', () => {
  for (const name of [...words('klingon utf-7 utf-64 constructor __proto__ replacement'), '']) {
    assert.equal(charsetDecoder(name, true), undefined, name);
  }
});

test('charset: a legacy one is a superset of ASCII that is no UTF', () => {
  for (const name of ['gb18030', 'windows-1252', 'Shift_JIS', 'ibm850'])
    assert.equal(isLegacyCharset(name), true, name);
  for (const name of ['utf-8', 'utf-16', 'utf-32', 'iso-2022-jp', 'ibm037', 'klingon', '']) {
    assert.equal(isLegacyCharset(name), false, name);
  }
});

test('charset: UTF-32, however split; what is no character is replaced', () => {
  fc.assert(
    fc.property(fc.string({ unit: CHARACTER, maxLength: 20 }), splits, (text, split) => {
      const points = Uint32Array.from(Array.from(text, (char) => char.codePointAt(0)!));
      const given = new Uint8Array(points.buffer);
      assert.equal(decode(charsetDecoder('utf-32', true)!, given, split), text);
      assert.equal(
        decode(charsetDecoder('utf-32be', true)!, Buffer.from(given).swap32(), split),
        text,
      );
    }),
  );
  const broken = Uint8Array.of(0x41, 0, 0, 0, 0, 0xd8, 0, 0, 0, 0, 0x11, 0, 0x42, 0);
  const lenient = charsetDecoder('utf-32', false)!;
  assert.equal(decode(lenient, broken, [3]), 'A\ufffd\ufffd\ufffd');
  assert.equal(lenient.replaced, true);
  const strict = charsetDecoder('utf-32', true)!;
  assert.equal(decode(strict, broken, [14]), 'A');
  assert.equal(strict.invalid, true);
});
