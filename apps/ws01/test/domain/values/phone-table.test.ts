import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizePhone } from '../../../src/domain/values/phone.ts';

/**
 * Mobile numbers of countries as people write them: E.164, and as it is dialled at home. Ranges that are kept free for
 * films and tests where the country has some.
 */
const COUNTRIES: readonly (readonly [country: string, number: string, home: string])[] = [
  ['US', '+12015550123', '(201) 555-0123'],
  ['CA', '+15062345678', '(506) 234-5678'],
  ['MX', '+525512345678', '55 1234 5678'],
  ['BR', '+5511961234567', '(11) 96123-4567'],
  ['AR', '+5491123456789', '011 15-2345-6789'],
  ['CL', '+56961234567', '9 6123 4567'],
  ['CO', '+573211234567', '321 1234567'],
  ['GB', '+447400123456', '07400 123456'],
  ['IE', '+353850123456', '085 012 3456'],
  ['FR', '+33612345678', '06 12 34 56 78'],
  ['DE', '+4915123456789', '01512 3456789'],
  ['IT', '+393123456789', '312 345 6789'],
  ['ES', '+34612345678', '612 34 56 78'],
  ['NL', '+31612345678', '06 12345678'],
  ['CH', '+41781234567', '078 123 45 67'],
  ['AT', '+43664123456', '0664 123456'],
  ['PL', '+48512345678', '512 345 678'],
  ['HU', '+36201234567', '06 20 123 4567'],
  ['SE', '+46701234567', '070-123 45 67'],
  ['RU', '+79123456789', '8 (912) 345-67-89'],
  ['UA', '+380501234567', '050 123 4567'],
  ['TR', '+905012345678', '0501 234 56 78'],
  ['EG', '+201001234567', '0100 123 4567'],
  ['ZA', '+27711234567', '071 123 4567'],
  ['NG', '+2348021234567', '0802 123 4567'],
  ['SA', '+966512345678', '051 234 5678'],
  ['IR', '+989123456789', '0912 345 6789'],
  ['IN', '+918123456789', '081234 56789'],
  ['CN', '+8613123456789', '131 2345 6789'],
  ['JP', '+819012345678', '090-1234-5678'],
  ['KR', '+821020000000', '010-2000-0000'],
  ['VN', '+84912345678', '0912 345 678'],
  ['ID', '+62812345678', '0812-345-678'],
  ['AU', '+61412345678', '0412 345 678'],
];

/** Calling codes; what stands behind one is the number without its trunk zero. */
const CODE = /^\+(1|7|20|27|3[0-469]|4\d|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The digits of other scripts, and the marks that come with what is copied. */
const ARABIC = 0x660;
const PERSIAN = 0x6f0;
const DEVANAGARI = 0x966;
const inScript = (text: string, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));

/** How people write a number: the text, by what is done to it. */
function waysOf(number: string, home: string): Readonly<Record<string, string>> {
  const [, code = ''] = CODE.exec(number) ?? [];
  const rest = number.slice(1 + code.length);
  return {
    'with +': number,
    'with 00': `00 ${code} ${rest}`,
    'with + and 00': `+00${code}${rest}`,
    'country code without +': `${code} ${rest}`,
    'at home': home,
    'at home, without trunk zero': rest,
    'trunk zero in brackets': `+${code} (0) ${rest}`,
    'hyphens and dots': `+${code}-${rest.slice(0, 3)}.${rest.slice(3)}`,
    'Arabic digits': inScript(home, ARABIC),
    'Persian digits': inScript(number, PERSIAN),
    'Devanagari digits': inScript(`00${code}${rest}`, DEVANAGARI),
    'marks of direction': `\u202a\u200e${number}\u202c`,
    'blanks that do not break': home.replaceAll(' ', '\u00a0'),
  };
}

describe('how people write a number', () => {
  for (const [country, number, home] of COUNTRIES) {
    it(`${country}: each way is ${number}`, () => {
      const ways = waysOf(number, home);
      const read = Object.entries(ways).map(([way, text]) => [
        way,
        normalizePhone(text, 'cellphone', country),
      ]);
      assert.deepEqual(
        read,
        Object.keys(ways).map((way) => [way, number]),
      );
      if (home.startsWith('0')) {
        const [, code = ''] = CODE.exec(number) ?? [];
        for (const text of [`+${home}`, `+${code}${home}`, `${code}${home}`])
          assert.equal(normalizePhone(text, 'cellphone', country), number, text);
      }
    });
  }

  it('a number of another country without + is found where it is none of the default country', () => {
    for (const [country, , text, number] of [
      ['US', 'DE', '49 1512 3456789', '+4915123456789'],
      ['GB', 'IN', '918123456789', '+918123456789'],
      ['CN', 'GB', '447400123456', '+447400123456'],
      ['FR', 'TR', '905012345678', '+905012345678'],
    ] as const)
      assert.equal(normalizePhone(text, 'cellphone', country), number);
  });

  it('old digits of Mexico and Argentina', () => {
    for (const text of ['+52 1 55 1234 5678', '0052 1 5512345678', '521 55 1234 5678'])
      assert.equal(normalizePhone(text, 'cellphone', 'US'), '+525512345678', text);
    for (const text of ['044 55 1234 5678', '045 55 1234 5678', '01 55 1234 5678'])
      assert.equal(normalizePhone(text, 'cellphone', 'MX'), '+525512345678', text);
    for (const text of ['+54 11 15 2345 6789', '+54 9 11 2345-6789'])
      assert.equal(normalizePhone(text, 'cellphone'), '+5491123456789', text);
  });

  it('what is merely possible is taken as it is written, and is one number in each form', () => {
    for (const [country, text, number] of [
      ['DE', '12345', '+4912345'],
      ['GB', '07700 900123', '+447700900123'],
      [undefined, '+44 7700 900123', '+447700900123'],
    ] as const)
      assert.equal(normalizePhone(text, 'cellphone', country), number);
  });
});
