import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { pluck } from '../../../../packages/asmx/test/kit/pluck.ts';
import { ws01 } from '../kit/command.ts';
import { blackPng } from '../kit/images/containers.ts';
import { bringIn, exported } from '../kit/imported.ts';
import { writeFolder } from '../kit/portable.ts';

const AT = '2015-03-04 15:04:05.123';
const HEADING = 'guid,caption,contactPhone,pinnedUntil,status,ip,createdAt';

const reasonsOf = (refused: readonly Record<string, unknown>[]) =>
  refused.map(({ line, reason }) => `${line}: ${reason}`);

describe('what databases write for no value', () => {
  const rows = ['a,one,NULL,NULL,NULL,NULL', 'b,"NULL",\\N,,0,', 'c,NULL,,,,'];
  const csv = [HEADING, ...rows.map((row) => `${row},${AT}`)].join('\r\n');

  it('is asked about, field by field, where nobody said what it means', async (t) => {
    const { code, kinds, refused } = await bringIn(t, { 'articles.csv': csv });
    assert.equal(code, 1);
    assert.deepEqual(kinds.articles, { added: 0, changed: 0, present: 0, refused: 3 });
    const fields = ['contactPhone', 'pinnedUntil', 'status', 'ip'];
    const asked = (field: string, text: string) =>
      `${field} is ${text} without quotes; if that means no value, say --null '${text}', and if it is text, --null ''.`;
    assert.deepEqual(reasonsOf(refused), [
      `2: ${fields.map((field) => asked(field, 'NULL')).join(' ')}`,
      `3: ${asked('contactPhone', '\\N')}`,
      `4: ${asked('caption', 'NULL')}`,
    ]);
  });

  it('is no value with --null, and within quotes a text', async (t) => {
    const { database, refused } = await bringIn(t, { 'articles.csv': csv }, ['--null', 'NULL']);
    assert.deepEqual(reasonsOf(refused), ['4: caption or content is required.']);
    const { articles } = await exported(t, database);
    assert.deepEqual(
      articles!.map(({ guid, caption, contactPhone, status, ip }) => [
        guid,
        caption,
        contactPhone,
        status,
        ip,
      ]),
      [
        ['a', 'one', undefined, undefined, undefined],
        ['b', 'NULL', '\\N', undefined, undefined],
      ],
    );
  });

  it('is text with an empty --null', async (t) => {
    const text = `${HEADING}\na,NULL,NULL,,,,${AT}`;
    const { database } = await bringIn(t, { 'articles.csv': text }, ['--null', '']);
    const { articles } = await exported(t, database);
    assert.deepEqual([articles![0]!.caption, articles![0]!.contactPhone], ['NULL', 'NULL']);
  });

  it('and the NUL of bcp is an empty text', async (t) => {
    const text = `${HEADING}\na,one,\0,,,,${AT}`;
    const { code, database } = await bringIn(t, { 'articles.csv': text });
    assert.equal(code, 0);
    const { articles } = await exported(t, database);
    assert.equal(articles![0]!.contactPhone, undefined);
  });
});

describe('fields that an article may be without', () => {
  const article = { guid: 'a', caption: 'a\u000bb', createdAt: AT };

  it('addresses lose their port, and what is none is left out and told', async (t) => {
    const ips = [
      '61.177.7.1:51234',
      '[2001:db8::1]:443',
      '2001:db8::2',
      'unknown',
      '1.2.3.4, 5.6.7.8',
    ];
    const rows = ips.map((ip, at) => ({ guid: `${at}`, caption: 'c', createdAt: AT, ip }));
    const { database, code, kinds, refused } = await bringIn(t, { 'articles.jsonl': rows });
    assert.equal(code, 0);
    assert.equal(kinds.articles!.added, 5);
    assert.deepEqual(reasonsOf(refused), [
      '4: ip is not an IP address.',
      '5: ip is not an IP address.',
    ]);
    assert.deepEqual(pluck(refused, 'was'), ['taken', 'taken']);
    const { articles } = await exported(t, database);
    assert.deepEqual(pluck(articles!, 'ip'), [
      '61.177.7.1',
      '2001:db8::1',
      '2001:db8::2',
      undefined,
      undefined,
    ]);
  });

  it('refuse the row by default, all at once, and are left out with --lenient', async (t) => {
    const bad = { ...article, status: 'x', pinnedUntil: 'later', contactPhone: '1'.repeat(2_001) };
    const strict = await bringIn(t, { 'articles.jsonl': [bad] });
    assert.equal(strict.refused.length, 1);
    for (const reason of [
      /caption has a control/,
      /status is not a whole/,
      /pinnedUntil "later"/,
      /contactPhone is longer/,
    ])
      assert.match(String(strict.refused[0]!.reason), reason);
    const lenient = await bringIn(t, { 'articles.jsonl': [bad] }, ['--lenient']);
    assert.equal(lenient.code, 0);
    const { articles } = await exported(t, lenient.database);
    assert.deepEqual(
      articles!.map(({ caption, status, pinnedUntil, contactPhone }) => [
        caption,
        status,
        pinnedUntil,
        contactPhone,
      ]),
      [['ab', undefined, undefined, undefined]],
    );
    assert.equal(lenient.refused[0]!.was, 'taken');
    const { guid: _, ...keyless } = bad;
    const required = await bringIn(t, { 'articles.jsonl': [keyless] }, ['--lenient']);
    assert.match(String(required.refused[0]!.reason), /guid is required/);
    assert.equal(required.code, 1);
  });
});

