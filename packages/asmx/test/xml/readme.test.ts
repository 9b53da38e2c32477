import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/contract/limits.ts';
import { charsetDecoder } from '../../src/message/charset.ts';
import { compile } from '../kit/compile.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { linkModules, runNode, writeStrictProject } from '../kit/programs.ts';
import { EXPLANATIONS } from './kit/differential.ts';
import { EXCEPTIONS } from './kit/exceptions.ts';
import { read } from './kit/reading.ts';
import { SHAPES } from './kit/shapes.ts';

const FOLDER = 'packages/asmx/src/xml';
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

/** The cells of the table with this first head, without back quotes around them. */
function table(firstHead: string): string[][] {
  const lines = README.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHead} |`));
  assert.ok(start >= 0, firstHead);
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) =>
      row
        .slice(2, -2)
        .split(' | ')
        .map((cell) => (cell.startsWith('`') && cell.endsWith('`') ? cell.slice(1, -1) : cell)),
    );
}

function codeBlock(language: string): string {
  const start = README.indexOf(`\`\`\`${language}\n`) + language.length + 4;
  return README.slice(start, README.indexOf('```', start));
}

function sources(): string {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return files.map((file) => readFileSync(join(FOLDER, file), 'utf8')).join('\n');
}

describe('the page of the XML reader', () => {
  it('has an example that compiles and prints what it says', async (t) => {
    const home = await temporaryFolder(t, 'xml-example-');
    cpSync('packages/asmx/src', home, { recursive: true });
    writeFileSync(join(home, 'xml', 'example.ts'), codeBlock('ts'));
    await linkModules(home);
    await writeStrictProject(home, 'xml/example.ts');
    assert.equal((await compile(home)).stdout, '');
    assert.equal((await runNode(home, 'xml/example.ts')).stdout, codeBlock('text'));
  });

  it('has each limit the reader knows, with its default', () => {
    const rows = table('limit').map(([name, value]) => [name, Number(value!.replaceAll(',', ''))]);
    const used = new Set(Array.from(sources().matchAll(/\blimits\.(\w+)/g), (match) => match[1]!));
    const defaults = Object.entries(DEFAULT_LIMITS).filter(([name]) => used.has(name));
    assert.deepEqual(rows.sort(), defaults.sort());
  });

  it('has each code of an error, with a document that is refused so', () => {
    const rows = table('code');
    const known = /type XmlErrorCode = (.+);/.exec(sources())![1]!;
    assert.equal(rows.map(([code]) => `'${code}'`).join(' | '), known);
    for (const [code, , document, message] of rows) {
      const { error } = read(document!);
      assert.deepEqual([error?.code, error?.message], [code, message], document!);
    }
  });

  it('says rightly which encoding is chosen', () => {
    for (const [mark, charset, declared, used] of table('byte order mark of')) {
      const row = [mark, charset, declared, used].join(' | ');
      const declaration = declared === '—' ? '' : `<?xml version="1.0" encoding="${declared}"?>`;
      // Refused are those that declare something other than their mark, or nothing known.
      const encoding = used !== 'refused' ? used! : mark === '—' ? 'utf-8' : mark!;
      const bytes = encode(`${mark === '—' ? '' : '\ufeff'}${declaration}<a>é</a>`, encoding);
      const { events, error } = read(bytes, { charset: charset === '—' ? undefined : charset });
      if (used === 'refused') assert.equal(error?.code, 'encoding', row);
      else assert.deepEqual([events, error], [['<a>', 'é', '/'], undefined], row);
    }
  });

  it('lists what the tests except, no more and no less', () => {
    assert.deepEqual(
      table('test').map(([id, reason]) => [id, reason]),
      [...EXCEPTIONS],
    );
    const [, after] = README.split('### Where libxml2 does otherwise');
    const listed = Array.from(
      after!.split('\n## ')[0]!.matchAll(/^- (.+)$/gm),
      (match) => match[1],
    );
    assert.deepEqual(
      listed,
      EXPLANATIONS.map(({ reason }) => reason),
    );
  });

  it('names tests that there are, for every kind of attack', () => {
    const tests = readdirSync('packages/asmx/test/xml').filter((file) => file.endsWith('.test.ts'));
    const code = tests
      .map((file) => readFileSync(join('packages/asmx/test/xml', file), 'utf8'))
      .join('\n');
    for (const [, , name] of table('what is sent')) {
      const isShape = SHAPES.some((shape) => name === `growth: ${shape.name}`);
      assert.ok(isShape || code.includes(`test('${name!}'`), name!);
    }
  });

  it('has every file in its picture', () => {
    const [picture] = README.split('## How it works')[1]!.split('**Input**');
    for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts'))
        assert.match(picture!, new RegExp(`\\b${basename(file, '.ts')}\\b`), file);
    }
  });
});

function encode(text: string, encoding: string): Uint8Array {
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Buffer.from(text, 'latin1');
  assert.equal(charsetDecoder(encoding, true)?.decode(bytes, true), text);
  return bytes;
}
