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
const bytes = (...parts: (string | readonly number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  );

const SPLITS: readonly (readonly number[])[] = [[1 << 20], [1], [2], [3], [1, 2, 5]];

/** Bytes, and the text of the root element; the rules are those of RFC 7303 and ASP.NET. */
const accepted: readonly [
  what: string,
  document: Uint8Array,
  charset: string | undefined,
  text: string,
][] = [
  ['nothing said: UTF-8', bytes('<a>中é😀</a>'), undefined, '中é😀'],
  ['a mark for UTF-8', bytes('\ufeff<a>中</a>'), undefined, '中'],
  ['a mark for UTF-16, little end first', utf16le('\ufeff<a>中😀</a>'), undefined, '中😀'],
  ['a mark for UTF-16, big end first', utf16be('\ufeff<a>中😀</a>'), undefined, '中😀'],
  [
    'UTF-16 without a mark, told by its first characters',
    utf16be('<?xml version="1.0" encoding="utf-16be"?><a>中</a>'),
    undefined,
    '中',
  ],
  ['the same, little end first', utf16le('<?xml version="1.0"?><a>中</a>'), undefined, '中'],
  ['declared UTF-8', bytes('<?xml version="1.0" encoding="UTF-8"?><a>中</a>'), undefined, '中'],
  [
    'declared UTF-16 with a mark',
    utf16le('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>中</a>'),
    undefined,
    '中',
  ],
  [
    'declared UTF-16LE in UTF-16LE',
    utf16le('\ufeff<?xml version="1.0" encoding="utf-16LE"?><a>中</a>'),
    undefined,
    '中',
  ],
  [
    'declared UCS-2, which is either end first',
    utf16be('\ufeff<?xml version="1.0" encoding="ISO-10646-UCS-2"?><a>中</a>'),
    undefined,
    '中',
  ],
  [
    'a declaration with all it may have, as Java writes it',
    bytes('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<a>中</a>'),
    undefined,
    '中',
  ],
  [
    'declared ISO-8859-1',
    bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>', [0xe9, 0x80], '</a>'),
    undefined,
    'é\u0080',
  ],
  [
    'declared windows-1252',
    bytes('<?xml version="1.0" encoding="windows-1252"?><a>', [0xe9, 0x80], '</a>'),
    undefined,
    'é€',
  ],
  ['declared US-ASCII', bytes("<?xml version='1.0' encoding='US-ASCII'?><a>x</a>"), undefined, 'x'],
  [
    'declared GB2312',
    bytes('<?xml version="1.0" encoding="gb2312"?><a>', [0xd6, 0xd0], '</a>'),
    undefined,
    '中',
  ],
  [
    'declared Shift_JIS',
    bytes('<?xml version="1.0" encoding="Shift_JIS"?><a>', [0x93, 0xfa], '</a>'),
    undefined,
    '日',
  ],
  [
    'declared EUC-KR',
    bytes('<?xml version="1.0" encoding="euc-kr"?><a>', [0xb0, 0xa1], '</a>'),
    undefined,
    '가',
  ],
  [
    'declared Big5',
    bytes('<?xml version="1.0" encoding="Big5"?><a>', [0xa4, 0xa4], '</a>'),
    undefined,
    '中',
  ],
  [
    'declared ISO-2022-JP, which shifts with control characters',
    bytes(
      '<?xml version="1.0" encoding="iso-2022-jp"?><a>',
      [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42],
      '</a>',
    ),
    undefined,
    '日',
  ],
  ['a charset', bytes('<a>', [0xe9], '</a>'), 'iso-8859-1', 'é'],
  ['a charset in other letter case', bytes('<a>中</a>'), 'UTF-8', '中'],
  [
    'a charset beats the declaration',
    bytes('<?xml version="1.0" encoding="utf-16"?><a>中</a>'),
    'utf-8',
    '中',
  ],
  [
    'a charset beats an unknown declaration',
    bytes('<?xml version="1.0" encoding="klingon"?><a>中</a>'),
    'utf-8',
    '中',
  ],
  ['a mark beats the charset', bytes('\ufeff<a>中</a>'), 'iso-8859-1', '中'],
  ['a mark beats the charset, UTF-16', utf16be('\ufeff<a>中</a>'), 'utf-8', '中'],
  ['charset UTF-16 without a mark', utf16le('<a>中</a>'), 'utf-16', '中'],
  ['charset UTF-16 without a mark, big end first', utf16be('<a>中</a>'), 'utf-16', '中'],
  ['charset UTF-16BE', utf16be('<a>中</a>'), 'utf-16be', '中'],
  [
    'an unknown charset is as none',
    bytes('<?xml version="1.0" encoding="iso-8859-1"?><a>', [0xe9], '</a>'),
    'klingon',
    'é',
  ],
  [
    'invalid UTF-8 with a charset',
    bytes('<a>x', [0xff], 'y', [0xe4, 0xb8], '</a>'),
    'utf-8',
    'x\ufffdy\ufffd',
  ],
  ['invalid US-ASCII with a charset', bytes('<a>x', [0xff], '</a>'), 'us-ascii', 'x?'],
  ['charset UTF-32', utf32le('<a>中😀</a>'), 'utf-32', '中😀'],
  ['UTF-32 with a mark', utf32le('\ufeff<a>中😀</a>'), undefined, '中😀'],
  ['UTF-32, big end first, with a mark', utf32le('\ufeff<a>中😀</a>').swap32(), undefined, '中😀'],
  [
    'UTF-32, big end first, with a mark and declared',
    utf32le('\ufeff<?xml version="1.0" encoding="utf-32"?><a>中</a>').swap32(),
    undefined,
    '中',
  ],
  ['charset UTF-32 with a mark', utf32le('\ufeff<a>中😀</a>'), 'utf-32', '中😀'],
  ['charset UTF-32BE', utf32le('<a>中😀</a>').swap32(), 'utf-32be', '中😀'],
  ['charset IBM437', bytes('<a>', [0x82, 0xe1], '</a>'), 'ibm437', 'éß'],
  ['charset IBM850', bytes('<a>', [0x9b, 0xb5], '</a>'), 'CP850', 'øÁ'],
  ['charset IBM037', bytes([0x4c, 0x81, 0x6e, 0x51, 0x4c, 0x61, 0x81, 0x6e]), 'ibm037', 'é'],
  ['UTF-16 without mark or declaration', utf16le('<a>中</a>'), undefined, '中'],
  ['the same, big end first', utf16be('<a>中</a>'), undefined, '中'],
  [
    'a charset beats a declaration that is no name',
    bytes('<?xml version="1.0" encoding=""?><a>中</a>'),
    'utf-8',
    '中',
  ],
  ['another one', bytes('<?xml version="1.0" encoding="65001"?><a>中</a>'), 'utf-8', '中'],
  [
    'half a surrogate pair with a charset',
    Buffer.concat([utf16le('<a>'), Buffer.from([0x3d, 0xd8]), utf16le('</a>')]),
    'utf-16le',
    '\ufffd',
  ],
  [
    'invalid GBK with a charset',
    bytes('<a>', [0xff], '1234567890abcdef</a>'),
    'gbk',
    '\ufffd1234567890abcdef',
  ],
  [
    "a character over the border of the reader's own pieces",
    bytes('<a>', 'x'.repeat(65_532), '中</a>'),
    undefined,
    `${'x'.repeat(65_532)}中`,
  ],
];
for (const [what, document, charset, text] of accepted) {
  test(`encoding: ${what}`, () => {
    const splits = document.length > 1000 ? [[1 << 20], [65_535, 1], [65_536]] : SPLITS;
    for (const split of splits) {
      const { events, error } = read(document, { split, charset });
      assert.equal(error, undefined, `split ${split}`);
      assert.deepEqual(events, ['<a>', text, '/'], `split ${split}`);
    }
  });
}

const refused: readonly [
  what: string,
  document: Uint8Array,
  reading: Reading,
  code: string,
  column: number,
  sentence: RegExp,
][] = [
  [
    'invalid UTF-8',
    bytes('<a>中', [0xff], '</a>'),
    {},
    'encoding',
    5,
    /not valid in its encoding, utf-8/,
  ],
  [
    'UTF-8 cut off',
    bytes('<a>', [0xe4, 0xb8], '</a>'),
    {},
    'encoding',
    4,
    /not valid in its encoding/,
  ],
  [
    'UTF-8 cut off by the end',
    bytes('<a>', [0xe4, 0xb8]),
    {},
    'encoding',
    4,
    /not valid in its encoding/,
  ],
  ['overlong UTF-8', bytes('<a>', [0xc0, 0xbc], 'b/></a>'), {}, 'encoding', 4, /not valid/],
  [
    'a surrogate in UTF-8',
    bytes('<a>', [0xed, 0xa0, 0x80], '</a>'),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  [
    'beyond U+10FFFF in UTF-8',
    bytes('<a>', [0xf4, 0x90, 0x80, 0x80], '</a>'),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  [
    'US-ASCII that is none',
    bytes('<?xml version="1.0" encoding="us-ascii"?><a>', [0xe9], '</a>'),
    {},
    'encoding',
    45,
    /not valid in its encoding, us-ascii/,
  ],
  [
    'half a surrogate pair in UTF-16',
    Buffer.concat([utf16le('\ufeff<a>'), Buffer.from([0x3d, 0xd8]), utf16le('</a>')]),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  [
    'UTF-16 with half a code unit',
    Buffer.concat([utf16le('\ufeff<a/>'), Buffer.from([0x20])]),
    {},
    'encoding',
    5,
    /not valid/,
  ],
  [
    'an unknown declared encoding',
    bytes('<?xml version="1.0" encoding="klingon"?><a/>'),
    {},
    'encoding',
    1,
    /declared encoding klingon is not known/,
  ],
  [
    'UTF-16 declared in UTF-8',
    bytes('<?xml version="1.0" encoding="utf-16"?><a/>'),
    {},
    'encoding',
    1,
    /declares the encoding utf-16 but is in utf-8/,
  ],
  [
    'ISO-8859-1 declared after a mark for UTF-8',
    bytes('\ufeff<?xml version="1.0" encoding="iso-8859-1"?><a/>'),
    {},
    'encoding',
    1,
    /but is in utf-8/,
  ],
  [
    'UTF-8 declared in UTF-16',
    utf16be('\ufeff<?xml version="1.0" encoding="utf-8"?><a/>'),
    {},
    'encoding',
    1,
    /but is in utf-16be/,
  ],
  [
    'the other end of UTF-16 declared',
    utf16le('\ufeff<?xml version="1.0" encoding="utf-16BE"?><a/>'),
    {},
    'encoding',
    1,
    /declares the encoding utf-16BE but is in utf-16le/,
  ],
  [
    'a surrogate pair the wrong way round',
    Buffer.concat([utf16le('\ufeff<a>'), Buffer.from([0x00, 0xde, 0x3d, 0xd8]), utf16le('</a>')]),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  ['half of a byte order mark', bytes([0xef, 0xbb]), {}, 'encoding', 1, /not valid/],
  [
    'a surrogate pair in UTF-8',
    bytes('<a>', [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], '</a>'),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  ['EBCDIC', bytes([0x4c, 0x6f, 0xa7, 0x94, 0x93]), {}, 'malformed', 1, /before the root element/],
  ['UTF-32, big end first', bytes([0, 0, 0, 0x3c]), {}, 'malformed', 1, /U\+0000/],
  [
    'HZ, which the encoding standard replaces by nothing',
    bytes('<?xml version="1.0" encoding="hz-gb-2312"?><a/>'),
    {},
    'encoding',
    1,
    /hz-gb-2312 is not known/,
  ],
  [
    'UTF-7, which nobody must read',
    bytes('<?xml version="1.0" encoding="utf-7"?><a>+ADw-</a>'),
    {},
    'encoding',
    1,
    /not known/,
  ],
  ['a NUL behind the document', bytes('<a/>\0'), {}, 'malformed', 5, /U\+0000/],
  ['a NUL before the end', bytes('<a>x\0</a>'), { endsAtNul: true }, 'malformed', 5, /U\+0000/],
  ['something behind a NUL', bytes('<a/>\0 \0<'), { endsAtNul: true }, 'malformed', 5, /U\+0000/],
  [
    'a NUL in place of an end',
    bytes('<a>\0'),
    { endsAtNul: true },
    'malformed',
    4,
    /ends too early/,
  ],
  [
    'an encoding without a name',
    bytes('<?xml version="1.0" encoding=""?><a/>'),
    {},
    'malformed',
    1,
    /declaration is malformed/,
  ],
  [
    'a control character, also in a legacy encoding',
    bytes('<?xml version="1.0" encoding="gbk"?><a>12345678', [1], '1234567890</a>'),
    {},
    'malformed',
    48,
    /U\+0001/,
  ],
  [
    'a forbidden character before invalid bytes',
    bytes('<a>', [1, 0xff], '</a>'),
    {},
    'malformed',
    4,
    /U\+0001/,
  ],
  [
    'invalid bytes before a forbidden character',
    bytes('<a>', [0xff, 1], '</a>'),
    {},
    'encoding',
    4,
    /not valid/,
  ],
  [
    'malformed XML before invalid bytes',
    bytes('<a><', [0xff], '</a>'),
    {},
    'encoding',
    5,
    /not valid/,
  ],
];
for (const [what, document, reading, code, column, sentence] of refused) {
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
  legacyCharset: string | undefined,
  text: string,
  replacedIn?: string | undefined,
])[] = [
  ['UTF-8', bytes('<a>中é😀</a>'), undefined, '中é😀'],
  ...['utf-16', 'UTF-16LE', 'unicode', 'klingon', 'ANSI', '', '65001', 'UTF_8', 'utf-8', 'ISO-10646-UCS-2', 'utf-32'].map(
    (name) => [`UTF-8 declared as ${name}`, bytes(`<?xml version="1.0" encoding="${name}"?><a>中</a>`), undefined, '中'] as const,
  ),
  ['UTF-8 declared as GBK that is none', bytes('<?xml version="1.0" encoding="gb2312"?><a>x中文字</a>'), undefined, 'x中文字'],
  ['GBK as declared', bytes('<?xml version="1.0" encoding="gb2312"?><a>', GBK, '</a>'), undefined, '中文'],
  ['a mark', bytes('\ufeff<?xml version="1.0" encoding="utf-16"?><a>中</a>'), undefined, '中'],
  ['UTF-16 that is declared as UTF-8', utf16le('\ufeff<?xml version="1.0" encoding="utf-8"?><a>中</a>'), undefined, '中'],
  ['UTF-16 without a mark', utf16le('<?xml version="1.0" encoding="utf-8"?><a>中</a>'), undefined, '中'],
  ['bytes of nothing', bytes('<a>caf', [0xe9], '中', GBK, '</a>'), undefined, 'caf?中????', 'utf-8'],
  ['bytes of nothing, declared as UTF-8', bytes('<?xml version="1.0" encoding="utf-8"?><a>', [0xe9], '</a>'), undefined, '?', 'utf-8'],
  ['UTF-8 cut off', bytes('<a>', [0xe4, 0xb8], '</a>'), undefined, '??', 'utf-8'],
  ['bytes of nothing, declared as ASCII', bytes('<?xml version="1.0" encoding="us-ascii"?><a>', [0xe9], '</a>'), undefined, '?', 'utf-8'],
  ['UTF-8 where there is a legacy charset', bytes('<a>中</a>'), 'gb18030', '中'],
  ['GBK where it is the legacy charset', bytes('<a>', GBK, '</a>'), 'gb18030', '中文'],
  ['GBK declared as UTF-8, where it is the legacy charset', bytes('<?xml version="1.0" encoding="utf-8"?><a>', GBK, '</a>'), 'gb18030', '中文'],
  ['windows-1252 where it is the legacy charset', bytes('<a>caf', [0xe9, 0x80], '</a>'), 'windows-1252', 'café€'],
  ['neither UTF-8 nor the legacy charset', bytes('<a>', [0xff], '1234567890abcdef</a>'), 'gb18030', '\ufffd1234567890abcdef', 'gb18030'],
]; // biome-ignore format: one row a case
for (const [what, document, legacyCharset, text, replacedIn] of forgiven) {
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
