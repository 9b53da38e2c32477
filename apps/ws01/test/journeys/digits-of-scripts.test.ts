import assert from 'node:assert/strict';
import { it } from 'node:test';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { otherCode, PHONE } from '../kit/phone.ts';
import { startService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

/** The digits 0 to 9 of each script that ICU knows, as far as they are decimal digits of Unicode. */
const SCRIPTS = Intl.supportedValuesOf('numberingSystem')
  .map((numberingSystem) => {
    const { format } = new Intl.NumberFormat('en', { numberingSystem });
    return Array.from({ length: 10 }, (_, digit) => format(digit));
  })
  .filter((digits) => digits.every((digit) => /^\p{Nd}$/u.test(digit)));

const inScript = (text: string, digits: readonly string[]) =>
  text.replace(/[0-9]/g, (digit) => digits[Number(digit)]!);

/** What a code brings along when it is copied: marks of direction, joiners, the punctuation of a message. */
const COPIED = [
  (code: string) => `\u200b${code}`,
  (code: string) => `\u200e${code}\u200f`,
  (code: string) => `\u2067${code}\u2069\u061c`,
  (code: string) => `${code.slice(0, 3)}\u00ad${code.slice(3)}\ufeff`,
  (code: string) => `${code}.`,
  (code: string) => `${code}。`,
  (code: string) => `${code}\u06d4`,
  (code: string) => `: “${code}”.`,
  (code: string) => `#${code.slice(0, 3)}\u2014${code.slice(3)}`,
];

forEachEngine((_engine, fresh) => {
  it('a code and its number are read in the digits of every script, with marks and punctuation', async (t) => {
    assert.ok(SCRIPTS.length > 60, String(SCRIPTS.length));
    const { url } = await startService(t, await fresh(t));
    const forms = [
      ...SCRIPTS.map((digits) => ({
        typed: (code: string) => inScript(code, digits),
        number: inScript('+1 212 555\u200f0100', digits),
      })),
      ...COPIED.map((typed) => ({ typed, number: `\u202a${PHONE}\u202c` })),
    ];
    for (const [index, { typed, number }] of forms.entries()) {
      const { call } = BINDINGS[index % BINDINGS.length]!;
      const holder = { tokenId: TOKEN, userId: 'ada' };
      const code = (await call(url, 'CreateVerifyCode', { ...holder, cellphone: number })).result!;
      const answer = (VerifyCode: string) =>
        call(url, 'VerifyCodeForPhone', { ...holder, VerifyCode, cellphone: PHONE });
      assert.match((await answer('\u200b\u2800')).result!, /^CodeWrong: no code was given/);
      assert.match(
        (await answer(typed(otherCode(code)))).result!,
        /^CodeWrong: .* 4 attempts left/,
      );
      assert.equal((await answer(typed(code))).result, '', typed(code));
    }
  });
});
