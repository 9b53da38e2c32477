import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { Ws01Error } from '../../../src/contract/errors.ts';
import { maskPhone, normalizePhone, requiredPhone } from '../../../src/domain/values/phone.ts';

const countries = getCountries().filter((country) => country in examples);
const exampleOf = (country: CountryCode) => getExampleNumber(country, examples)!;

const refusal = (code: string) => (error: unknown) =>
  error instanceof Ws01Error && error.code === code && error.parameter === 'cellphone';

/** Texts of one number as people write it: full-width digits, separators of every kind, `00` for `+`. */
function spellings(e164: string): readonly string[] {
  const digits = e164.slice(1);
  const wide = [...e164].map((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join('');
  return [
    e164,
    `00${digits}`,
    wide,
    [...e164].join(' '),
    `+${digits.slice(0, 3)} (${digits.slice(3, 5)}) ${digits.slice(5, 7)}-${digits.slice(7)}`,
    `00 ${digits.slice(0, 4)}.${digits.slice(4)}`,
    `\u202a+${digits.slice(0, 4)}\u00a0${digits.slice(4, 6)}\u2011${digits.slice(6)}\u202c`,
    `　＋${digits.slice(0, 2)}－${digits.slice(2, 4)}／${digits.slice(4)}　`,
  ];
}

describe('phone numbers', () => {
  it('have one form however they are written, in every country', () => {
    for (const country of countries) {
      const { number } = exampleOf(country);
      for (const spelling of spellings(number)) {
        assert.equal(normalizePhone(spelling, 'cellphone'), number, `${country}: ${spelling}`);
        assert.equal(
          normalizePhone(spelling, 'cellphone', 'CN'),
          number,
          `${country}: ${spelling}, default CN`,
        );
      }
    }
  });

  it('of the default country may be written as they are dialled there', () => {
    for (const country of countries) {
      const example = exampleOf(country);
      assert.equal(
        normalizePhone(example.formatNational(), 'cellphone', country),
        example.number,
        country,
      );
    }
  });

  it('are their own normal form', () => {
    const digits = fc.stringMatching(/^[0-9]{1,17}$/);
    const texts = fc
      .tuple(fc.constantFrom('', '+', '00', '+1', '+86', '+39', '+52', '+54'), digits)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.constantFrom(undefined, 'CN', 'IT', 'US', 'GB'), (text, country) => {
        let number: string | undefined;
        try {
          number = normalizePhone(text, 'cellphone', country);
        } catch (error) {
          assert.ok(refusal('InvalidParameter')(error));
          return;
        }
        assert.match(
          number!,
          country === undefined ? /^(?:\+[0-9]{5,15}|[0-9]{5,15})$/ : /^\+[0-9]{5,15}$/,
        );
        assert.equal(normalizePhone(number!, 'cellphone', country), number);
      }),
      {
        numRuns: 1000,
        examples: [
          ['0320000000', 'IT'],
          ['0010013100000', undefined],
        ],
      },
    );
  });

  it('that are missing where one is required are told so', () => {
    for (const text of [undefined, '', ' ', '　', '()- ']) {
      assert.throws(() => requiredPhone(text, 'cellphone'), refusal('MissingParameter'));
    }
    assert.equal(requiredPhone('+12125550100', 'cellphone'), '+12125550100');
  });

  it('are never echoed in an error', () => {
    for (const text of [
      '+1 212 555 0100 ext 5',
      '+442079',
      '1234',
      '1234567890123456',
      'x'.repeat(100_000),
    ]) {
      assert.throws(
        () => normalizePhone(text, 'cellphone'),
        (error: Ws01Error) =>
          refusal('InvalidParameter')(error) &&
          !error.message.includes(text) &&
          error.message.length < 150,
      );
    }
  });

  it('answer any text with a number, nothing or an error', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'+0123456789 -()./٣３①²x\u0000', '😀', '\ud800') }),
        (text) => {
          for (const country of [undefined, 'CN']) {
            try {
              normalizePhone(text, 'cellphone', country);
            } catch (error) {
              assert.ok(refusal('InvalidParameter')(error), String(error));
            }
          }
        },
      ),
    );
  });

  it('are masked but for two digits', () => {
    assert.equal(maskPhone('+12125550100'), '+*********00');
    assert.equal(maskPhone('13812345678'), '*********78');
    assert.equal(maskPhone('12345'), '***45');
    assert.equal(maskPhone(''), '');
  });
});
