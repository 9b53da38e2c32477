import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { parseAddress } from '../../../src/domain/values/email-address.ts';

const addressOf = (text: string): string | undefined => {
  const parsed = parseAddress(text);
  return parsed.kind === 'address' ? parsed.address : undefined;
};

const atoms = fc.stringMatching(/^[A-Za-z0-9#$&'*+/=^_{}~-]{1,10}$/);
const localParts = fc
  .array(atoms, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('.'))
  .filter((local) => !/^[/-]/.test(local));
const domains = fc.domain();
const addresses = fc.tuple(localParts, domains).map(([local, domain]) => `${local}@${domain}`);

describe('e-mail addresses', () => {
  it('keep the local part and lower the domain', () => {
    fc.assert(
      fc.property(localParts, domains, (local, domain) => {
        assert.equal(
          addressOf(`${local}@${domain.toUpperCase()}`),
          `${local}@${domain.toLowerCase()}`,
        );
      }),
    );
  });

  it('are their own canonical form', () => {
    for (const text of [
      '用户@例え。jp',
      ' Grace@BÜCHER.example ',
      'a@faß.de',
      'a@xn--r8jz45g.jp',
    ]) {
      const address = addressOf(text)!;
      assert.equal(addressOf(address), address, text);
    }
  });

  it('are one: lists and groups are told apart from what is no address', () => {
    const separators = fc.constantFrom(',', ';', ' ', ', ', '\t', '，', '；', '> <');
    fc.assert(
      fc.property(
        fc.array(addresses, { minLength: 2, maxLength: 4 }),
        separators,
        (list, separator) => {
          assert.equal(parseAddress(list.join(separator)).kind, 'several');
          assert.equal(parseAddress(`friends: ${list.join(', ')};`).kind, 'several');
        },
      ),
    );
    assert.equal(parseAddress('grace@example.com, '.repeat(50_000)).kind, 'several');
    for (const text of [
      'not, an, address',
      'grace@example.com,',
      'friends: grace@example.com;',
      'a@b@example.com',
    ]) {
      assert.equal(parseAddress(text).kind, 'invalid', text);
    }
  });

  it('have no way around: no control character, blank, bracket or quote is ever in one', () => {
    const pieces = fc.constantFrom(
      ...words('a @ . " < > ( ) [ ] : % =? 用 ＠ ℀'),
      '\\',
      ' ',
      '\r',
      '\n',
      '\0',
      '\ud800',
      '\u200b',
      '\u202e',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join('')),
        (text) => {
          for (const candidate of [
            text,
            `${text}@example.com`,
            `grace@${text}`,
            `grace@example.com${text}`,
          ]) {
            const address = addressOf(candidate);
            if (address === undefined) continue;
            assert.match(address, /^[^\s\p{Cc}\p{Cf}\p{Cs}"<>()[\]\\,;:@]+@[a-z0-9.-]+$/u);
            assert.ok(!address.includes('=?'));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('are refused when a line break is in them, even around them', () => {
    for (const text of [
      'a@b.c\r\nBcc: d@e.f',
      'a@b.c\nd@e.f',
      '\na@b.c',
      'a@b.c\r\n',
      'a\0@b.c',
      'a@b.c\u2028',
      'a@b\x85.c',
    ]) {
      assert.equal(parseAddress(text).kind, 'invalid', JSON.stringify(text));
    }
  });

  it('have at most 254 characters, 64 octets before the @ and 63 in a label', () => {
    const labels = (total: number) =>
      `${'d'.repeat(60)}.`
        .repeat(4)
        .slice(0, total - 4)
        .concat('.com');
    const whole = (length: number) =>
      `${'l'.repeat(10)}@${`${'d'.repeat(48)}.`.repeat(5).slice(0, length - 15)}.com`;
    assert.equal(addressOf(whole(254))?.length, 254);
    assert.equal(addressOf(whole(255)), undefined);
    assert.ok(addressOf(`${'l'.repeat(64)}@${labels(100)}`));
    assert.equal(addressOf(`${'l'.repeat(65)}@${labels(100)}`), undefined);
    assert.equal(addressOf(`${'用'.repeat(22)}@example.com`), undefined);
    assert.ok(addressOf(`a@${'d'.repeat(63)}.com`));
    assert.equal(addressOf(`a@${'d'.repeat(64)}.com`), undefined);
    assert.equal(addressOf(`${'a'.repeat(1_000_000)}@example.com`), undefined);
  });

  it('are refused with a sentence that says what would be right', () => {
    const parsed = parseAddress('Grace <grace@example.com>');
    assert.ok(parsed.kind === 'invalid');
    assert.match(String(parsed.reason), /; write one plain address, like grace@example\.com\.$/);
  });

  it('what a server takes for a route, a program, a file or an option is no local part', () => {
    const refused = parseAddress('host!user@example.com');
    assert.match(
      refused.kind === 'invalid' ? String(refused.reason) : '',
      /^Before the @ stands one of ! % \| `,/,
    );
    const local = [...words('a%b.com host!user |id a|b a`id` /etc/passwd -oQ/tmp % !')];
    for (const text of local) assert.equal(addressOf(`${text}@example.com`), undefined, text);
    for (const text of ['a+b', "o'brien", 'a/b', 'a-b', 'a=b', '{x}', 'a&b', '_a', '#1']) {
      assert.equal(addressOf(`${text}@example.com`), `${text}@example.com`);
    }
  });
});
