import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { runProgram } from '../../../../packages/asmx/test/kit/programs.ts';
import { WRITABLE } from '../../src/cli/install/unit-needs.ts';

/** The values of a directive of the unit, over all of its lines. */
async function unit(directive: string): Promise<readonly string[]> {
  const text = await readFile('deploy/systemd/ws01.service', 'utf8');
  return [...text.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].flatMap(([, value = '']) =>
    value.split(' '),
  );
}

describe('the unit of systemd', () => {
  it('reads the settings where a reload reads them again, and not at the start alone', async () => {
    assert.match(
      (await unit('ExecStart')).join(' '),
      / -- bin\/ws01\.js --env-file \/etc\/ws01\/ws01\.env serve$/,
    );
    assert.deepEqual(await unit('EnvironmentFile'), []);
  });

  it('lets the service write what the pages tell to set', async () => {
    const directories = ['StateDirectory', 'CacheDirectory', 'RuntimeDirectory', 'LogsDirectory'];
    const roots = ['/var/lib/', '/var/cache/', '/run/', '/var/log/'];
    const made = await Promise.all(
      directories.map(async (name, at) => `${roots[at]}${(await unit(name))[0]}`),
    );
    const writable = [
      ...made,
      ...(await unit('ReadWritePaths')).map((path) => path.replace(/^-/, '')),
    ];
    assert.deepEqual(writable.sort(), [...WRITABLE].sort());
    const pages = ['docs/deployment.md', 'docs/operations/backup.md', 'docs/configuration.md'];
    const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
    const named = texts.flatMap((text) =>
      [...text.matchAll(/\b(?:BACKUP_TO|SOCKET_PATH|FILES_URL)=(\/[\w/.-]+)/g)].map(
        ([, path = '']) => path,
      ),
    );
    assert.ok(named.includes('/backup') && named.includes('/run/ws01/http.sock'), named.join(' '));
    for (const path of named) {
      assert.ok(
        writable.some((folder) => path === folder || path.startsWith(`${folder}/`)),
        path,
      );
    }
  });
});

describe('the command for /usr/local/bin', () => {
  it('has the settings, the data and the secrets of the service, whatever is typed', async (t) => {
    const folder = await temporaryFolder(t, 'ws01 命令-');
    await mkdir(join(folder, 'home/node_modules/.bin'), { recursive: true });
    const node = join(folder, 'home/node_modules/.bin/node');
    const told = 'printf "%s|" "$DATA_DIR" "$CREDENTIALS_DIRECTORY" "$@"';
    await writeFile(node, `#!/bin/sh\n${told}\n`, { mode: 0o755 });
    const env = {
      WS01_HOME: join(folder, 'home'),
      WS01_USER: userInfo().username,
      WS01_ENV_FILE: join(folder, 'its settings.env'),
      WS01_CREDENTIALS: folder,
    };
    const typed = ['token', 'create', '--label', "a 'b' c"];
    const command = 'deploy/systemd/ws01';
    const { stdout } = await runProgram('.', [command, ...typed], env);
    const script = join(folder, 'home/bin/ws01.js');
    const args = ['--', script, '--env-file', env.WS01_ENV_FILE, ...typed];
    assert.deepEqual(stdout.split('|').slice(0, -1), ['/var/lib/ws01', folder, ...args]);
    // The installation is root's, who types it, and reads the file itself.
    const other = { ...env, WS01_USER: 'somebody-else' };
    const install = await runProgram('.', [command, 'install', '--yes'], other);
    assert.deepEqual(install.stdout.split('|').slice(0, -1), [
      '',
      '',
      '--',
      script,
      'install',
      '--yes',
    ]);
  });
});
