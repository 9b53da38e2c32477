import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Base64Decoder, Base64Error } from '../../src/message/base64.ts';
import { LostPlus, readAs } from '../../src/message/files/lost-plus.ts';
import { LOST_PLUS } from '../../src/message/percent.ts';

/** What a text out of a form is decoded to, cut into pieces of a length. */
function read(text: string, length: number): Buffer {
  const waiting: string[] = [];
  const blanks = new LostPlus((part) => waiting.push(part));
  const decoder = new Base64Decoder();
  const bytes: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += length)
    bytes.push(decoder.push(blanks.take(text.slice(at, at + length))));
  const { reading, bytes: expected } = blanks.end();
  if (blanks.waits) {
    for (const part of waiting)
      bytes.push(decoder.push(readAs(Buffer.from(part, 'latin1'), reading).toString('latin1')));
    bytes.push(decoder.end());
    assert.equal(decoder.bytes, expected);
  } else bytes.push(decoder.end());
  return Buffer.concat(bytes);
}

/** What tells the content of a text out of a form from others; the text is cut into pieces of a length. */
function digestOf(text: string, length = text.length): string {
  const blanks = new LostPlus(() => {});
  for (let at = 0; at < text.length; at += length) blanks.take(text.slice(at, at + length));
  return blanks.end().digest;
}

const content = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes));
const piece = fc.integer({ min: 1, max: 50 });

it('a blank that was an unencoded + is one, wherever the text is cut', () => {
  fc.assert(
    fc.property(content, piece, (bytes, length) => {
      const text = bytes.toString('base64');
      const lost = text.replaceAll('+', LOST_PLUS);
      // Those that all stand between groups of four, as many as make whole groups, could be either.
      const positions = [...text.matchAll(/\+/g)].map(({ index }, before) => index - before);
      const either = positions.length % 4 === 0 && positions.every((at) => at % 4 === 0);
      if (either && positions.length > 0) return;
      assert.deepEqual(read(lost, length), bytes);
      assert.equal(digestOf(lost, length), digestOf(text));
    }),
  );
});

it('blanks and line breaks of lines, and around the text, are left out', () => {
  fc.assert(
    fc.property(
      content,
      piece,
      fc.constantFrom(' ', LOST_PLUS, '\r\n', '\r\n ', '\n\t'),
      (bytes, length, end) => {
        const text = bytes.toString('base64');
        const lines = text.match(/.{1,76}/g)!.join(end);
        assert.deepEqual(read(` ${lines} \n`, length), bytes);
        assert.equal(digestOf(` ${lines} \n`, length), digestOf(text));
      },
    ),
  );
});

it('a content has one digest in both alphabets, with and without padding, another content another', () => {
  const other = digestOf(Buffer.from([0xfb, 0xff, 0xbe, 0xff]).toString('base64'));
  const bytes = Buffer.from([0xfb, 0xff, 0xbf, 0xff]);
  const texts = ['+/+//w==', '-_-__w==', '-_-__w'];
  for (const text of texts) {
    assert.deepEqual(Buffer.from(text, 'base64'), bytes);
    assert.equal(digestOf(text), digestOf(texts[0]!), text);
    assert.notEqual(digestOf(text), other);
  }
});

it('blanks around the text are no part of it, in whatever pieces they come', () => {
  for (const text of ['QUI   ', '   QUI', ' QUI '])
    for (const length of [1, 2, 3, 50])
      assert.deepEqual(read(text, length), Buffer.from('AB'), `${text} by ${length}`);
});

it('what is no base64 is refused before anything is written of it', () => {
  for (const text of ['QUJ DR!=', 'QU JD=QUJD', 'QUJD= QUJD', 'A B C D E', 'QUJ \u00e9QUI']) {
    for (const length of [1, 3, 50]) assert.throws(() => read(text, length), Base64Error, text);
  }
});

it('any text is decoded, or refused before anything is written of it', () => {
  const text = fc.string({
    unit: fc.constantFrom('A', 'b', '+', '=', ' ', LOST_PLUS),
    maxLength: 20,
  });
  fc.assert(
    fc.property(text, piece, (given, length) => {
      let ended = false;
      const blanks = new LostPlus(() => {});
      try {
        blanks.take(given);
        blanks.end();
        ended = true;
      } catch (error) {
        assert.ok(error instanceof Base64Error);
      }
      if (ended && blanks.waits) read(given, length);
    }),
    { numRuns: 2_000 },
  );
});

it('a content has one digest, wherever its text is cut between two that were + of either kind', () => {
  for (const lost of [LOST_PLUS, ' '])
    for (const length of [1, 3, 4, 8])
      assert.equal(digestOf('ab+d+fgh'.replaceAll('+', lost), length), digestOf('ab+d+fgh'), lost);
});
