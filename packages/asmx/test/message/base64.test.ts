import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Base64Decoder, Base64Error, decodeGroups } from '../../src/message/base64.ts';

/** Decodes a text split into pieces of the given lengths, the last one repeated. */
function decode(text: string, lengths: readonly number[] = [text.length || 1]): Buffer {
  const decoder = new Base64Decoder();
  const bytes: Uint8Array[] = [];
  for (let at = 0, piece = 0; at < text.length; piece++) {
    const length = lengths[Math.min(piece, lengths.length - 1)]!;
    bytes.push(decoder.push(text.slice(at, at + length)));
    at += length;
  }
  bytes.push(decoder.end());
  const whole = Buffer.concat(bytes);
  assert.equal(decoder.bytes, whole.length);
  return whole;
}

const splits = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
const spaces = fc.array(fc.tuple(fc.nat(), fc.constantFrom(' ', '\n', '\r\n', '\t')), {
  maxLength: 20,
});

function withSpaces(text: string, inserted: readonly (readonly [number, string])[]): string {
  let result = text;
  for (const [at, space] of inserted) {
    const index = at % (result.length + 1);
    result = result.slice(0, index) + space + result.slice(index);
  }
  return result;
}

test('base64: what was encoded comes back, in either alphabet, with or without padding, spaced and split anywhere', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.boolean(),
      fc.nat(2),
      spaces,
      splits,
      (bytes, url, drop, blank, split) => {
        const full = Buffer.from(bytes).toString('base64');
        const padding = full.length - full.replaceAll('=', '').length;
        const padded = full.slice(0, full.length - Math.min(drop, padding));
        const text = withSpaces(
          url ? padded.replaceAll('+', '-').replaceAll('/', '_') : padded,
          blank,
        );
        assert.deepEqual(decode(text, split), Buffer.from(bytes));
      },
    ),
  );
});

test('base64: any text is either decoded or refused, and alike however it is split', () => {
  const text = fc.string({
    unit: fc.constantFrom('A', 'b', '9', '+', '/', '-', '_', '=', ' ', '\n', '!', '字'),
    maxLength: 24,
  });
  fc.assert(
    fc.property(text, splits, (given, split) => {
      const outcome = (lengths?: number[]) => {
        try {
          return decode(given, lengths).toString('hex');
        } catch (error) {
          assert.ok(error instanceof Base64Error);
          return 'refused';
        }
      };
      assert.equal(outcome(split), outcome());
    }),
    { numRuns: 2000 },
  );
});

test('base64: padding that is too long is taken, as by ASP.NET', () => {
  for (const [text, bytes] of [
    ['AAAA====', '\0\0\0'],
    ['====', ''],
    ['YQ====', 'a'],
    ['YWI= = =\n', 'ab'],
  ] as const) {
    assert.equal(Buffer.from(decode(text)).toString('latin1'), bytes);
  }
});

const refused: readonly [string, RegExp, number][] = [
  ['AAA!', /character "!" does not belong/, 3],
  ['AA中A', /character "中" does not belong/, 2],
  ['QQ==QQ==', /follows the base64 padding/, 4],
  ['=QQ', /follows the base64 padding/, 1],
  ['Q===', /in the middle of a base64 group/, 3],
  ['AAAAB', /in the middle of a base64 group/, 4],
  ['&', /character "&"/, 0],
];
for (const [text, message, index] of refused) {
  test(`base64: ${text} is refused with the reason and its place`, () => {
    assert.throws(
      () => decode(text),
      (error) =>
        error instanceof Base64Error && message.test(error.message) && error.index === index,
    );
  });
}

test('base64: what older engines need reads as the engine does', () => {
  const unit = fc.constantFrom('A', 'b', '9', '+', '/', '=', ' ', '\n', '\f', '\v', '!', '-', '字');
  const some = fc.string({ unit, maxLength: 16 });
  const good = fc
    .uint8Array({ maxLength: 12 })
    .map((bytes) => Buffer.from(bytes).toString('base64'));
  const outcome = (decode: (room: Buffer) => { read: number; written: number }) => {
    const room = Buffer.alloc(64);
    try {
      const { read, written } = decode(room);
      return [read, written, room.toString('hex')];
    } catch (error) {
      assert.ok(error instanceof SyntaxError);
      return 'refused';
    }
  };
  const same = fc.property(
    fc.oneof(
      some,
      fc.tuple(good, some).map((parts) => parts.join('')),
    ),
    (text) => {
      const native = outcome((room) =>
        room.setFromBase64(text, { lastChunkHandling: 'stop-before-partial' }),
      );
      const own = outcome((room) => decodeGroups(room, text));
      if (native !== 'refused') assert.deepEqual(own, native, JSON.stringify(text));
      else assert.equal(own, 'refused', JSON.stringify(text));
    },
  );
  fc.assert(same, { numRuns: 20_000 });
});

test('base64: a group that waits is not grown by white space', () => {
  const decoder = new Base64Decoder();
  decoder.push('Q');
  for (let i = 0; i < 1000; i++) assert.equal(decoder.push(' '.repeat(100)).length, 0);
  assert.equal(decoder.push('Q==').length, 0);
  assert.equal(Buffer.from(decoder.end()).toString(), 'A');
});
