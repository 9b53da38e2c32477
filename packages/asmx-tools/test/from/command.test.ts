import assert from 'node:assert/strict';
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { asmx, FLAT, made, place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

describe('asmx from', () => {
  test('marks what looks like a credential', async (t) => {
    const contract = await (await made(t, wsdlOf(FLAT))).read('src/contract.ts');
    assert.match(contract, /name: 'password'[^}]*secret: true/);
    assert.doesNotMatch(contract, /name: 'days'[^}]*secret: true/);
  });

  test('writes nothing where it refuses, in one line', async (t) => {
    const folder = await place(t, {
      'old.wsdl': wsdlOf({ ...FLAT, asks: '<s:element name="p" type="t:Gone"/>' }),
      'good.wsdl': wsdlOf(FLAT),
      'full/mine.txt': 'mine',
    });
    const [old, good, full] = ['old.wsdl', 'good.wsdl', 'full'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const made = join(folder, 'made');
    for (const [args, code, told] of [
      [[old, made], 2, `${old}: element Ask/p: The type Gone of the namespace urn:old is nowhere.`],
      [[good, full], 1, `${full} is not empty; name a new folder.`],
      [[good, good], 1, `${good} is a file; name a new folder.`],
      [[good], 2, 'It needs <folder>. See asmx from --help.'],
      [
        [good, made, '--proxy', 'http://localhost:8080'],
        2,
        '--proxy: localhost is in a private network; add --network 127.0.0.1/32. See asmx from --help.',
      ],
      [[good, made, '--yes'], 2, "Unknown option '--yes'. See asmx from --help."],
    ] as const) {
      const ended = await asmx('from', ...args);
      const stderr = ended.stderr.replace(/^asmx: Building.*\n/, '');
      assert.deepEqual([stderr, ended.code, ended.stdout], [`asmx: ${told}\n`, code, '']);
    }
    await assert.rejects(access(join(folder, 'made')));
    assert.deepEqual((await readdir(folder)).sort(), ['full', 'good.wsdl', 'old.wsdl']);
    assert.deepEqual(await readdir(join(folder, 'full')), ['mine.txt']);
  });
});

describe('asmx new', () => {
  test('writes the first program of the README, and a README whose commands are there', async (t) => {
    const folder = join(await place(t), 'My Hello');
    const made = await asmx('new', folder);
    assert.equal(made.code, 0, made.stderr);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const [program, readme] = [await read('server.ts'), await read('README.md')];
    // A test of the engine runs the first of these as it stands.
    for (const page of ['packages/asmx/README.md', 'site/index.md'])
      assert.ok((await readFile(page, 'utf8')).includes(`\`\`\`ts\n${program}\`\`\``), page);
    const { name, scripts } = JSON.parse(await read('package.json'));
    assert.deepEqual([name, Object.keys(scripts)], ['my-hello', ['start', 'types']]);
    assert.match(readme, /npm start\nnpm run types /);
    assert.match(readme, /Hello\.asmx\/Greet\?name=Ann/);
    assert.equal((await asmx('new', folder)).code, 1);
  });
});

describe('asmx', () => {
  test('compare ends with 1 for differences and 2 for what cannot be read', async (t) => {
    const folder = await place(t, {
      'old.wsdl': wsdlOf(FLAT),
      'new.wsdl': wsdlOf({ ...FLAT, answers: '' }),
    });
    const [old, other, gone] = ['old.wsdl', 'new.wsdl', 'gone.wsdl'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const differs = await asmx('compare', old, other);
    assert.deepEqual(
      [differs.code, differs.stdout.split('\n')[0]],
      [1, 'Ask: result: AskResult, ours void (every client would notice)'],
    );
    assert.equal((await asmx('compare', old, old)).code, 0);
    assert.equal((await asmx('compare', old, gone)).code, 2);
  });

  test('has help for itself and each command, and tells its version', async () => {
    const { stdout } = await asmx('--help');
    assert.match(stdout, /asmx from <wsdl> <folder>/);
    for (const [, command = ''] of stdout.matchAll(/^ {2}asmx (\w+)/gm)) {
      const help = await asmx(command, '--help');
      assert.equal(help.code, 0);
      assert.match(help.stdout, /\nExamples:\n {2}(\w+=\S+ )?asmx /);
      assert.match(help.stdout, /--json|as JSON/);
    }
    assert.match((await asmx('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.deepEqual(await asmx('form'), {
      code: 2,
      stdout: '',
      stderr: 'asmx: There is no command "form". See asmx --help.\n',
    });
  });
});
