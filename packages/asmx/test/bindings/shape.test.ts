import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { BINDINGS } from '../../src/bindings/index.ts';
import { SOAP11, SOAP12 } from '../../src/exchange/soap-version.ts';

const FOLDER = 'packages/asmx/src/bindings';
/** What each binding consists of, besides what its own files need. */
const FILES = ['read.ts', 'write-error.ts', 'write-result.ts'];

const entries = await readdir(FOLDER, { withFileTypes: true });
const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

it('a binding is a folder with the same files as its neighbours, and a place in the table', async () => {
  const list = await readFile(join(FOLDER, 'index.ts'), 'utf8');
  for (const folder of folders) {
    const files = await readdir(join(FOLDER, folder));
    assert.deepEqual(
      files.filter((file) => FILES.includes(file)),
      FILES,
      folder,
    );
    for (const file of FILES) assert.ok(list.includes(`from './${folder}/${file}';`), folder);
  }
  // HTTP GET and HTTP POST are one folder.
  assert.equal(BINDINGS.length, folders.length + 1);
});

it('the rest of the engine does not know which bindings there are', async () => {
  const files = await readdir('packages/asmx/src/engine', { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join('packages/asmx/src/engine', file), 'utf8');
    for (const [line, from] of text.matchAll(/^import .*'(?:\.\.\/)+bindings\/(.+)';$/gm))
      assert.equal(from, 'index.ts', line);
  }
});

it('every difference between the versions of SOAP is in one file', async () => {
  const texts = [
    SOAP11.envelope,
    SOAP12.envelope,
    SOAP11.mediaType,
    SOAP12.mediaType,
    '<soap:Fault>',
  ];
  for (const folder of ['bindings', 'engine', 'exchange', 'message', 'fast']) {
    const files = await readdir(join('packages/asmx/src', folder), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts') && name !== 'soap-version.ts')) {
      const code = (await readFile(join('packages/asmx/src', folder, file), 'utf8')).replace(
        /\/\*[\s\S]*?\*\/|\/\/.*/g,
        '',
      );
      for (const text of texts) {
        // A document that GET and POST answer is text/xml, too; SOAP's faults are not written there.
        if (text === 'text/xml' && file.startsWith('form/')) continue;
        assert.ok(!code.includes(text), `${folder}/${file}: ${text}`);
      }
      assert.doesNotMatch(code, /=== SOAP1[12]\b|'soap1[12]'/, `${folder}/${file}`);
    }
  }
});