describe('files and addresses of Windows', () => {
  it('are found with its separator and in any letter case, and never outside', async (t) => {
    const png = blackPng(8, 8);
    const names = [
      '2015/03/A1.PNG',
      '2015\\03\\A1.PNG',
      '2015\\03\\a1.png',
      '2015/03/b.png',
      '..\\in.refused.jsonl',
    ];
    const { kinds, refused } = await bringIn(t, {
      '2015/03/A1.PNG': png,
      '2015/03/B.png': png,
      '2015/03/b.PNG': png,
      'images.jsonl': names.map((file, at) => ({ guid: `${at}`, file, createdAt: AT })),
    });
    assert.deepEqual(kinds.images, { added: 3, changed: 0, present: 0, refused: 2 });
    assert.match(
      String(refused[0]!.reason),
      /^"2015\/03\/b\.png" may be (?:B\.png or b\.PNG|b\.PNG or B\.png); rename one\.$/,
    );
    assert.match(String(refused[1]!.reason), /^there is no file/);
  });

  it('links are percent-encoded as browsers do, and one without a scheme is told so', async (t) => {
    const targets = [
      'http://a.example/x?city=苏州&id=2',
      'http://例子.example/',
      'www.a.example/3',
      'ftp://a.example/',
    ];
    const { database, refused } = await bringIn(t, {
      'links.jsonl': targets.map((target, at) => ({ code: `${at}`, target, createdAt: AT })),
    });
    assert.deepEqual(reasonsOf(refused), [
      '3: target has no http:// or https:// before it; write the whole address.',
      '4: target is not an http or https URL in ASCII.',
    ]);
    const { links } = await exported(t, database);
    assert.deepEqual(pluck(links!, 'target'), [
      'http://a.example/x?city=%E8%8B%8F%E5%B7%9E&id=2',
      'http://xn--fsqu00a.example/',
    ]);
  });
});

describe('the report', () => {
  it('counts the rows by reason on the screen, without their values', async (t) => {
    const users = ['Ada', 'ada', 'ADA', 'bob'].map((id) => ({ id, createdAt: AT }));
    const images = [1, 2, 3].map((n) => ({ guid: `${n}`, file: `none/${n}.png`, createdAt: AT }));
    const { stdout, stderr } = await bringIn(t, { 'users.jsonl': users, 'images.jsonl': images }, [
      '--dry-run',
      '--text',
    ]);
    assert.match(stdout, /images +3 +refused +there is no file … in /);
    assert.match(stdout, /users +2 +taken +id differs from another only in letter case/);
    assert.match(stderr, /3 rows were refused; the rows and the reasons are in /);
  });

  it('keeps each row as it can be mended: in UTF-8, or as its bytes', async (t) => {
    const gbk = Buffer.from([0xb6, 0xfe, 0xca, 0xd6]);
    const long = 'x'.repeat(20_000);
    const csv = Buffer.concat([
      Buffer.from('guid,caption,content,createdAt\na,'),
      gbk,
      Buffer.from(`,${long},never\n`),
    ]);
    const read = await bringIn(t, { 'articles.csv': csv }, ['--encoding', 'gb18030']);
    assert.equal(read.refused[0]!.row, `a,二手,${long},never`);
    const unread = await bringIn(t, { 'articles.csv': csv });
    assert.ok(Buffer.from(String(unread.refused[0]!.base64), 'base64').includes(gbk));
  });

  it('of mended rows: what was taken before exists, and the rest comes in', async (t) => {
    const { database, refused } = await bringIn(t, {
      'articles.csv': `guid,caption,createdAt\na,one,${AT}\nb,two,never\n`,
    });
    const mended = String(refused[0]!.row).replace('never', AT);
    const folder = await writeFolder(join(await temporaryFolder(t), 'mended'), {
      'articles.csv': `guid,caption,createdAt\n${mended}\n`,
    });
    const { code } = await ws01(database, ['import', folder]);
    assert.equal(code, 0);
    const { articles } = await exported(t, database);
    assert.deepEqual(pluck(articles!, 'guid'), ['a', 'b']);
  });
});
