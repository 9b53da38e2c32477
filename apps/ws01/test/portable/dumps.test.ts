import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bringIn, exported } from '../kit/imported.ts';

const AT = '2015-03-04';

/** A dump that could be read wrongly, and what becomes of it: its articles, and the refused lines with their reasons. */
interface Dump {
  readonly text: string | Buffer;
  readonly args?: readonly string[];
  readonly articles?: readonly Readonly<Record<string, unknown>>[];
  readonly refused?: readonly (readonly [line: number, reason: RegExp])[];
  /** What the whole import is refused with. */
  readonly not?: RegExp;
}

const dates = (...texts: readonly string[]) =>
  ['guid,caption,createdAt', ...texts.map((text, at) => `${at},x,${text}`)].join('\r\n');
const at = (...days: readonly string[]) => days.map((createdAt) => ({ createdAt }));

/** How foreign programs write UTF-16: Excel and PowerShell with a mark, bcp -w without. */
const UTF16: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['with its mark', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['without a mark', (text) => Buffer.from(text, 'utf16le')],
  ['with the high byte first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ['with the high byte first and no mark', (text) => Buffer.from(text, 'utf16le').swap16()],
];
const CUT_EMOJI = '😀'.slice(0, 1);

const DUMPS: Readonly<Record<string, Dump>> = {
  'dates of which nobody said what comes first': {
    text: dates('4.3.2015 15:04', '03/04/2015', '3-4-15', '31.12.2015', '5/5/2015'),
    articles: at('2015-05-05T00:00:00.000Z'),
    refused: [2, 3, 4, 5].map((line) => [
      line,
      /begins with the day or with the month; say --dates/,
    ]),
  },
  'dates with the day first': {
    text: dates('4.3.2015 15:04', '03/04/2015 3:04:05 PM', '31.12.2015', '2015-03-04'),
    args: ['--dates', 'dmy'],
    articles: at(
      ...['2015-03-04T15:04:00.000Z', '2015-04-03T15:04:05.000Z', '2015-12-31T00:00:00.000Z'],
      '2015-03-04T00:00:00.000Z',
    ),
  },
  'dates with the month first': {
    text: dates('3/4/2015 3:04:05 PM', '12-31-15', '31/12/2015'),
    args: ['--dates', 'mdy'],
    articles: at('2015-03-04T15:04:05.000Z', '2015-12-31T00:00:00.000Z'),
    refused: [[4, /the month comes before the day/]],
  },
  'days in words, which begin at midnight': {
    text: dates('04 Mar 2015', '2015年3月4日', 'Mar  4 2015  3:04PM', '20150304'),
    articles: at(
      ...['2015-03-04T00:00:00.000Z', '2015-03-04T00:00:00.000Z', '2015-03-04T15:04:00.000Z'],
    ),
    refused: [[5, /a number alone is none/]],
  },
  'a row that a line break in a bare cell cuts': {
    text: `guid\tcaption\tcreatedAt\r\na\tx\t${AT}\r\nb\tone\ntwo\t${AT}\r\nc\tz\t${AT}\r\n`,
    articles: [{ guid: 'c' }],
    refused: [
      [2, /the next line has too few cells, and may be the rest of this one/],
      [3, /has 2 cells under 3 headings/],
      [4, /has 2 cells under 3 headings/],
    ],
  },
  'what sqlcmd writes around rows': {
    text: `guid,caption,createdAt\r\n----,-------,---------\r\na,x,${AT}\r\n\r\n(1 rows affected)\r\n`,
    articles: [{ guid: 'a' }],
  },
  'a heading that stands there twice': {
    text: `guid,caption,createdAt,Caption\r\na,x,${AT},y\r\n`,
    not: /The heading Caption stands there twice/,
  },
  ...Object.fromEntries(
    UTF16.map(([what, bytesOf]) => [
      `UTF-16 ${what}, whatever charset the other files have`,
      {
        text: bytesOf(
          `guid\tcaption\tcreatedAt\r\na\t你好 😀\t${AT}\r\nb\t${CUT_EMOJI}\t${AT}\r\n`,
        ),
        args: ['--encoding', 'gb18030'],
        articles: [{ guid: 'a', caption: '你好 😀' }],
        refused: [[3, /is not UTF-16.E text; it has half of a character/]],
      } satisfies Dump,
    ]),
  ),
  'columns that bcp ends with a bar': {
    text: `guid|caption|createdAt\r\na|x|${AT}\r\n`,
    not: /guid\|caption\|createdAt\W+ is no field of articles/,
  },
  'rows without headings': {
    text: `a\tx\t${AT}\r\nb\ty\t${AT}\r\n`,
    not: /\Wa\W+ is no field of articles/,
  },
  'native values of bcp': {
    text: Buffer.concat([Buffer.from([36, 0, 16, 0, 1, 2, 255, 254, 0]), Buffer.alloc(99, 7)]),
    not: /is not UTF-8 text/,
  },
  'an empty file': { text: '', not: /is empty; begin with a line of headings/ },
  'headings alone': { text: 'guid,caption,createdAt\r\n', articles: [] },
  'a row without its last cells': {
    text: `guid,createdAt,caption\r\na,${AT},x\r\nb,${AT}\r\n`,
    refused: [
      [2, /the next line has too few cells/],
      [3, /has 2 cells under 3 headings/],
    ],
  },
  'keys in braces, without hyphens, in capitals': {
    text: [
      'guid,caption,createdAt',
      `{6F9619FF-8B86-D011-B42D-00C04FC964FF},x,${AT}`,
      `6f9619ff8b86d011b42d00c04fc964fe,y,${AT}`,
    ].join('\r\n'),
    articles: [
      { guid: '6f9619ff-8b86-d011-b42d-00c04fc964fe' },
      { guid: '6f9619ff-8b86-d011-b42d-00c04fc964ff' },
    ],
  },
  'whole numbers as money writes them': {
    text: `guid,caption,createdAt,status\r\na,x,${AT},1.0000\r\nb,x,${AT},"1,000"\r\nc,x,${AT},3\r\n`,
    articles: [{ guid: 'c', status: 3 }],
    refused: [
      [2, /status is not a whole number/],
      [3, /status is not a whole number/],
    ],
  },
  'a quote that is not closed': {
    text: `guid,caption,createdAt\r\na,5" pipe,${AT}\r\nb,"x,${AT}\r\nc,z,${AT}\r\n`,
    articles: [{ guid: 'c' }],
    refused: [[2, /quote/]],
  },
};

describe('a dump is brought in as it means, or refused with its lines', () => {
  for (const [what, { text, args = [], articles = [], refused = [], not }] of Object.entries(
    DUMPS,
  )) {
    it(what, async (t) => {
      const run = await bringIn(t, { 'articles.csv': text }, args, { TIME_ZONE: 'UTC' });
      if (not !== undefined) {
        assert.equal(run.code, 2);
        assert.match(run.stderr, not);
        return;
      }
      assert.deepEqual(
        run.refused.map(({ line }) => line),
        refused.map(([line]) => line),
      );
      for (const [at, [, reason]] of refused.entries())
        assert.match(String(run.refused[at]!.reason), reason);
      assert.equal(run.code, refused.length === 0 ? 0 : 1);
      const { articles: found = [] } = await exported(t, run.database);
      assert.equal(found.length, articles.length);
      for (const [at, expected] of articles.entries())
        assert.partialDeepStrictEqual(found[at], expected);
    });
  }

  it('a field that a JSON row has twice, in another letter case', async (t) => {
    const rows = [{ guid: 'a', caption: 'x', Caption: 'y', createdAt: AT }];
    const { code, refused } = await bringIn(t, { 'articles.jsonl': rows });
    assert.deepEqual([code, refused[0]!.reason], [1, 'The row has Caption twice.']);
  });

  it('bits and empty cells', async (t) => {
    const bits = ['True', 'False', '1', '0', 'TRUE', '-1', 'Y'];
    const csv = ['guid,owner,title,detail,isImage,createdAt'];
    for (const [n, bit] of bits.entries()) csv.push(`${n},u,t,"",${bit},${AT}`);
    const { database, refused } = await bringIn(t, { 'adverts.csv': csv.join('\r\n') });
    assert.deepEqual(
      refused.map(({ line, reason }) => [line, reason]),
      [7, 8].map((line) => [line, 'isImage is neither true nor false.']),
    );
    const { adverts } = await exported(t, database);
    const found = adverts!.map(({ isImage = false, detail }) => [isImage, detail]);
    assert.deepEqual(
      found,
      [true, false, true, false, true].map((bit) => [bit, undefined]),
    );
  });
});
