import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { words } from '../../src/contract/words.ts';
import { Pattern } from '../../src/lexical/pattern/pattern.ts';
import { PatternError } from '../../src/lexical/pattern/pattern-error.ts';

/** Patterns, texts that have their form, and texts that have not (XML Schema part 2, appendix F). */
const TABLE: readonly (readonly [
  pattern: string,
  yes: readonly string[],
  no: readonly string[],
])[] = [
  ['', [''], ['a']],
  ['a|b|', ['a', 'b', ''], ['c', 'ab']],
  ['a?b*c+', ['c', 'abbcc'], ['ab', 'aac']],
  ['a{2}b{1,3}c{2,}d{0}', ['aabcc', 'aabbbccccc'], ['abcc', 'aabbbbcc', 'aabc', 'aabccd']],
  ['(a|b){0,2}', ['', 'ab'], ['aba']],
  ['(ab?)+', ['a', 'aba'], ['', 'bb']],
  ['(a*)*b', ['b', 'aab'], ['aa']],
  ['()*x', ['x'], ['']],
  ['^a$', ['^a$'], ['a']],
  ['a.c', ['abc', 'a\u{1f600}c', 'a\tc'], ['a\nc', 'a\rc', 'ac']],
  ['\\s', [' ', '\t', '\n', '\r'], ['\u00a0', 'x']],
  ['\\d+', ['12', '\u0661\u0662'], ['1a', '\u2160']],
  ['\\w+', ['aé字9$'], ['a b', 'a.b', 'a_b']],
  ['\\i\\c*', ['a-1.b', '_x', ':y', 'é'], ['1a', '-a', 'a b']],
  ['\\I\\C', ['1 ', '- '], ['a ', '1a']],
  ['\\S\\D\\W', ['ab.'], [' b.', 'a1.', 'abc']],
  ['[a-c\\d]+', ['abc1'], ['d', '-']],
  ['[^a-c]', ['d', '\u{1f600}'], ['b', 'dd']],
  ['[a-z-[aeiou]]+', ['bcd'], ['bad', '-']],
  ['[^x-[yz-[z]]]', ['a', 'z'], ['x', 'y']],
  ['[\\i-[:]][\\c-[:]]*', ['a1'], ['a:b', ':a']],
  ['[-a]+', ['-a'], ['b']],
  ['[a-]+', ['-a'], ['b']],
  ['[\\w.-]+@x', ['a.b-c@x'], ['a b@x']],
  ['[\\^\\]\\[\\\\]+', ['^][\\'], ['a']],
  ['\\.\\*\\{\\}\\(\\)\\|\\-\\?\\+', ['.*{}()|-?+'], ['x']],
  ['\\/\\$\\"', ['/$"'], ['\\/\\$\\"']],
  ['\\p{Lu}\\P{Lu}', ['Aa', 'Éé'], ['AA', 'aa']],
  ['\\p{IsBasicLatin}\\p{IsGreek}\\P{IsGreek}', ['aαa'], ['ααa', 'aaa', 'aαα']],
  ['[\\p{L}-[\\p{IsBasicLatin}]]', ['é', '字'], ['e', '1']],
  ['\\p{IsCJKUnifiedIdeographsExtensionB}', ['\u{20000}'], ['字', '\u{2a6e0}']],
];

const REFUSED: readonly (readonly [pattern: string, why: RegExp])[] = [
  ['[', /ends too early/],
  ['(a', /ends too early/],
  ['a\\', /ends too early/],
  ['\\p{Lu', /ends too early/],
  ['[]', /"\]"/],
  ['a)', /"\)"/],
  ['a]', /"\]"/],
  ['a**', /"\*"/],
  ['*', /"\*"/],
  ['a{x}', /"x"/],
  ['a{,2}', /","/],
  ['(?:a)', /"\?"/],
  ['a{3,2}', /at least 3 and at most 2/],
  ['[b-a]', /upside down/],
  ['[a-\\d]', /range/],
  ['\\bx', /\\b/],
  ['\\1', /\\1/],
  ['\\p{Cs}', /Cs/],
  ['\\p{IsNowhere}', /IsNowhere/],
  ['\\p{constructor}', /constructor/],
  ['a{1000000}', /30000 states/],
  ['((a{100}){100}){100}', /30000 states/],
  ['(){1000000000000}', /30000 states/],
  [`${'('.repeat(300)}${')'.repeat(300)}`, /deep/],
  [`${'[a-'.repeat(300)}`, /deep/],
  ['a'.repeat(10_001), /longer than 10000/],
];

