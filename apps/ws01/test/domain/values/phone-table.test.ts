import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizePhone } from '../../../src/domain/values/phone.ts';
import { CALLING_CODE, NUMBERS_OF_COUNTRIES, waysToWrite } from '../../kit/phone-numbers.ts';

describe('how people write a number', () => {
  for (const [country, number, home] of NUMBERS_OF_COUNTRIES) {
    it(`${country}: each way is ${number}`, () => {
      const ways = waysToWrite(number, home);
      const read = Object.entries(ways).map(([way, text]) => [
        way,
        normalizePhone(text, 'cellphone', country),
      ]);
      assert.deepEqual(
        read,
        Object.keys(ways).map((way) => [way, number]),
      );
      if (home.startsWith('0')) {
        const [, code = ''] = CALLING_CODE.exec(number) ?? [];
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

  it('what is dialled before numbers of other countries, in each country', () => {
    for (const [country, prefix] of [
      ['US', '011'],
      ['AU', '0011'],
      ['JP', '010'],
      ['KR', '001'],
      ['TH', '001'],
      ['RU', '8~10'],
      ['BR', '0015'],
      ['FI', '990'],
      ['KE', '000'],
    ] as const)
      assert.equal(normalizePhone(`${prefix} 44 7400 123456`, 'x', country), '+447400123456');
  });

  it('a zero too few or too many', () => {
    assert.equal(normalizePhone('049 1512 3456789', 'cellphone', 'DE'), '+4915123456789');
    assert.equal(normalizePhone('+56 09 6123 4567', 'cellphone'), '+56961234567');
  });

  it('letters, extensions and two numbers are none', () => {
    for (const text of ['0151 2345 6789 x12', '0151-CALL-NOW', '+4915123456789, +4915123456780'])
      assert.throws(() => normalizePhone(text, 'cellphone', 'DE'), /is not a phone number/, text);
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
