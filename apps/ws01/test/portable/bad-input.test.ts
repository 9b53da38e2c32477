import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { pluck } from '../../../../packages/asmx/test/kit/pluck.ts';
import { FolderError, openFolder } from '../../src/domain/portable/manifest.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { bringIn, exported } from '../kit/imported.ts';
import { writeFolder } from '../kit/portable.ts';

const LETTER_CASE =
  'differs from another only in letter case, which SQL Server took for the same; they are two here.';
const AT = '2015-03-04T07:04:05.678Z';

describe('rows that cannot be taken', () => {
  it('are told with their lines and reasons, and the others come in', async (t) => {
    const lines = [
      JSON.stringify({ guid: 'good', caption: 'c', createdAt: AT }),
      '',
      'not json',
      JSON.stringify({ guid: 'a', caption: 'c' }),
      JSON.stringify({ guid: 'a', caption: 'c', createdAt: 'yesterday' }),
      JSON.stringify({ guid: 'x'.repeat(65), caption: 'c', createdAt: AT }),
      JSON.stringify({ guid: 'a', caption: ' ', createdAt: AT }),
      JSON.stringify({ guid: 'a', caption: 'a\u0001b', createdAt: AT }),
      JSON.stringify({ guid: 'a', capton: 'c', createdAt: AT }),
      JSON.stringify({ guid: 'a', caption: 'c'.repeat(201), createdAt: AT }),
      '[1]',
      JSON.stringify({ guid: 'GOOD ', caption: 'other key', createdAt: AT }),
      JSON.stringify({ guid: 'good', caption: 'other', createdAt: AT }),
      JSON.stringify({ guid: 'good', caption: 'c', createdAt: AT }),
      JSON.stringify({ guid: 'last', caption: 'c', createdAt: AT }).slice(0, -9),
    ];
    const { database, code, kinds, refused } = await bringIn(t, {
      'articles.jsonl': lines.join('\n'),
      'revisions.jsonl': [{ article: 'nobody', revision: 1, caption: 'c', recordedAt: AT }],
    });
    assert.equal(code, 1);
    assert.deepEqual(
      refused.map(({ kind, line, reason }) => `${kind}:${line}: ${reason}`),
      [
        'articles:3: The row is cut off: it is no whole JSON object.',
        'articles:4: createdAt is required.',
        'articles:5: createdAt "yesterday" is not a date and time: it has a word that is no English name of a month; write it like 2024-02-29T13:05:06Z or 2024-02-29.',
        'articles:6: guid is longer than 64 characters; give a shorter key.',
        'articles:7: caption or content is required.',
        'articles:8: caption has a control character that XML cannot carry; remove it.',
        'articles:9: "capton" is no field of articles; see docs/portable-format.md.',
        'articles:10: caption is longer than 200 characters; shorten it.',
        'articles:11: The row is no JSON object.',
        `articles:12: guid ${LETTER_CASE}`,
        'articles:13: a record with this key is there already and differs in caption; it stays as it is.',
        'articles:15: The row is cut off: it is no whole JSON object.',
        'revisions:1: there is no article nobody.',
      ],
    );
    assert.equal(refused[0]!.row, 'not json');
    assert.deepEqual(kinds.articles, { added: 2, changed: 0, present: 1, refused: 11 });
    const { articles, postings, audit } = await exported(t, database);
    assert.deepEqual(pluck(articles!, 'guid'), ['GOOD', 'good']);
    assert.deepEqual(
      postings!.map(({ key, at }) => [key, at]),
      [
        ['GOOD', AT],
        ['good', AT],
      ],
    );
    assert.deepEqual(
      audit!.map(({ action, details }) => [action, details]),
      [
        [
          'data.import',
          {
            ...(audit![0]!.details as object),
            articles: 2,
            'articles refused': 11,
            'revisions refused': 1,
          },
        ],
      ],
    );
  });

  it('a dry run tells the same and brings nothing in', async (t) => {
    const rows = [
      { guid: 'a', caption: 'c', createdAt: AT },
      { guid: 'a', caption: 'd', createdAt: AT },
      { guid: 'b', createdAt: AT },
    ];
    const revisions = [
      { article: 'a', revision: 1, caption: 'c', recordedAt: AT },
      { article: 'z', revision: 1, caption: 'c', recordedAt: AT },
    ];
    const { database, code, kinds, refused } = await bringIn(
      t,
      { 'articles.jsonl': rows, 'revisions.jsonl': revisions },
      ['--dry-run'],
    );
    assert.equal(code, 1);
    assert.deepEqual(kinds, {
      articles: { added: 1, changed: 0, present: 0, refused: 2 },
      revisions: { added: 1, changed: 0, present: 0, refused: 1 },
    });
    assert.deepEqual(refused.map(({ reason }) => reason).toSorted(), [
      'caption or content is required.',
      'its key stands on an earlier line.',
      'there is no article z.',
    ]);
    await assert.rejects(stat(join(database.dataDir, 'ws01.db')), { code: 'ENOENT' });
  });

  it('files of images are held against their hashes and looked at as uploads are', async (t) => {
    const { code, refused, kinds, database } = await bringIn(t, {
      'upload/a.png': blackPng(8, 8),
      'upload/b.svg': '<svg/>',
      'images.jsonl': [
        { guid: 'a', file: 'upload/a.png', createdAt: AT, owner: 'ada' },
        { guid: 'b', file: 'upload/b.svg', createdAt: AT },
        { guid: 'c', file: 'upload/none.png', createdAt: AT },
        { guid: 'd', file: '../in.refused.jsonl', createdAt: AT },
        { guid: 'e', file: 'upload/a.png', hash: '00'.repeat(32), createdAt: AT },
        { guid: 'f', createdAt: AT },
        { guid: 'g', hash: '00'.repeat(32), createdAt: AT },
      ],
    });
    assert.equal(code, 1);
    const reasons = refused.map(({ line, reason }) => `${line}: ${reason}`);
    assert.deepEqual(kinds.images, { added: 1, changed: 0, present: 0, refused: 6 });
    assert.match(reasons[0]!, /^2: The file is no JPEG, PNG, GIF, WebP, AVIF or HEIC\.$/);
    assert.match(reasons[1]!, /^3: there is no file "upload\/none\.png" in /);
    assert.match(reasons[2]!, /^4: there is no file "\.\.\/in\.refused\.jsonl" in /);
    assert.match(
      reasons[3]!,
      /^5: the file "upload\/a\.png" has the hash [0-9a-f]{64}, and not the one that is said\.$/,
    );
    assert.match(reasons[4]!, /^6: hash or file is required\.$/);
    assert.match(reasons[5]!, /^7: its file is not there\.$/);
    const { images, postings } = await exported(t, database);
    assert.deepEqual(pluck(images!, 'guid'), ['a']);
    assert.deepEqual(
      postings!.map(({ kind, key, userId }) => [kind, key, userId]),
      [['image', 'a', 'ada']],
    );
  });
});

