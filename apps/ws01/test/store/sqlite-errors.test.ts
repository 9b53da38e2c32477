import assert from 'node:assert/strict';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { describeError } from '../../src/cli/failure.ts';
import { type DependencyError, isFailureOf } from '../../src/failure/dependency-error.ts';
import { translateFailure } from '../../src/failure/translate.ts';
import { MARK_FILE, openMark } from '../../src/store/sqlite/commit-mark.ts';
import { sqliteError } from '../../src/store/sqlite/errors.ts';

/** What an error is called at the front door, with the kind that the store gives it; nothing for a defect. */
function told(error: unknown): readonly [kind: string, code: string, remedy: string] | undefined {
  const translated = sqliteError(error);
  if (!isFailureOf('database', translated)) {
    assert.equal(translated, error);
    return undefined;
  }
  assert.equal(translated.cause, error);
  return [
    translated.kind,
    (translateFailure(translated) as { code: string }).code,
    translated.message,
  ];
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('Nothing was thrown.');
}

it('a full disk under the mark of commits is told as one under the database, and leaves no file', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-errors-');
  // The kernel refuses each write to it.
  await symlink('/dev/full', join(folder, `${MARK_FILE}.new-${process.pid}`));
  const error = thrownBy(() => openMark(join(folder, 'ws01.sqlite'))) as DependencyError;
  assert.deepEqual([error.kind, describeError(error).exitCode], ['unavailable', 1]);
  assert.match(error.message, /^The disk of DATA_DIR is full; /);
  assert.deepEqual(await readdir(folder), []);
});

it('of a copy to a full disk the place it was to have is named', () => {
  const error = Object.assign(new Error(), { code: 'ENOSPC', path: '/backup', dest: '/data' });
  assert.equal(describeError(error).text, '/data: the disk is full.');
});

describe('an error of SQLite', () => {
  it('that the machine can be made to show', async (t) => {
    const file = join(await temporaryFolder(t, 'ws01-errors-'), 'a.sqlite');
    const one = new DatabaseSync(file, { timeout: 0 });
    t.after(() => one.close());
    one.exec('create table t (x unique); pragma max_page_count = 5');
    assert.deepEqual(
      told(thrownBy(() => one.exec('insert into t values (zeroblob(1000000))')))?.slice(0, 2),
      ['unavailable', 'StorageUnavailable'],
    );
    const other = new DatabaseSync(file, { timeout: 0 });
    t.after(() => other.close());
    one.exec('begin immediate');
    assert.deepEqual(told(thrownBy(() => other.exec('begin immediate')))?.slice(0, 2), [
      'busy',
      'Busy',
    ]);
    one.exec('commit');
    other.exec('pragma query_only = on');
    assert.match(
      told(thrownBy(() => other.exec('insert into t values (1)')))?.[2] ?? '',
      /cannot be written/,
    );

    const text = join(await temporaryFolder(t, 'ws01-errors-'), 'text');
    await writeFile(text, 'no database '.repeat(1_000));
    const read = () => new DatabaseSync(text).exec('select * from sqlite_schema');
    assert.match(told(thrownBy(read))?.[2] ?? '', /is none of SQLite/);
    assert.match(
      told(thrownBy(() => new DatabaseSync(join(text, 'below'))))?.[2] ?? '',
      /cannot be opened/,
    );

    // Defects, and what callers decide themselves.
    one.exec('insert into t values (1)');
    assert.equal(told(thrownBy(() => one.exec('insert into t values (1)'))), undefined);
    assert.equal(told(thrownBy(() => one.exec('select * from nothing'))), undefined);
    assert.equal(told(new Error('another')), undefined);
  });

  it('that it cannot: what its code says', () => {
    const asThrown = (errcode: number) =>
      Object.assign(new Error('planted'), { code: 'ERR_SQLITE_ERROR', errcode });
    const codes: readonly (readonly [errcode: number, kind: string, remedy: RegExp])[] = [
      [2, 'unavailable', /restart this process/],
      [3, 'unavailable', /permissions/],
      [7, 'unavailable', /memory/],
      [10, 'unavailable', /disk of DATA_DIR failed/],
      [3082, 'unavailable', /memory/],
      [266, 'unavailable', /disk of DATA_DIR failed/],
      [11, 'unavailable', /ws01 restore/],
      [15, 'unavailable', /disk of this machine/],
      [17, 'busy', /tables/],
      [22, 'unavailable', /larger file/],
    ];
    for (const [errcode, kind, remedy] of codes) {
      const [seen, code, message] =
        told(asThrown(errcode)) ?? assert.fail(`${errcode} is no error of the store`);
      assert.deepEqual(
        [seen, code],
        [kind, kind === 'busy' ? 'Busy' : 'StorageUnavailable'],
        String(errcode),
      );
      assert.match(message, remedy);
    }
    for (const errcode of [1, 4, 9, 12, 18, 19, 20, 21, 23, 25])
      assert.equal(told(asThrown(errcode)), undefined);
  });
});
