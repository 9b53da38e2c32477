import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  canonicalTokenText,
  hashToken,
  newTokenText,
  TokenTextError,
} from '../../../src/domain/credentials/token-text.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const GUID_D = 'c56a4180-65aa-42ec-a945-5fd21dec0538';

describe('a new token text', () => {
  test('is ws1_, 32 characters and a checksum of 6, and is its own canonical form', () => {
    for (let count = 0; count < 100; count += 1) {
      const text = newTokenText();
      assert.match(text, /^ws1_[0-9A-Za-z]{38}$/);
      assert.equal(canonicalTokenText(text), text);
    }
  });

  test('favours no character: the generator throws away what would', () => {
    const counts = new Map([...ALPHABET].map((char) => [char, 0]));
    const texts = 6_200;
    for (let count = 0; count < texts; count += 1) {
      for (const char of newTokenText().slice(4, 36)) {
        counts.set(char, counts.get(char)! + 1);
      }
    }
    const expected = (texts * 32) / ALPHABET.length;
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0,
    );
    // 61 degrees of freedom: fair in all but one of 10^12 runs. A generator that took bytes modulo 62 would be at 2,500.
    assert.ok(chiSquare < 170, `chi square ${chiSquare}`);
  });
});

describe('a mistyped token', () => {
  test('one wrong character is seen, without any look-up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 41 }), fc.constantFrom(...ALPHABET), (at, char) => {
        const text = newTokenText();
        fc.pre(text[at] !== char);
        assert.throws(
          () => canonicalTokenText(text.slice(0, at) + char + text.slice(at + 1)),
          TokenTextError,
        );
      }),
    );
  });

  test('two characters changed about are seen', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 40 }), (at) => {
        const text = newTokenText();
        fc.pre(text[at] !== text[at + 1]);
        const swapped = `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
        assert.throws(() => canonicalTokenText(swapped), /checksum/);
      }),
    );
  });
});

describe('an imported secret', () => {
  test('has 4 to 7 characters only where that is asked for', () => {
    for (const text of ['1234', '1234567']) {
      assert.throws(() => canonicalTokenText(text), /must have 8 to 255 characters/);
      assert.equal(canonicalTokenText(text, true), text);
    }
    assert.throws(() => canonicalTokenText('123', true), /must have 4 to 255 characters/);
  });

  test('has 8 to 255 printable characters, any', () => {
    for (const text of [
      '12345678',
      'x'.repeat(255),
      'p4ss wörd',
      '密码密码密码密码',
      `<&>"'🔑🔑`,
      'ws1_ours-not',
    ]) {
      assert.equal(canonicalTokenText(text), text);
    }
    for (const text of [
      '',
      '1234567',
      'x'.repeat(256),
      'new\nline12',
      'nul\0nul12',
      'lone\ud800surrogate',
      ' 1234567 ',
    ]) {
      assert.throws(() => canonicalTokenText(text), TokenTextError, JSON.stringify(text));
    }
  });

  test('blanks around it do not count, capitals do', () => {
    assert.equal(canonicalTokenText(' Secret-1234\r\n'), 'Secret-1234');
    assert.notDeepEqual(hashToken('Secret-1234'), hashToken('secret-1234'));
  });

  test('a GUID is the same token in each of its .NET forms', () => {
    const upper = GUID_D.toUpperCase();
    for (const form of [GUID_D, upper, `{${upper}}`, `(${GUID_D})`, upper.replaceAll('-', '')]) {
      assert.equal(canonicalTokenText(form), GUID_D);
    }
    assert.throws(
      () => canonicalTokenText('{00000000-0000-0000-0000-000000000000}'),
      TokenTextError,
    );
  });

  test('what is wrong with it is told without showing it', () => {
    for (const text of [
      'hush',
      `hush${'x'.repeat(252)}`,
      'hush\thush',
      `ws1_hush${'0'.repeat(34)}`,
    ]) {
      assert.throws(
        () => canonicalTokenText(text),
        (error: Error) => error instanceof TokenTextError && !error.message.includes('hush'),
      );
    }
  });
});
