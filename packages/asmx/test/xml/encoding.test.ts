import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/contract/limits.ts';
import { type Reading, read } from './kit/reading.ts';

const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32le = (text: string) => {
  const points = Array.from(text, (char) => char.codePointAt(0)!);
  return Buffer.from(Uint32Array.from(points).buffer);
};
const units = (...parts: (string | number)[]) =>
  utf16le(
    parts.map((part) => (typeof part === 'string' ? part : String.fromCharCode(part))).join(''),
  );
const bytes = (...parts: (string | readonly number[] | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );

const SPLITS: readonly (readonly number[])[] = [[1 << 20], [1], [2], [3], [1, 2, 5]];

const root = (...content: (string | readonly number[])[]) => bytes('<a>', ...content, '</a>');
const declares = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>`;
const declared = (encoding: string, ...content: (string | readonly number[])[]) =>
  bytes(declares(encoding), root(...content));

/** Bytes, and the text of the root element; the rules are those of RFC 7303 and ASP.NET. */
const accepted: readonly [what: string, document: Uint8Array, text: string, charset?: string][] = [
  ['nothing said: UTF-8', root('中é😀'), '中é😀'],
  ['a mark for UTF-8', bytes('\ufeff<a>中</a>'), '中'],
  ['a mark for UTF-16, little end first', utf16le('\ufeff<a>中😀</a>'), '中😀'],
  ['a mark for UTF-16, big end first', utf16be('\ufeff<a>中😀</a>'), '中😀'],
  ['UTF-16BE told by its first characters', utf16be(`${declares('utf-16be')}<a>中</a>`), '中'],
  ['the same, little end first', utf16le('<?xml version="1.0"?><a>中</a>'), '中'],
  ['declared UTF-8', declared('UTF-8', '中'), '中'],
  ['declared UTF-16 with a mark', utf16le(`\ufeff${declares('UTF-16')}<a>中</a>`), '中'],
  ['declared UTF-16LE in UTF-16LE', utf16le(`\ufeff${declares('utf-16LE')}<a>中</a>`), '中'],
  [
    'declared UCS-2, either end first',
    utf16be(`\ufeff${declares('ISO-10646-UCS-2')}<a>中</a>`),
    '中',
  ],
  [
    'a declaration with all it may have, as Java writes it',
    bytes('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<a>中</a>'),
    '中',
  ],
  ['declared ISO-8859-1', declared('ISO-8859-1', [0xe9, 0x80]), 'é\u0080'],
  ['declared windows-1252', declared('windows-1252', [0xe9, 0x80]), 'é€'],
  ['declared US-ASCII', bytes("<?xml version='1.0' encoding='US-ASCII'?><a>x</a>"), 'x'],
  ['declared GB2312', declared('gb2312', [0xd6, 0xd0]), '中'],
  ['declared Shift_JIS', declared('Shift_JIS', [0x93, 0xfa]), '日'],
  ['declared EUC-KR', declared('euc-kr', [0xb0, 0xa1]), '가'],
  ['declared Big5', declared('Big5', [0xa4, 0xa4]), '中'],
  [
    'declared ISO-2022-JP, which shifts with control characters',
    declared('iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42]),
    '日',
  ],
  ['a charset', root([0xe9]), 'é', 'iso-8859-1'],
  ['a charset in other letter case', root('中'), '中', 'UTF-8'],
  ['a charset beats the declaration', declared('utf-16', '中'), '中', 'utf-8'],
  ['a charset beats an unknown declaration', declared('klingon', '中'), '中', 'utf-8'],
  ['a mark beats the charset', bytes('\ufeff<a>中</a>'), '中', 'iso-8859-1'],
  ['a mark beats the charset, UTF-16', utf16be('\ufeff<a>中</a>'), '中', 'utf-8'],
  ['charset UTF-16 without a mark', utf16le('<a>中</a>'), '中', 'utf-16'],
  ['charset UTF-16 without a mark, big end first', utf16be('<a>中</a>'), '中', 'utf-16'],
  ['charset UTF-16BE', utf16be('<a>中</a>'), '中', 'utf-16be'],
  ['an unknown charset is as none', declared('iso-8859-1', [0xe9]), 'é', 'klingon'],
  ['invalid UTF-8 with a charset', root('x', [0xff], 'y', [0xe4, 0xb8]), 'x\ufffdy\ufffd', 'utf-8'],
  ['invalid US-ASCII with a charset', root('x', [0xff]), 'x?', 'us-ascii'],
  ['charset UTF-32', utf32le('<a>中😀</a>'), '中😀', 'utf-32'],
  ['UTF-32 with a mark', utf32le('\ufeff<a>中😀</a>'), '中😀'],
  ['UTF-32, big end first, with a mark', utf32le('\ufeff<a>中😀</a>').swap32(), '中😀'],
  [
    'UTF-32, big end first, with a mark and declared',
    utf32le(`\ufeff${declares('utf-32')}<a>中</a>`).swap32(),
    '中',
  ],
  ['charset UTF-32 with a mark', utf32le('\ufeff<a>中😀</a>'), '中😀', 'utf-32'],
  ['charset UTF-32BE', utf32le('<a>中😀</a>').swap32(), '中😀', 'utf-32be'],
  ['charset IBM437', root([0x82, 0xe1]), 'éß', 'ibm437'],
  ['charset IBM850', root([0x9b, 0xb5]), 'øÁ', 'CP850'],
  ['charset IBM037', bytes([0x4c, 0x81, 0x6e, 0x51, 0x4c, 0x61, 0x81, 0x6e]), 'é', 'ibm037'],
  ['UTF-16 without mark or declaration', utf16le('<a>中</a>'), '中'],
  ['the same, big end first', utf16be('<a>中</a>'), '中'],
  ['a charset beats a declaration that is no name', declared('', '中'), '中', 'utf-8'],
  ['another one', declared('65001', '中'), '中', 'utf-8'],
  ['half a surrogate pair with a charset', units('<a>', 0xd83d, '</a>'), '\ufffd', 'utf-16le'],
  ['invalid GBK with a charset', root([0xff], '1234567890abcdef'), '\ufffd1234567890abcdef', 'gbk'],
  [
    "a character over the border of the reader's own pieces",
    root('x'.repeat(65_532), '中'),
    `${'x'.repeat(65_532)}中`,
  ],
];
for (const [what, document, text, charset] of accepted) {
  test(`encoding: ${what}`, () => {
    const splits = document.length > 1000 ? [[1 << 20], [65_535, 1], [65_536]] : SPLITS;
    for (const split of splits) {
      const { events, error } = read(document, { split, charset });
      assert.equal(error, undefined, `split ${split}`);
      assert.deepEqual(events, ['<a>', text, '/'], `split ${split}`);
    }
  });
}

type Refusal = [
  what: string,
  document: Uint8Array,
  column: number,
  sentence?: RegExp,
  reading?: Reading,
];
const refused: Readonly<Record<string, readonly Refusal[]>> = {
  encoding: [
    ['invalid UTF-8', root('中', [0xff]), 5, /not valid in its encoding, utf-8/],
    ['UTF-8 cut off', root([0xe4, 0xb8]), 4, /not valid in its encoding/],
    ['UTF-8 cut off by the end', bytes('<a>', [0xe4, 0xb8]), 4, /not valid in its encoding/],
    ['overlong UTF-8', root([0xc0, 0xbc], 'b/>'), 4],
    ['a surrogate in UTF-8', root([0xed, 0xa0, 0x80]), 4],
    ['beyond U+10FFFF in UTF-8', root([0xf4, 0x90, 0x80, 0x80]), 4],
    ['US-ASCII that is none', declared('us-ascii', [0xe9]), 45, /in its encoding, us-ascii/],
    ['half a surrogate pair in UTF-16', units('\ufeff<a>', 0xd83d, '</a>'), 4],
    [
      'UTF-16 with half a code unit',
      Buffer.concat([utf16le('\ufeff<a/>'), Buffer.from([0x20])]),
      5,
    ],
    ['an unknown declared encoding', declared('klingon'), 1, /encoding klingon is not known/],
    [
      'UTF-16 declared in UTF-8',
      declared('utf-16'),
      1,
      /declares the encoding utf-16 but is in utf-8/,
    ],
    [
      'ISO-8859-1 declared after a mark for UTF-8',
      bytes('\ufeff', declared('iso-8859-1')),
      1,
      /but is in utf-8/,
    ],
    [
      'UTF-8 declared in UTF-16',
      utf16be(`\ufeff${declares('utf-8')}<a/>`),
      1,
      /but is in utf-16be/,
    ],
    [
      'the other end of UTF-16 declared',
      utf16le(`\ufeff${declares('utf-16BE')}<a/>`),
      1,
      /declares the encoding utf-16BE but is in utf-16le/,
    ],
    ['a surrogate pair the wrong way round', units('\ufeff<a>', 0xde00, 0xd83d, '</a>'), 4],
    ['half of a byte order mark', bytes([0xef, 0xbb]), 1],
    ['a surrogate pair in UTF-8', root([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), 4],
    [
      'HZ, which the encoding standard replaces by nothing',
      declared('hz-gb-2312'),
      1,
      /hz-gb-2312 is not known/,
    ],
    ['UTF-7, which nobody must read', declared('utf-7', '+ADw-'), 1, /not known/],
    ['invalid bytes before a forbidden character', root([0xff, 1]), 4],
    ['malformed XML before invalid bytes', root('<', [0xff]), 5],
  ],
  malformed: [
    ['EBCDIC', bytes([0x4c, 0x6f, 0xa7, 0x94, 0x93]), 1, /before the root element/],
    ['UTF-32, big end first', bytes([0, 0, 0, 0x3c]), 1, /U\+0000/],
    ['a NUL behind the document', bytes('<a/>\0'), 5, /U\+0000/],
    ['a NUL before the end', root('x\0'), 5, /U\+0000/, { endsAtNul: true }],
    ['something behind a NUL', bytes('<a/>\0 \0<'), 5, /U\+0000/, { endsAtNul: true }],
    ['a NUL in place of an end', bytes('<a>\0'), 4, /ends too early/, { endsAtNul: true }],
    ['an encoding without a name', declared(''), 1, /declaration is malformed/],
    [
      'a control character, also in a legacy encoding',
      declared('gbk', '12345678', [1], '1234567890'),
      48,
      /U\+0001/,
    ],
    ['a forbidden character before invalid bytes', root([1, 0xff]), 4, /U\+0001/],
  ],
};
for (const [code, refusals] of Object.entries(refused)) {
  for (const [what, document, column, sentence = /not valid/, reading = {}] of refusals) {
    test(`encoding: ${what} is refused`, () => {
      for (const split of SPLITS) {
        const { error } = read(document, { ...reading, split });
        assert.ok(error !== undefined, `split ${split}`);
        assert.match(error.reason, sentence);
        assert.deepEqual(
          [error.code, error.line, error.column],
          [code, 1, column],
          `split ${split}: ${error.message}`,
        );
      }
    });
  }
}

test('encoding: NULs behind the document are passed over where they may stand', () => {
  for (const document of [
    bytes('<a>x</a>\0'),
    bytes('<a>x</a>\n\0\r\n\0'),
    utf16le('<a>x</a>\0\0'),
  ]) {
    for (const split of SPLITS)
      assert.deepEqual(read(document, { endsAtNul: true, split }).events, ['<a>', 'x', '/']);
  }
});

const GBK = [0xd6, 0xd0, 0xce, 0xc4];
const forgiven: readonly (readonly [
  what: string,
  document: Uint8Array,
  text: string,
  legacyCharset?: string | undefined,
  replacedIn?: string,
])[] = [
  ['UTF-8', root('中é😀'), '中é😀'],
  ...[
    ...['utf-16', 'UTF-16LE', 'unicode', 'klingon', 'ANSI', '', '65001'],
    ...['UTF_8', 'utf-8', 'ISO-10646-UCS-2', 'utf-32'],
  ].map((name) => [`UTF-8 declared as ${name}`, declared(name, '中'), '中'] as const),
  ['UTF-8 declared as GBK that is none', declared('gb2312', 'x中文字'), 'x中文字'],
  ['GBK as declared', declared('gb2312', GBK), '中文'],
  ['a mark', bytes('\ufeff', declared('utf-16', '中')), '中'],
  ['UTF-16 that is declared as UTF-8', utf16le(`\ufeff${declares('utf-8')}<a>中</a>`), '中'],
  ['UTF-16 without a mark', utf16le(`${declares('utf-8')}<a>中</a>`), '中'],
  ['bytes of nothing', root('caf', [0xe9], '中', GBK), 'caf?中????', undefined, 'utf-8'],
  ['bytes of nothing, declared as UTF-8', declared('utf-8', [0xe9]), '?', undefined, 'utf-8'],
  ['UTF-8 cut off', root([0xe4, 0xb8]), '??', undefined, 'utf-8'],
  ['bytes of nothing, declared as ASCII', declared('us-ascii', [0xe9]), '?', undefined, 'utf-8'],
  ['UTF-8 where there is a legacy charset', root('中'), '中', 'gb18030'],
  ['GBK where it is the legacy charset', root(GBK), '中文', 'gb18030'],
  [
    'GBK declared as UTF-8, where it is the legacy charset',
    declared('utf-8', GBK),
    '中文',
    'gb18030',
  ],
  [
    'windows-1252 where it is the legacy charset',
    root('caf', [0xe9, 0x80]),
    'café€',
    'windows-1252',
  ],
  [
    'neither UTF-8 nor the legacy charset',
    root([0xff], '1234567890abcdef'),
    '\ufffd1234567890abcdef',
    'gb18030',
    'gb18030',
  ],
];
for (const [what, document, text, legacyCharset, replacedIn] of forgiven) {
  test(`encoding: without a charset, forgiving: ${what}`, () => {
    for (const split of SPLITS) {
      const reading = read(document, { split, forgiving: { legacyCharset } });
      assert.equal(reading.error, undefined, `split ${split}`);
      assert.deepEqual(reading.events, ['<a>', text, '/'], `split ${split}`);
      assert.equal(reading.replacedIn, replacedIn);
    }
  });
}

test('encoding: what decides of a legacy charset stands in the first 64 KiB that are not ASCII, however split', () => {
  const late = bytes('<a>', 'x'.repeat(100_000), '中'.repeat(30_000), GBK, '</a>');
  const early = bytes('<a>', 'x'.repeat(100_000), '中'.repeat(10_000), GBK, '</a>');
  for (const split of [[1 << 20], [65_536], [1_000], [99_999, 7]]) {
    const first = read(late, { split, forgiving: { legacyCharset: 'gb18030' } });
    assert.equal(
      first.events[1],
      `${'x'.repeat(100_000)}${'中'.repeat(30_000)}\ufffd\ufffd\ufffd\ufffd`,
    );
    assert.equal(first.replacedIn, 'utf-8');
    const second = read(early, { split, forgiving: { legacyCharset: 'gb18030' } });
    assert.ok(second.events[1]!.endsWith('中文'), `split ${split}`);
    assert.equal(second.replacedIn, undefined);
  }
});

test('encoding: a byte order mark is known by itself, however short names must be', () => {
  const limits = { ...DEFAULT_LIMITS, nameChars: 1 };
  for (const document of [
    bytes('\ufeff<a>中</a>'),
    utf16le('\ufeff<a>中</a>'),
    utf16be('\ufeff<a>中</a>'),
  ]) {
    for (const split of SPLITS)
      assert.deepEqual(read(document, { limits, split }).events, ['<a>', '中', '/']);
  }
});
