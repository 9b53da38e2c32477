import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { Ws01Error } from '../../../src/contract/errors.ts';
import { canonicalKey, newKey, optionalKey, requiredKey } from '../../../src/domain/values/keys.ts';

const refusal = (code: string) => (error: unknown) =>
  error instanceof Ws01Error &&
  error.code === code &&
  error.parameter === 'guid' &&
  error.message.startsWith('guid ');

/** Every text form of a GUID that the service reads, of one GUID in form D. */
function guidForms(d: string): readonly string[] {
  const n = d.replaceAll('-', '');
  return [d, n, `{${d}}`, `(${d})`].flatMap((form) => [form, form.toUpperCase(), ` ${form}\r\n`]);
}

const printable = fc.string({
  unit: fc.constantFrom('a', 'Z', '0', '-', '\\', '@', '.', '字', 'é', '😀', '{', '('),
});
const keys = fc.oneof(
  printable.filter((key) => key !== '' && [...key].length <= 64),
  fc.uuid().filter((uuid) => /[^0-]/.test(uuid)),
);

describe('keys', () => {
  it('make every form of a GUID one key', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        for (const form of guidForms(uuid)) {
          assert.equal(canonicalKey(form), uuid);
          assert.equal(requiredKey(form, 'guid'), uuid);
        }
      }),
    );
  });

  it('are their own canonical form', () => {
    fc.assert(
      fc.property(keys, (text) => {
        const key = requiredKey(text, 'guid');
        assert.equal(requiredKey(key, 'guid'), key);
        assert.equal(canonicalKey(text), key);
        assert.equal(canonicalKey(key), key);
      }),
    );
  });

  it('keep what is no GUID as it is', () => {
    for (const key of [
      ...words('u-1001 U-1001 a+b@c 两室一厅 {not-a-guid}'),
      'DOMAIN\\user',
      '<&>"\'',
      'a b',
    ]) {
      assert.equal(requiredKey(` ${key} `, 'guid'), key);
    }
    // One digit short, one brace short, braces that do not belong together, and a digit that is none.
    const near = [
      '0f8fad5b-d9cb-469f-a165-70867728950',
      '{0f8fad5b-d9cb-469f-a165-70867728950e',
      '0F8FAD5BD9CB469FA16570867728950G',
    ];
    for (const key of [...near, '{0f8fad5b-d9cb-469f-a165-70867728950e)'])
      assert.equal(requiredKey(key, 'guid'), key);
  });

  it('count the all-zero GUID, blanks, what shows nothing, and nothing as not given', () => {
    for (const text of [
      undefined,
      '',
      ' \t\r\n',
      '\u3000',
      ...['\u200b', '\u2060\u00ad', '\u3164', '\u2800', '\u202e', '\u{e0041}'],
      ...guidForms('00000000-0000-0000-0000-000000000000'),
    ]) {
      assert.equal(optionalKey(text, 'guid'), undefined);
      assert.throws(() => requiredKey(text, 'guid'), refusal('MissingParameter'));
    }
  });

  it('have at most 64 code points', () => {
    for (const unit of ['a', '字', '😀']) {
      assert.equal(requiredKey(unit.repeat(64), 'guid'), unit.repeat(64));
      assert.throws(() => requiredKey(unit.repeat(65), 'guid'), refusal('InvalidParameter'));
    }
    assert.throws(() => requiredKey('x'.repeat(1_000_000), 'guid'), refusal('InvalidParameter'));
  });

  it('have no control characters', () => {
    for (const control of [
      '\0',
      '\t',
      '\n',
      '\r',
      '\x1b',
      '\x7f',
      '\x85',
      '\u2028',
      '\u2029',
      '\ud800',
      '\udc00',
      '\ufffe',
      '\uffff',
    ]) {
      assert.throws(
        () => requiredKey(`a${control}b`, 'guid'),
        refusal('InvalidParameter'),
        JSON.stringify(control),
      );
    }
  });

  it('answer any text with a key, nothing or an error that names the parameter', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary-ascii', maxLength: 40 })),
        (text) => {
          try {
            const key = optionalKey(text, 'guid');
            assert.ok(
              key === undefined ||
                ([...key].length <= 64 && key.isWellFormed() && !/\p{Cc}/u.test(key)),
            );
          } catch (error) {
            assert.ok(refusal('InvalidParameter')(error), String(error));
          }
        },
      ),
    );
  });

  it('made by the server are canonical, distinct and in order', () => {
    const made = Array.from({ length: 1000 }, newKey);
    assert.equal(new Set(made).size, made.length);
    for (const key of made) {
      assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(requiredKey(key, 'guid'), key);
    }
    assert.deepEqual(made, made.toSorted());
  });
});
