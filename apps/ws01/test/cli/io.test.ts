import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { CommandFailure } from '../../src/cli/failure.ts';
import { LineProblems, readRecords, readText } from '../../src/cli/io/records.ts';
import { displayWidth, table } from '../../src/cli/io/table.ts';
import { shortLine } from '../../src/cli/log.ts';
import { CsvError, readCsv } from '../../src/domain/portable/csv.ts';

describe('CSV', () => {
  const read = (text: string, separator = ',') =>
    [...readCsv(text, separator)].map(({ cells }) => cells);

  test('cells in quotes hold separators, line breaks and doubled quotes; lines are counted through them', () => {
    assert.deepEqual(
      [...readCsv('a,"b, ""c""\r\nd"\r\n\r\n"",x\ny,\rz', ',')],
      [
        { line: 1, cells: ['a', 'b, "c"\r\nd'], quoted: [false, true] },
        { line: 4, cells: ['', 'x'], quoted: [true, false] },
        { line: 5, cells: ['y', ''], quoted: [false, false] },
        { line: 6, cells: ['z'], quoted: [false] },
      ],
    );
  });

  test('whatever is written as RFC 4180 says comes back', () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '名', ' ') }),
      fc.string(),
    );
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        (cells, separator, end) => {
          const written = cells.map((row) => row.map(quoted).join(separator) + end).join('');
          assert.deepEqual(read(written, separator), cells);
        },
      ),
    );
  });

  test('any text is read or refused with its line, and a long one in no time worth telling', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
        try {
          read(text);
        } catch (error) {
          assert.ok(error instanceof CsvError && error.line >= 1);
        }
      }),
    );
    assert.equal(read(`"${'""'.repeat(200_000)}"`)[0]![0]!.length, 200_000);
  });
});

describe('records', () => {
  const FIELDS = ['id', 'name', 'email'] as const;

  test('are read alike from CSV with any usual separator and from JSON lines', () => {
    const expected = [
      { id: 'ada', name: 'Lovelace, 阿达' },
      { id: 'bob', name: '' },
    ];
    const texts = [
      'id,name\nada,"Lovelace, 阿达"\nbob,\n',
      'ID; Name \r\nada;Lovelace, 阿达\r\nbob;',
      'id\tname\nada\tLovelace, 阿达\n\n\nbob\t',
      '{"id":"ada","name":"Lovelace, 阿达"}\n\n {"ID":"bob","name":null}',
    ];
    for (const text of texts) {
      assert.deepEqual(
        readRecords(text, 'file', FIELDS).map(({ fields }) => fields),
        expected,
        text,
      );
    }
  });

  test('what is no such file is told in one sentence with its line', () => {
    const wrong: readonly (readonly [text: string, told: RegExp])[] = [
      ['', /^file is empty; begin with the heading line id,name,email\.$/],
      ['id,name,emial\nada,,\n', /^file:1: "emial" is no field; there are id, name, email\./],
      ['id,name\n\nada\n', /^file:3: There are 1 cells under 2 headings\./],
      [
        'id,name\nada,"Ada\n',
        /^file:2: The cell that begins with a quote here has no closing quote\./,
      ],
      ['id,name\nada,"Ada" Lovelace\n', /^file:2: A closing quote must be followed/],
      ['id,name\nada,Ada "L"\n', /^file:2: A cell with a quote in it/],
      ['{"id":"ada"}\n{"id":"bob"\n', /^file:2: This is not JSON\./],
      ['{"id":"ada"}\n["bob"]\n', /^file:2: This is not a JSON object\./],
      ['{"id":"ada","__proto__":"x"}\n', /^file:1: "__proto__" is no field/],
      ['{"id":["ada"]}\n', /^file:1: "id" must be text or null/],
    ];
    for (const [text, told] of wrong) {
      assert.throws(() => readRecords(text, 'file', FIELDS), { message: told });
    }
  });

  test('come as UTF-8, or as the UTF-16 that spreadsheets write; other bytes are refused', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-records-');
    const file = join(folder, 'file');
    for (const bytes of [
      Buffer.from('\ufeffid\n名'),
      Buffer.from('id\n名'),
      Buffer.from('\ufeffid\n名', 'utf16le'),
      Buffer.from('id\n名', 'utf16le').swap16(),
    ]) {
      await writeFile(file, bytes);
      assert.equal(await readText(file), 'id\n名');
    }
    await writeFile(file, Buffer.from('id\né', 'latin1'));
    await assert.rejects(readText(file), /file is not UTF-8 text; save it as UTF-8\.$/);
  });

  test('thousands of wrong ones are told in a few lines', () => {
    const problems = new LineProblems('file');
    for (let line = 1; line <= 3_000; line += 1) {
      problems.collect(line, () => {
        throw new CommandFailure('It is wrong.');
      });
    }
    assert.throws(
      () => problems.throwAny(4_000),
      ({ message }: Error) =>
        message.startsWith(
          'nothing was imported, since 3000 of 4000 records are wrong:\nfile:1: It is wrong.\n',
        ) && message.endsWith('\nfile:20: It is wrong.\n… and 2980 more'),
    );
  });

  test('a defect is no problem of the file', () => {
    const defect = () => {
      throw new Error('A bug.');
    };
    assert.throws(() => new LineProblems('file').collect(1, defect), /A bug/);
  });
});

describe('a table', () => {
  test('is aligned by what a terminal shows', () => {
    assert.equal(displayWidth('abc'), 3);
    assert.equal(displayWidth('名字'), 4);
    assert.equal(displayWidth('한글ｶﾅ（）'), 10);
    assert.equal(displayWidth('é👩‍👩‍👧'), 3);
    assert.equal(
      table(
        ['A', 'B'],
        [
          ['名字', 'x'],
          ['y', ''],
        ],
      ),
      'A     B\n名字  x\ny\n',
    );
  });

  test('lets no text move the cursor, break a line or turn it about', () => {
    const hostile = '\u001b[2J\r\nx\u202ey';
    assert.equal(table(['A'], [[hostile]]), 'A\n\ufffd[2J\ufffd\ufffdx\ufffdy\n');
  });
});

test('at a terminal a log line is short; its values cannot break it', () => {
  const line = (fields: object) =>
    shortLine(
      JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', pid: 1, ...fields }),
    );
  assert.equal(
    line({ msg: 'answered', status: 200, path: 'a\nb c' }),
    '03:04:05 answered status=200 path="a\\nb c"\n',
  );
  assert.equal(
    line({ level: 'error', msg: 'failed', err: { stack: 'Error: x\n at y' } }),
    '03:04:05 ERROR failed\nError: x\n at y\n',
  );
});