describe('CSV', () => {
  it('has the details of the audit trail as JSON objects', async (t) => {
    const rows = ['"{""revision"":1}"', '{', '[]'].map(
      (details, n) =>
        `01890a5d-ac96-7000-8000-00000000000${n},${AT},article.create,article,${details}`,
    );
    const { database, refused } = await bringIn(t, {
      'audit.csv': ['id,at,action,targetKind,details', ...rows].join('\r\n'),
    });
    assert.deepEqual(
      refused.map(({ line, reason }) => `${line}: ${reason}`),
      ['3: details is not JSON.', '4: details is not an object.'],
    );
    const { audit } = await exported(t, database);
    const created = audit!.filter(({ action }) => action === 'article.create');
    assert.deepEqual(pluck(created, 'details'), [{ revision: 1 }]);
  });

  it('is read with dates as .NET writes them, quotes, semicolons, and keys in capitals', async (t) => {
    const csv = [
      'GUID;Caption;Content;createdAt;pinnedUntil;Status;owner',
      '{0F8FAD5B-D9CB-469F-A165-70867728950E};"Flat; ""two"" rooms";"one',
      'two";2015/3/4 下午 3:04;2035-01-31;1;u-1',
      'b;c;;/Date(1425452645678)/;;;',
      'c;c;;4 March 2015 3:04 PM;;;',
      'd;too;many;cells;;;;;',
      'e;"never closed;;2015-03-04;;;',
      'f;c;;2015-03-04;;;',
    ].join('\r\n');
    const { database, code, refused } = await bringIn(t, { 'articles.csv': `\ufeff${csv}` }, [], {
      TIME_ZONE: 'Asia/Shanghai',
    });
    assert.equal(code, 1);
    assert.deepEqual(
      refused.map(({ line, reason }) => `${line}: ${reason}`),
      ['6: The row has 9 cells under 7 headings.', '7: The row has a quote that is not closed.'],
    );
    const { articles } = await exported(t, database);
    assert.deepEqual(
      articles!.map(({ guid, caption, content, createdAt, pinnedUntil, status }) => [
        guid,
        caption,
        content,
        createdAt,
        pinnedUntil,
        status,
      ]),
      [
        [
          '0f8fad5b-d9cb-469f-a165-70867728950e',
          'Flat; "two" rooms',
          'one\r\ntwo',
          '2015-03-04T07:04:00.000Z',
          '2035-01-31T15:59:59.999Z',
          1,
        ],
        ['b', 'c', undefined, '2015-03-04T07:04:05.678Z', undefined, undefined],
        ['c', 'c', undefined, '2015-03-04T07:04:00.000Z', undefined, undefined],
        ['f', 'c', undefined, '2015-03-03T16:00:00.000Z', undefined, undefined],
      ],
    );
  });

  it('in GBK is refused row by row with what helps, and read with --encoding gb18030', async (t) => {
    const gbk = Buffer.concat([
      Buffer.from('guid,caption,createdAt\na,'),
      Buffer.from([0xb6, 0xfe, 0xca, 0xd6]),
      Buffer.from(',2015-03-04\nb,plain,2015-03-04\n'),
    ]);
    const { database, folder, refused, kinds } = await bringIn(t, { 'articles.csv': gbk });
    assert.deepEqual(pluck(refused, 'reason'), [
      'The row is not UTF-8 text; it reads as GBK: try --encoding gb18030.',
    ]);
    assert.equal(kinds.articles!.added, 1);
    const wrong = await ws01(database, ['import', folder, '--encoding', 'utf-16']);
    assert.match(wrong.stderr, /UTF-16 files are recognized; leave --encoding out for them/);
    const again = await ws01(database, ['import', folder, '--encoding', 'gb18030', '--json']);
    assert.deepEqual(JSON.parse(again.stdout).kinds.articles, {
      added: 1,
      changed: 0,
      present: 1,
      refused: 0,
    });
    const { articles } = await exported(t, database);
    assert.deepEqual(pluck(articles!, 'caption'), ['二手', 'plain']);
  });
});