/** Patterns that hold a matcher which goes back, or that fill one which remembers; with what is repeated, and the end. */
const PUMPS: readonly (readonly [pattern: string, pump: string, end: string])[] = [
  ['([A-Za-z0-9_\\-]+\\.?)+@([A-Za-z0-9\\-]+\\.?)+', 'a', '!'],
  ['\\s*\\w*\\s*\\w*\\s*\\w*\\s*', 'a', '!'],
  ['(a+b?)+', 'a', '!'],
  ['(a|aa)+', 'a', '!'],
  ['(a|a)*', 'a', '!'],
  ['(a*)*', 'a', '!'],
  ['((a+)+)+', 'a', '!'],
  ['(a?){50}a{50}', 'a', '!'],
  ['(.*,){11}P', '1,', 'Q'],
  ['(x+x+)+y', 'x', ''],
  ['.*a.*b.*c.*d', 'abc', ''],
  ['(\\p{L}+[.\\-]?)+', 'é', '!'],
  ['[\\s\\S]{0,10000}', 'a', ''],
  ['(a|b)*a(a|b){100}', 'aabab', '!'],
  ['[0-9]*[0-9]*[0-9]*x', '0', ''],
];

describe('a pattern of XML Schema', () => {
  for (const [pattern, yes, no] of TABLE) {
    it(`${pattern || 'nothing'}`, () => {
      const made = new Pattern(pattern);
      for (const text of yes) assert.ok(made.matches(text), JSON.stringify(text));
      for (const text of no) assert.ok(!made.matches(text), JSON.stringify(text));
    });
  }

  it('what is none, or is too large, is refused and says why', () => {
    for (const [pattern, why] of REFUSED) {
      assert.throws(
        () => new Pattern(pattern),
        (error) => error instanceof PatternError && why.test(error.message),
        `${pattern.slice(0, 40)} should be refused: ${why}`,
      );
    }
  });

  for (const [pattern, pump, end] of PUMPS) {
    it(`growth: ${pattern}: twice the text is twice the work`, () => {
      const sizes = [2_000, 4_000, 8_000, 16_000].map((count) => {
        const made = new Pattern(pattern);
        made.matches(pump.repeat(count) + end);
        return made.steps;
      });
      for (const [index, steps] of sizes.slice(1).entries()) {
        assert.ok(steps <= 2.2 * sizes[index]! + 1_000, `steps: ${sizes.join(', ')}`);
      }
    });
  }

  it('no text leads to more work than its length times the states, nor to more memory than is set aside', () => {
    // Each text of a and b leads to another set of states: all would be 2 to the power of 500.
    const made = new Pattern('(a|b)*a(a|b){500}');
    let [bits, text] = [1, ''];
    for (let count = 0; count < 5_000; count++) {
      bits = (bits * 69_069 + 1) % 4_294_967_296;
      text += bits > 2_147_483_648 ? 'a' : 'b';
    }
    const wanted = text.at(-501) === 'a';
    const before = process.memoryUsage().heapUsed;
    assert.equal(made.matches(text), wanted);
    assert.ok(made.steps <= text.length * 2 * 506, `${made.steps} steps`);
    assert.ok(process.memoryUsage().heapUsed - before < 100e6);
    // What is forgotten for lack of room is found again.
    assert.equal(made.matches(text.slice(1)), wanted);
    assert.equal(new Pattern('[a-z]{3}').matches('abc'), true);
  });

  it('a text is taken or refused by itself, whatever was remembered of others before', () => {
    const text = `${'aabab'.repeat(16_000)}!`;
    // What 141 of them leave is all that is remembered.
    for (let count = 0; count < 300; count++) {
      assert.equal(new Pattern('(a|b)*a(a|b){100}').matches(text), false);
    }
  });

  it('a text that would have to be followed through more than 8,000,000 states is refused with a word', () => {
    const form = '(a|b)*a(a|b){1000}';
    let [bits, hard] = [1, ''];
    for (let count = 0; count < 80_000; count++) {
      bits = (bits * 69_069 + 1) % 4_294_967_296;
      hard += bits > 2_147_483_648 ? 'a' : 'b';
    }
    const made = new Pattern(form);
    assert.throws(
      () => made.matches(hard),
      ({ name, message }) => name === 'LexicalError' && /too long for the pattern/.test(message),
    );
    assert.ok(made.steps <= hard.length + 8_004_000, `${made.steps} steps`);
    assert.equal(new Pattern(form).matches(hard.slice(0, 2_000)), hard.at(999) === 'a');
    // Honest patterns of as many states are in a few of them at a time.
    assert.equal(new Pattern('[a-z]{0,10000}').matches('a'.repeat(10_000)), true);
    assert.equal(new Pattern('([a-z]{1,50} ){0,200}').matches('abcdefghi '.repeat(200)), true);
  });
});

