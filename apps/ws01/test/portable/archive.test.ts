import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { it, type TestContext } from 'node:test';
import { createGzip, gzipSync, zstdCompressSync } from 'node:zlib';
import { create, Header, type HeaderData } from 'tar';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import {
  ARCHIVE_LIMITS,
  type ArchiveLimits,
  openArchive,
  rootOf,
  unpack,
} from '../../src/domain/portable/archive.ts';
import { FolderError } from '../../src/domain/portable/manifest.ts';
import { environmentOf, ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';
import { everyKind } from '../kit/portable-records.ts';

const END = Buffer.alloc(1024);

/** One entry as it stands in an archive: a header, and content up to a whole block. */
function entry(header: HeaderData, content = ''): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(512);
  new Header({
    mode: 0o644,
    size: bytes.length,
    type: 'File',
    mtime: new Date(0),
    ...header,
  }).encode(head);
  return Buffer.concat([head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** A header with a type of its own letter, such as that of sparse files. */
function ofType(letter: string, bytes: Buffer): Buffer {
  bytes.write(letter, 156, 'latin1');
  bytes.write(' '.repeat(8), 148, 'latin1');
  const sum = bytes.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

const pax = (record: string): Buffer =>
  entry({ path: 'PaxHeader', type: 'ExtendedHeader' }, record);

const ARTICLES = entry({ path: 'articles.jsonl' }, '{"guid":"a","caption":"c"}\n');

async function tryToUnpack(
  t: TestContext,
  bytes: Buffer,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<string> {
  const folder = await temporaryFolder(t);
  const archive = join(folder, 'site.tar');
  await writeFile(archive, bytes);
  const into = join(folder, 'in');
  await mkdir(into);
  const watch = { signal: new AbortController().signal, onProgress: () => {} };
  try {
    await unpack(await openArchive(archive), into, limits, watch);
  } finally {
    assert.deepEqual(
      (await readdir(folder)).toSorted(),
      ['in', 'site.tar'],
      'nothing outside the folder',
    );
  }
  return into;
}

const file = (path: string) => entry({ path }, 'x');
const LEADS_OUT = /which leads out of its folder/;
const NO_FILE = /neither a file nor a folder/;

const HOSTILE: readonly (readonly [what: string, reason: RegExp, ...entries: Buffer[]])[] = [
  [
    'a path above the folder',
    /"\.\.\/out\.jsonl", which leads out/,
    ARTICLES,
    file('../out.jsonl'),
  ],
  ['a path that goes up on its way', LEADS_OUT, file('a/../../out')],
  ['an absolute path', LEADS_OUT, file('/tmp/ws01-out')],
  ['a drive', LEADS_OUT, file('C:/out')],
  [
    'a symbolic link',
    /"files", which is a link: pack the file that it leads to \(tar --dereference\)/,
    entry({ path: 'files', type: 'SymbolicLink', linkpath: '/etc' }),
    file('files/passwd'),
  ],
  [
    'a hard link',
    /which is a link/,
    entry({ path: 'users.jsonl', type: 'Link', linkpath: '/etc/passwd' }),
  ],
  [
    'a device',
    /neither a file nor a folder \(CharacterDevice\)/,
    entry({ path: 'null', type: 'CharacterDevice' }),
  ],
  [
    'a pipe',
    /neither a file nor a folder \(FIFO\)/,
    entry({ path: 'articles.jsonl', type: 'FIFO' }),
  ],
  ['a sparse file of old tars', NO_FILE, ofType('S', file('articles.jsonl'))],
  [
    'a sparse file in a pax header',
    /a sparse file; make it without --sparse/,
    pax('26 GNU.sparse.size=99999\n'),
    ARTICLES,
  ],
  ['a path in a pax header', LEADS_OUT, pax('19 path=../out.csv\n'), ARTICLES],
  [
    'a header of two megabytes',
    /a header longer than a name may be/,
    pax(`2000012 comment=${'x'.repeat(1_999_995)}\n`),
    ARTICLES,
  ],
  ['a name twice', /a name twice/, ARTICLES, ARTICLES],
  ['a file where a folder was', /a name twice/, file('a/b'), file('a')],
  [
    'a size that no disk has',
    /more than \d+ bytes \(--unpack-bytes\)/,
    entry({ path: 'a', size: 2 ** 50 }),
  ],
  [
    'what is no archive',
    /is not a whole tar archive/,
    Buffer.from('PK\u0003\u0004 this is a zip, or a text'.padEnd(2048, '.')),
  ],
];

it('an archive that holds more than files and folders of its own is refused, whatever it is', async (t) => {
  for (const [what, reason, ...entries] of HOSTILE) {
    const plain = Buffer.concat([...entries, END]);
    for (const bytes of [plain, gzipSync(plain)]) {
      await assert.rejects(
        tryToUnpack(t, bytes),
        (error: Error) => error instanceof FolderError && reason.test(error.message),
        what,
      );
    }
  }
});

it('an archive may hold as much as is said, and not more', async (t) => {
  const bytes = Buffer.concat([
    entry({ path: 'a' }, 'x'.repeat(100)),
    entry({ path: 'b' }, 'y'.repeat(50)),
    END,
  ]);
  await tryToUnpack(t, bytes, { bytes: 150, entries: 2 });
  const refused = (packed: Buffer, limits: ArchiveLimits, reason: RegExp) =>
    assert.rejects(tryToUnpack(t, packed, limits), reason);
  await refused(bytes, { bytes: 149, entries: 2 }, /more than 149 bytes \(--unpack-bytes\)/);
  await refused(bytes, { bytes: 150, entries: 1 }, /more than 1 files and folders/);
  const size = 64 * 1024 * 1024;
  const bomb = gzipSync(Buffer.concat([entry({ path: 'a', size }), Buffer.alloc(size), END]));
  await refused(bomb, { bytes: 1024 * 1024, entries: 2 }, /more than 1048576 bytes/);
});

it('an archive that was cut off at any byte is refused, compressed or not', async (t) => {
  const whole = Buffer.concat([
    entry({ path: 'old/', type: 'Directory' }),
    entry({ path: 'old/articles.jsonl' }, 'x'.repeat(700)),
    END,
  ]);
  assert.deepEqual(await readdir(await rootOf(await tryToUnpack(t, whole))), ['articles.jsonl']);
  const lengths = [
    0, 1, 2, 3, 4, 511, 512, 513, 1023, 1024, 1025, 1700, 1723, 1724, 2047, 2048, 2049, 2559, 2560,
    3071,
  ];
  for (const compress of [(bytes: Buffer) => bytes, gzipSync, zstdCompressSync]) {
    const bytes = compress(whole);
    const cuts =
      bytes === whole
        ? lengths
        : Array.from({ length: 12 }, (_, n) => Math.floor((n * bytes.length) / 12));
    for (const length of cuts)
      await assert.rejects(
        tryToUnpack(t, bytes.subarray(0, length)),
        FolderError,
        `${length} bytes`,
      );
  }
});

it('an export in one file is private, and comes in as it was, from a tar or a tar.gz', async (t) => {
  const folder = await temporaryFolder(t);
  const image = blackPng(8, 8);
  const records = everyKind(image);
  const { hash } = records['image-files']!.find(({ format }) => format === 'png')!;
  const files = Object.fromEntries(
    Object.entries(records).map(([kind, rows]) => [`${kind}.jsonl`, rows]),
  );
  await writeFolder(join(folder, 'old'), {
    ...files,
    [`files/${String(hash).slice(0, 2)}/${hash}`]: image,
  });
  // As people pack: a folder within the archive.
  await create({ file: join(folder, 'old.tar'), cwd: folder }, ['old']);
  let archive = join(folder, 'old.tar');
  const seen: Record<string, unknown>[] = [];
  for (const name of ['one.tar.gz', 'two.tar']) {
    const database = await freshDatabase('sqlite', t);
    for (const more of name === 'two.tar' ? [[]] : [['--dry-run'], []]) {
      const taken = await ws01(database, ['import', archive, ...more]);
      assert.equal(taken.code, 0, taken.stderr);
    }
    assert.ok(!existsSync(`${archive}.unpacked`), 'what was unpacked is gone');
    archive = join(folder, name);
    const { code, stderr } = await ws01(database, ['export', archive]);
    assert.equal(code, 0, stderr);
    assert.equal((await stat(archive)).mode & 0o777, 0o600);
    const out = join(folder, `${name}.out`);
    await ws01(database, ['export', out]);
    const { audit, ...exported } = await readFolder(out);
    seen.push({
      ...exported,
      image: await readFile(join(out, `files/${String(hash).slice(0, 2)}/${hash}`)),
    });
  }
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => /partial|packing|unpacked/.test(name)),
    [],
  );
});

it('an export leaves the temporary files of others that run, and removes those of killed ones', async (t) => {
  const folder = await temporaryFolder(t);
  const database = await freshDatabase('sqlite', t);
  const archive = join(folder, 'all.tar');
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(ended, 'exit');
  const [running, killed] = [process.ppid, ended.pid!].map(
    (pid) => `${archive}.packing-${hostname()}@${pid}-folder`,
  );
  for (const left of [running!, killed!]) await mkdir(left);
  assert.equal((await ws01(database, ['export', archive])).code, 0);
  assert.deepEqual([existsSync(running!), existsSync(killed!)], [true, false]);
});

it('a pipe carries an export into another database, through whatever encrypts or packs it', async (t) => {
  const folder = await temporaryFolder(t);
  const [from, to] = [await freshDatabase('sqlite', t), await freshDatabase('sqlite', t)];
  const image = blackPng(8, 8);
  const old = await writeFolder(join(folder, 'old'), {
    'articles.jsonl': [{ guid: 'a', caption: 'c', createdAt: '2024-02-29T13:05:06Z' }],
    'images.jsonl': [{ guid: 'i', file: 'i.png', createdAt: '2024-02-29T13:05:06Z' }],
    'i.png': image,
  });
  assert.equal((await ws01(from, ['import', old])).code, 0);
  const start = (database: TestDatabase, args: readonly string[]) => {
    const child = spawn(process.execPath, [resolve('bin/ws01.js'), ...args], {
      cwd: folder,
      env: environmentOf(database),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  const exporting = start(from, ['export', '-']);
  const importing = start(to, ['import', '-', '--json']);
  exporting.stdin.end();
  const [said, report] = [text(exporting.stderr), text(importing.stdout)];
  const ended = [once(exporting, 'exit'), once(importing, 'exit')];
  await pipeline(exporting.stdout, createGzip(), importing.stdin);
  assert.deepEqual(await Promise.all(ended), [
    [0, null],
    [0, null],
  ]);
  assert.match(await said, /-: \d+ records, 1 articles among them, and 1 image file of 1 MiB\.\n$/);
  assert.equal(JSON.parse(await report).kinds.images.added, 1);
  assert.deepEqual(await readdir(folder), ['old']);
  assert.deepEqual(
    (await readdir(from.dataDir)).filter((name) => /export|packing/.test(name)),
    [],
  );
  const cut = await ws01(to, ['import', '-', '--unpack', join(folder, 'cut')], 'no archive');
  assert.equal(cut.code, 2);
  assert.match(cut.stderr, /standard input is not a whole tar archive|standard input was cut off/);
});

it('a refused archive changes nothing and says why in a line; one that is unpacked already is not overwritten', async (t) => {
  const folder = await temporaryFolder(t);
  const database = await freshDatabase('sqlite', t);
  const archive = join(folder, 'site.tar');
  await writeFile(archive, Buffer.concat([ARTICLES, entry({ path: '../out' }, 'x'), END]));
  const refused = await ws01(database, ['import', archive]);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /site\.tar holds "\.\.\/out", which leads out of its folder; nothing of it was taken\.\n$/,
  );
  assert.deepEqual(await readdir(folder), ['site.tar']);
  await mkdir(`${archive}.unpacked`);
  const present = await ws01(database, ['import', archive]);
  assert.equal(present.code, 2);
  assert.match(present.stderr, /exists already: continue with --resume, or remove it/);
});