describe('a folder that cannot be read', () => {
  const cases: readonly (readonly [
    name: string,
    files: Parameters<typeof writeFolder>[1],
    told: RegExp,
  ])[] = [
    ['no kind', { 'other.txt': 'x' }, /holds no file such as articles\.jsonl or users\.csv/],
    [
      'another format',
      { 'manifest.json': '{"format":"x"}', 'users.jsonl': '' },
      /does not say "format": "ws01-portable"/,
    ],
    ['no object', { 'manifest.json': 'null', 'users.jsonl': '' }, /does not say "format"/],
    [
      'a later version, behind a byte order mark',
      { 'manifest.json': '\ufeff{"format":"ws01-portable","version":2}', 'users.jsonl': '' },
      /is in version 2/,
    ],
    [
      'two files of a kind',
      { 'users.csv': 'id\n', 'users.jsonl': '' },
      /both users\.jsonl and users\.csv/,
    ],
    [
      'one that was cut off',
      {
        'manifest.json': '{"format":"ws01-portable","version":1,"files":{"users":{"bytes":9}}}',
        'users.jsonl': '{}',
      },
      /has 2 bytes where manifest\.json says 9: it was cut off or changed/,
    ],
    [
      'one that was changed',
      {
        'manifest.json': '{"format":"ws01-portable","version":1,"files":{"users":{"sha256":"00"}}}',
        'users.jsonl': '{}',
      },
      /is not as it was exported: its hash differs/,
    ],
    [
      'one that is missing',
      {
        'manifest.json': '{"format":"ws01-portable","version":1,"files":{"users":{}}}',
        'links.jsonl': '',
      },
      /users\.jsonl is missing/,
    ],
  ];
  for (const [name, files, told] of cases) {
    it(name, async (t) => {
      const folder = await writeFolder(join(await temporaryFolder(t), 'in'), files);
      await assert.rejects(
        openFolder(folder),
        (error) => error instanceof FolderError && told.test(error.message),
      );
    });
  }

  for (const name of ['users.jsonl', 'users.csv', 'manifest.json']) {
    it(`a pipe or a folder called ${name}`, async (t) => {
      const folder = await writeFolder(await temporaryFolder(t), { 'links.jsonl': '' });
      const refusal = { name: 'FolderError', message: /is no regular file; put one in its place/ };
      await promisify(execFile)('mkfifo', [join(folder, name)]);
      await assert.rejects(openFolder(folder), refusal);
      await rm(join(folder, name));
      await mkdir(join(folder, name));
      await assert.rejects(openFolder(folder), refusal);
    });
  }

  it('a column that is no field, no folder, a file, nothing to resume: exit code 2 and one line', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const folder = await temporaryFolder(t);
    const column = await writeFolder(join(folder, 'column'), { 'users.csv': 'id,nickname\n' });
    const unknown = await ws01(database, ['import', column, '--dry-run']);
    assert.match(
      unknown.stderr,
      /^ws01: .*users\.csv:1: "nickname" is no field of users; see .*\.\n$/,
    );
    assert.equal(unknown.code, 2);
    await writeFile(join(folder, 'moved.tar'), 'x');
    const none = await ws01(database, ['import', join(folder, 'none')]);
    assert.deepEqual(
      [none.code, none.stderr.includes('there is no such folder')],
      [2, true],
      none.stderr,
    );
    const file = await ws01(database, ['import', join(folder, 'moved.tar')]);
    assert.deepEqual(
      [file.code, file.stderr.includes('moved.tar is not a whole tar archive')],
      [2, true],
      file.stderr,
    );
    await writeFolder(folder, { 'users.jsonl': [{ id: 'a', createdAt: AT }] });
    const resumed = await ws01(database, ['import', folder, '--resume']);
    assert.match(resumed.stderr, /run it without --resume/);
    assert.equal(resumed.code, 2);
  });
});