const ATOMS = [
  ...words('a b c - [ab] [a-c] . [^a]'),
  '\\s',
  ' ',
  '[b\\s]',
  '\\n',
  '\\S',
  '[^\\s\\-]',
];
const COUNTS = ['', '', '', '?', '*', '+', '{2}', '{0,2}', '{1,}', '{0}'];
const patterns = fc.letrec<{ branch: string; atom: string }>((tie) => ({
  branch: fc
    .array(fc.array(fc.tuple(tie('atom'), fc.constantFrom(...COUNTS)), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((branches) =>
      branches.map((pieces) => pieces.map(([atom, count]) => atom + count).join('')).join('|'),
    ),
  atom: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    tie('branch').map((inside) => `(${inside})`),
  ),
})).branch;
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '-', ' ', '\n', 'é', '\u{1f600}'),
  maxLength: 6,
});
const texts = fc.array(text, { minLength: 1, maxLength: 8 });

/** Where V8 has backtracked for long, it begins again in linear time; not with the flag `u`. */
const LINEAR = 'enable-experimental-regexp-engine-on-excessive-backtracks';
/** Without `u` a character beyond the first plane is two. Of these patterns none tells them apart. */
const inFirstPlane = (text: string) => text.replaceAll('\u{1f600}', '\u4e00');

test('RegExp of JavaScript agrees on random patterns and texts, where both mean the same', () => {
  setFlagsFromString(`--${LINEAR}`);
  try {
    fc.assert(
      fc.property(patterns, texts, (source, given) => {
        const form = new RegExp(`^(?:${source.replaceAll('.', '[^\\n\\r]')})$`);
        const made = new Pattern(source);
        for (const each of given)
          assert.equal(
            made.matches(each),
            form.test(inFirstPlane(each)),
            JSON.stringify([source, each]),
          );
      }),
      {
        numRuns: 300,
        examples: [
          [
            '((||[ab]{0,2}){2}([b\\s]| ?[^\\s\\-] *|.{0,2}.?.?\\s{0,2}){1,}[^\\s\\-]?)+-+',
            ['\u{1f600}\n\nb\u00e9a'],
          ],
        ],
      },
    );
  } finally {
    setFlagsFromString(`--no-${LINEAR}`);
  }
});

/** Characters that all versions of Unicode since 3.1 know in the same way; libxml2 takes Han of the first plane for none. */
const KNOWN = [
  ...'\t\n !"#$%&()*+,-./059:;=?@AZ[\\]^_`az{|}~\u00a0\u00a3\u00ab\u00ad\u00b2\u00b7\u00e9\u0301\u03b1\u0416\u05d0\u0661\u2003\u2019\u20ac\u2160\u2603\u3007\uac00\u{10400}\u{1d7d8}\u{20000}',
];
const CLASSES = [
  ...[
    '.',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\p{Lu}',
    '\\P{Lu}',
    '\\p{N}',
    '\\p{Sc}',
    '\\p{Zs}',
    '\\p{Mn}',
    '\\p{Pf}',
  ],
  ...[
    '\\p{IsBasicLatin}',
    '\\P{IsBasicLatin}',
    '\\p{IsGreek}',
    '\\p{IsCyrillic}',
    '\\p{IsArrows}',
    '\\p{IsHebrew}',
  ],
  ...[
    '[a-z]',
    '[^a-z]',
    '[a-z-[aeiou]]',
    '[\\w-[a-z]]',
    '[^\\d\\s]',
    '[\\p{L}\\-_]',
    '[^\\p{L}-[$]]',
  ],
];

test('libxml2 agrees on the classes of characters', () => {
  for (const source of CLASSES) {
    const made = new Pattern(source);
    const judged = libxml2(source, KNOWN);
    assert.deepEqual(
      KNOWN.filter((each) => made.matches(each)),
      judged,
      source,
    );
  }
});

/** The texts that libxml2 finds a pattern in. */
function libxml2(source: string, given: readonly string[]): string[] {
  const escaped = (text: string) =>
    text.replace(/[&<>"\t\n]/g, (char) => `&#${char.charCodeAt(0)};`);
  using schema = XmlDocument.fromString(
    `<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"><s:element name="v"><s:simpleType><s:restriction base="s:string"><s:pattern value="${escaped(source)}"/></s:restriction></s:simpleType></s:element></s:schema>`,
  );
  using validator = XsdValidator.fromDoc(schema);
  return given.filter((each) => {
    using document = XmlDocument.fromString(`<v>${escaped(each)}</v>`);
    try {
      validator.validate(document);
      return true;
    } catch {
      return false;
    }
  });
}
