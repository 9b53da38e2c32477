import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { describeError } from '../../src/cli/failure.ts';
import { createProgram } from '../../src/cli/program.ts';
import { wrapHelp } from '../../src/cli/usage-errors.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';

/** A command and those under it. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

const NOWHERE = { dataDir: join(tmpdir(), 'ws01-never-made'), databaseUrl: undefined };

describe('a usage error', () => {
  const wrong: readonly (readonly [args: string, told: string])[] = [
    ['tokn', "unknown command 'tokn' (Did you mean token?) See ws01 --help."],
    ['token mend', "unknown command 'mend'. See ws01 token --help."],
    [
      'token list --jsn',
      "unknown option '--jsn' (Did you mean --json?) See ws01 token list --help.",
    ],
    [
      'token create --kind king',
      "option '--kind <kind>' argument 'king' is invalid. Allowed choices are service, user, admin. See ws01 token create --help.",
    ],
    [
      'token create --scopes world',
      "option '--scopes <scopes>' argument 'world' is invalid. The scopes are articles, adverts, users, phone, counts, images, mail, read, manage; all means all except read and manage. See ws01 token create --help.",
    ],
    ['token revoke', 'Give the id of a token, or --text. See ws01 token revoke --help.'],
    ['user add', "missing required argument 'id'. See ws01 user add --help."],
  ];
  for (const [args, told] of wrong) {
    test(args, async () => {
      const program = await createProgram();
      let written = '';
      for (const command of everyCommand(program)) {
        command.configureOutput({ writeErr: (text) => (written += text) });
      }
      await assert.rejects(
        program.parseAsync(args.split(' '), { from: 'user' }),
        (error) => describeError(error).exitCode === 2,
      );
      assert.equal(written, `ws01: ${told}\n`);
    });
  }

  test('ends with 2 and says so on standard error alone', async (t) => {
    const dataDir = await temporaryFolder(t, 'ws01-usage-');
    const misspelt = await ws01({ dataDir, databaseUrl: undefined }, ['tokn']);
    const told = "ws01: unknown command 'tokn' (Did you mean token?) See ws01 --help.\n";
    assert.deepEqual(misspelt, { code: 2, stdout: '', stderr: told });
    const unbound = await ws01({ dataDir, databaseUrl: undefined }, ['migrate']).then(() =>
      ws01({ dataDir, databaseUrl: undefined }, ['token', 'create', '--kind', 'user']),
    );
    const needs = 'ws01: A user token needs the user that it is bound to: give --user <id>.\n';
    assert.deepEqual(unbound, { code: 2, stdout: '', stderr: needs });
  });
});

describe('the help', () => {
  test('of each command has an example and --json, where there is something to print', async () => {
    const leaves = everyCommand(await createProgram()).filter(
      (command) => command.commands.length === 0,
    );
    assert.ok(leaves.length >= 8);
    for (const command of leaves) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      assert.match(help, /\nExamples:\n {2}(\w+=\S+ )*(TOKEN=\$\()?ws01 /, command.name());
      assert.match(help, /\n {2}--json /, command.name());
    }
  });

  test('breaks long paragraphs between words, and leaves indented lines whole', () => {
    const example = `  ws01 serve ${'x'.repeat(30)}`;
    const wrapped = wrapHelp(`One two three four five six.\n\nOptions:\n${example}\n`, 14);
    assert.equal(wrapped, `One two three\nfour five six.\n\nOptions:\n${example}\n`);
  });

  test('goes to standard output with exit code 0', async () => {
    for (const args of [
      ['token', 'create', '--help'],
      ['help', 'user'],
    ]) {
      const { code, stdout, stderr } = await ws01(NOWHERE, args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Usage: ws01 /);
    }
  });
});

describe('a failure', () => {
  test('of a setting: one line that names it', async () => {
    const env = { PORT: 'eighty' };
    for (const ended of [
      await spawnWs01(NOWHERE, ['serve'], '', env),
      await ws01(NOWHERE, ['token', 'list'], '', env),
    ]) {
      assert.deepEqual(ended, {
        code: 78,
        stdout: '',
        stderr: 'ws01: PORT must be an integer from 0 to 65535, in plain digits, not "eighty".\n',
      });
    }
  });

  test('of the database: a line for each try and one for the end, without its password', async () => {
    const env = { DATABASE_URL: 'postgres://ada:hush@127.0.0.1:1/none?sslmode=require' };
    const { code, stderr } = await spawnWs01(NOWHERE, ['token', 'list'], '', env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^(PostgreSQL at 127\.0\.0\.1:1\/none cannot be reached: [^\n]+ Trying again\.\n)+ws01: [^\n]+\.\n$/,
    );
    assert.doesNotMatch(stderr, /hush/);
  });

  test('of a file: one line with its name', async () => {
    const { code, stderr } = await ws01(NOWHERE, ['user', 'import', '/no/such/file']);
    assert.deepEqual([code, stderr], [1, 'ws01: /no/such/file: there is no such file.\n']);
  });

  test('to be read to the end is none', async (t) => {
    const dataDir = await temporaryFolder(t, 'ws01-pipe-');
    const lines = Array.from({ length: 20_000 }, (_, at) => `user-${at},${'name '.repeat(10)}`);
    await ws01(
      { dataDir, databaseUrl: undefined },
      ['user', 'import', '-'],
      `id,name\n${lines.join('\n')}\n`,
    );
    const child = spawn(process.execPath, ['bin/ws01.js', 'user', 'list'], {
      env: { DATA_DIR: dataDir },
    });
    let told = '';
    child.stderr.on('data', (chunk) => (told += chunk));
    child.stdout.once('data', () => child.stdout.destroy());
    assert.deepEqual([...(await once(child, 'close')), told], [0, null, '']);
  });
});

describe('the command ws01', () => {
  const guard = async (folder: string) => {
    await mkdir(join(folder, 'bin'), { recursive: true });
    for (const file of ['ws01.js', 'bundles.js'])
      await copyFile(join('apps/ws01/bin', file), join(folder, 'bin', file));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    return join(folder, 'bin/ws01.js');
  };
  const run = promisify(execFile);

  test('runs the build of an installed package, the source of a working copy', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-bin-');
    const installed = await guard(join(folder, 'node_modules', 'ws01'));
    const working = await guard(join(folder, 'my node_modules 工作', 'work'));
    for (const root of ['node_modules/ws01', 'my node_modules 工作/work']) {
      for (const [file, says] of [
        ['dist/cli/main.js', 'build'],
        ['src/cli/main.ts', 'source'],
      ] as const) {
        await mkdir(join(folder, root, file, '..'), { recursive: true });
        const neighbour = `says${extname(file)}`;
        await writeFile(
          join(folder, root, file, '..', neighbour),
          `export const says = '${says}';`,
        );
        const main = `import { says } from './${neighbour}'; export const main = (args) => console.log(says, ...args);`;
        await writeFile(join(folder, root, file), main);
      }
    }
    assert.equal((await run(process.execPath, [installed, 'a', 'b c'])).stdout, 'build a b c\n');
    assert.equal((await run(process.execPath, [working, 'a', 'b c'])).stdout, 'source a b c\n');
  });

  test('on an older Node hands over to the pinned one, or says what to do', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-bin-');
    const script = await guard(folder);
    const older =
      "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.1.0' })";
    await assert.rejects(run(process.execPath, ['--import', older, script, 'token', 'list']), {
      code: 1,
      stdout: '',
      stderr: /^ws01 needs Node 26 or newer, this is 20\.1\.0: install it from [^\n]*\n$/,
    });

    const machine = `${process.platform}-${process.arch}`;
    for (const name of ['node', `node-bin-${machine}`, `node-${machine}`]) {
      const pinned = join(folder, 'node_modules', name, 'bin/node');
      await mkdir(join(pinned, '..'), { recursive: true });
      await writeFile(pinned, `#!/bin/sh\necho ${name} "$@"\nexit 7\n`, { mode: 0o755 });
      await assert.rejects(run(process.execPath, ['--import', older, script, 'token', 'a b']), {
        code: 7,
        stdout: `${name} -- ${script} token a b\n`,
      });
    }
  });

  test('says what is missing', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-bin-');
    await assert.rejects(run(process.execPath, [await guard(folder)]), {
      code: 1,
      stderr: /^ws01 is not complete: .*\n$/,
    });
  });
});
