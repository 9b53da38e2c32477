import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CHARACTER } from '../../../../../packages/asmx/test/kit/random.ts';
import { Ws01Error } from '../../../src/contract/errors.ts';
import { newCode, readCode } from '../../../src/domain/phone/codes.ts';
import { freshDatabase } from '../../kit/database.ts';
import { PhoneDesk } from '../../kit/phone.ts';

const DRAWS = 20_000;

it('codes are six digits, and each digit is as likely as any other at each place', () => {
  const counts = Array.from({ length: 6 }, () => new Array<number>(10).fill(0));
  for (let i = 0; i < DRAWS; i++) {
    const code = newCode();
    assert.match(code, /^[0-9]{6}$/);
    for (const [place, digit] of [...code].entries()) counts[place]![Number(digit)]!++;
  }
  const expected = DRAWS / 10;
  for (const place of counts) {
    const chiSquare = place.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // With nine degrees of freedom, fair digits exceed 80 once in 10^13 runs.
    assert.ok(chiSquare < 80, `chi-square ${chiSquare}`);
  }
});

it('a code is read back from every way of typing it', () => {
  const separator = fc.constantFrom('', ' ', '-', '\u3000', '\t', '\u2013', '\u00a0');
  const digit = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean(), separator);
  fc.assert(
    fc.property(fc.array(digit, { minLength: 6, maxLength: 6 }), (digits) => {
      const typed = digits
        .map(([n, wide, after]) => String.fromCodePoint((wide ? 0xff10 : 0x30) + n) + after)
        .join('');
      assert.equal(readCode(typed), digits.map(([n]) => n).join(''));
    }),
  );
});

it('what is read as a code is six digits or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: CHARACTER, maxLength: 80 }), (text) => {
      const code = readCode(text);
      assert.ok(code === undefined || /^[0-9]{6}$/.test(code));
    }),
  );
});

it('no text makes the operations fail otherwise than with an answer or a refusal', async (t) => {
  const desk = new PhoneDesk(await (await freshDatabase('sqlite', t)).open());
  const text = fc.oneof(
    fc.string({ unit: CHARACTER, maxLength: 80 }),
    fc.constantFrom('ada', '+12125550100', '012345'),
  );
  await fc.assert(
    fc.asyncProperty(text, text, text, async (userId, code, cellphone) => {
      const outcomes = await Promise.allSettled([
        desk.create({ userId, cellphone }),
        desk.verify(code, { userId, cellphone }),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          assert.ok(outcome.reason instanceof Ws01Error, String(outcome.reason));
          assert.ok(['MissingParameter', 'InvalidParameter'].includes(outcome.reason.code));
        }
      }
    }),
  );
});
