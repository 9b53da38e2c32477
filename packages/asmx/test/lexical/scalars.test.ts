import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from '../../src/contract/words.ts';
import { LexicalError } from '../../src/lexical/lexical-error.ts';
import { DATE_TIMES, SCALARS, type ScalarForm } from '../../src/lexical/scalars.ts';

const context = { form: 'element', timeZone: 'UTC', now: () => 0 } as const;
const range = (min: bigint, max: bigint) => fc.bigInt({ min, max });
const number = (min: number, max: number) => fc.integer({ min, max });
const TEXT = fc.string({ unit: 'grapheme' });
const WIDE = 10n ** 40n;

/** What a scalar can hold. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: TEXT,
  boolean: fc.boolean(),
  byte: number(-128, 127),
  short: number(-32_768, 32_767),
  int: number(-2_147_483_648, 2_147_483_647),
  unsignedByte: number(0, 255),
  unsignedShort: number(0, 65_535),
  unsignedInt: number(0, 4_294_967_295),
  long: range(-(2n ** 63n), 2n ** 63n - 1n),
  unsignedLong: range(0n, 2n ** 64n - 1n),
  integer: range(-WIDE, WIDE),
  nonNegativeInteger: range(0n, WIDE),
  positiveInteger: range(1n, WIDE),
  nonPositiveInteger: range(-WIDE, 0n),
  negativeInteger: range(-WIDE, -1n),
  decimal: fc
    .tuple(range(-WIDE, WIDE), fc.stringMatching(/^[0-9]{0,20}$/))
    .map(([whole, digits]) =>
      SCALARS.decimal.parse(digits === '' ? `${whole}` : `${whole}.${digits}`, context),
    ),
  double: fc.double(),
  float: fc.float(),
  base64Binary: fc.uint8Array(),
  hexBinary: fc.uint8Array(),
  guid: fc.uuid(),
  char: number(0, 65_535).map((unit) => String.fromCharCode(unit)),
  date: fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
};

describe('lexical forms of scalars', () => {
  for (const [type, values] of Object.entries(VALUES)) {
    it(`${type}: what is written is read as the same value`, () => {
      const form = SCALARS[type as keyof typeof SCALARS];
      fc.assert(
        fc.property(values, (value) =>
          assert.deepEqual(form.parse(form.format(value), context), value),
        ),
      );
    });
  }

  it('dateTime: in each of its forms', () => {
    const dates = fc.date({
      min: new Date('1901-01-01'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) =>
        assert.deepEqual(DATE_TIMES.date.parse(DATE_TIMES.date.format(date), context), date),
      ),
    );
    fc.assert(
      fc.property(dates, (date) =>
        assert.equal(DATE_TIMES.instant.parse(DATE_TIMES.instant.format(+date), context), +date),
      ),
    );
  });

  const refuses = ({ parse }: ScalarForm, ...texts: string[]) => {
    for (const text of texts)
      assert.throws(() => parse(text, context), { name: 'LexicalError' }, text);
  };

  it('date: the days of the calendar, 29 February in leap years', () => {
    const days = words('2024-02-29 2000-02-29 2023-02-28 1900-02-28 2024-01-31 2024-04-30');
    for (const day of days) assert.equal(SCALARS.date.parse(day, context), day);
    refuses(SCALARS.date, '2023-02-29', '1900-02-29', '2024-02-30', '2024-01-32', '2024-04-31');
  });

  it('both sides of each bound', () => {
    refuses(SCALARS.byte, '128', '-129', '1.0', 'x');
    refuses(SCALARS.unsignedByte, '256', '-1');
    refuses(SCALARS.short, '32768', '-32769');
    refuses(SCALARS.unsignedInt, '4294967296', '-1');
    refuses(SCALARS.long, '9223372036854775808', '-9223372036854775809');
    refuses(SCALARS.unsignedLong, '18446744073709551616', '-1');
    refuses(SCALARS.positiveInteger, '0');
    refuses(SCALARS.negativeInteger, '0');
    refuses(SCALARS.double, '1e999', 'Infinity', 'inf', '1,5', '');
    refuses(SCALARS.decimal, '1e5', '.', '1,5', `1${'0'.repeat(1000)}`);
    refuses(SCALARS.date, '2023-02-29', '2024-13-01', '24-01-01', '2024-01-01T00:00:00');
    refuses(SCALARS.time, '24:00:01', '12:60:00', '12:00');
    refuses(SCALARS.duration, 'P', 'PT', '1D', 'P1S');
    refuses(SCALARS.guid, '6f9619ff', '');
    refuses(SCALARS.hexBinary, 'ABC', 'XY');
    refuses(SCALARS.base64Binary, 'A!');
    refuses(SCALARS.QName, '1a', 'a:b:c', '');
    refuses(SCALARS.language, 'en_GB', 'toolongname');
  });

  it('what has no form of a type is refused by what it is, not by what it says', () => {
    const refusal = ({ format }: ScalarForm, value: unknown) => {
      try {
        return format(value);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const { int, string } = SCALARS;
    assert.deepEqual(
      [null, undefined, 1.5, true, 5n, ['a secret'], { a: 'secret' }].map((value) =>
        refusal(string, value),
      ),
      ['null', 'undefined', '1.5', 'true', '5', 'a list', 'a value of the type object'].map(
        (what) => `${what} is not a text.`,
      ),
    );
    assert.equal(refusal(int, 'a secret'), 'a value of the type string is not a whole number.');
  });

  it('floating-point numbers are written as .NET Framework writes them', () => {
    // Each as Mono, which has Microsoft's XmlConvert, wrote it.
    const written = (type: 'float' | 'double', ...texts: readonly string[]) => {
      for (const text of texts)
        assert.equal(SCALARS[type].format(SCALARS[type].parse(text, context)), text);
    };
    written(
      'double',
      '0.1',
      '-0',
      '123456789012',
      '999999999999999',
      '1E+15',
      '1.2345678901234568E+17',
      '0.0001',
    );
    written(
      'double',
      '1234567890123456.8',
      '0.30000000000000004',
      '0.66666666666666663',
      '-2.5E-05',
      '1E-07',
    );
    written('double', '1.7976931348623157E+308', '4.94065645841247E-324');
    written('float', '1.5', '0.1', '1E+07', '1E+20', '16777216', '3.402823E+38', '1.17549435E-38');
    // Not by Mono, but by the rule of format "G": an exponent of -4 is not written.
    written('double', '0.00012345678901234567');
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
    const isRead = (value: number) =>
      SCALARS.double.parse(SCALARS.double.format(value), context) === value;
    fc.assert(fc.property(doubles, isRead));
  });

  it('instants are written as ISO 8601 has them, without a fraction where there is none', () => {
    const instants = fc.integer({
      min: Date.parse('0001-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    });
    const whole = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
    fc.assert(fc.property(instants, (ms) => DATE_TIMES.instant.format(ms) === whole(ms)));
    fc.assert(
      fc.property(
        fc.integer({ min: -3e9, max: 3e9 }),
        (ms) => DATE_TIMES.instant.format(ms) === whole(ms),
      ),
    );
    for (const wrong of [Number.NaN, -62135596800001, 253402300800000])
      assert.throws(() => DATE_TIMES.instant.format(wrong), LexicalError);
  });

  it('decimals keep their digits', () => {
    assert.equal(SCALARS.decimal.parse(' +0012.500 ', context), '12.500');
    assert.equal(SCALARS.decimal.parse('-.0', context), '0.0');
    assert.equal(SCALARS.float.format(Math.fround(0.1)), '0.1');
    assert.equal(SCALARS.double.format(1e21), '1E+21');
    assert.deepEqual(
      ['INF', '-INF', 'NaN'].map((text) =>
        SCALARS.double.format(SCALARS.double.parse(text, context)),
      ),
      ['INF', '-INF', 'NaN'],
    );
  });
});
