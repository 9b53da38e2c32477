import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { loadConfig, settingWarnings } from '../../src/config/config.ts';
import { commandName, machineCommands } from '../../src/config/environment.ts';
import type { Setting } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';

async function folderWith(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-environment-');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('a secret', () => {
  it('is read from the file that NAME_FILE names, without its last line break', async (t) => {
    // A secret of Windows begins with a byte order mark.
    for (const secret of ['', '\ufeff'].map(
      (mark) => `${mark}a-secret-of-some-forty-characters-in-all\n`,
    )) {
      const folder = await folderWith(t, { secret });
      assert.equal(
        loadConfig({ CODE_SECRET_FILE: join(folder, 'secret') }).codeSecret,
        'a-secret-of-some-forty-characters-in-all',
      );
    }
  });

  it('is read from the credential that systemd gives', async (t) => {
    const folder = await folderWith(t, { CODE_SECRET: 'a-secret-of-some-forty-characters-in-all' });
    assert.equal(
      loadConfig({ CREDENTIALS_DIRECTORY: folder }).codeSecret,
      'a-secret-of-some-forty-characters-in-all',
    );
    assert.equal(loadConfig({ CREDENTIALS_DIRECTORY: join(folder, 'none') }).codeSecret, undefined);
  });

  it('can have a file for every setting that is one, and for no other', async (t) => {
    const folder = await folderWith(t, { text: 'no value for anything' });
    const settings: readonly Setting[] = Object.values(SETTINGS);
    for (const { variable, secret } of settings) {
      const both = () =>
        loadConfig({ [variable]: 'x', [`${variable}_FILE`]: join(folder, 'text') });
      if (secret === undefined)
        assert.doesNotMatch(messageOf(both), /_FILE are both set/, variable);
      else
        assert.equal(
          messageOf(both),
          `${variable} and ${variable}_FILE are both set; unset one of them.`,
        );
    }
  });

  it('in a file that is not there, or too large, is an error that names the file', async (t) => {
    const folder = await folderWith(t, { large: 'x'.repeat(65_537), full: 'x'.repeat(65_536) });
    assert.equal(
      messageOf(() => loadConfig({ CODE_SECRET_FILE: '/no/file' })),
      'CODE_SECRET_FILE names /no/file, which cannot be read: ENOENT.',
    );
    assert.match(
      messageOf(() => loadConfig({ CODE_SECRET_FILE: join(folder, 'large') })),
      /large is larger than 65536 bytes/,
    );
    assert.doesNotMatch(
      messageOf(() => loadConfig({ CODE_SECRET_FILE: join(folder, 'full') })),
      /is larger than/,
    );
  });
});

describe('a variable that no setting has', () => {
  const warned = (name: string) => settingWarnings({ [name]: 'x' });

  it('is told with the setting that was meant', () => {
    for (const [name, meant] of [
      ['SMPT_URL', 'SMTP_URL'],
      ['metrics_host', 'METRICS_HOST'],
      ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
      ['DATABASE_URI', 'DATABASE_URL'],
      ['SOAP_NAMESPCE', 'SOAP_NAMESPACE'],
      ['MAIL_FORM', 'MAIL_FROM'],
      ['data_dir', 'DATA_DIR'],
    ]) {
      assert.deepEqual(warned(name!), [
        `${name} is no setting and does nothing; did you mean ${meant}?`,
      ]);
    }
  });

  it('is told when it was a setting before, and the start goes on with what is fixed', () => {
    for (const name of ['API_READ_MS', 'MAX_UNAUTHENTICATED_BYTES', 'SMS_PER_USER']) {
      assert.match(
        warned(name).join('\n'),
        new RegExp(
          `^${name} is no longer a setting and does nothing; its value is fixed, [^\\n]*$`,
        ),
      );
    }
    assert.deepEqual(warned('MAIL_PACE'), [
      'MAIL_PACE is no longer a setting and does nothing; a mail that its server puts off is sent again later. Remove it.',
    ]);
    assert.equal(loadConfig({ API_READ_MS: '0' }).apiReadMs, 50);
    assert.deepEqual(settingWarnings({ API_READ_MS: '' }), []);
  });

  it('is passed over when it looks like none', () => {
    for (const name of words(
      'PATH HOME LANG NODE_OPTIONS HOSTNAME LOGNAME PWD XDG_DATA_DIRS MAIL SSL_CERT_FILE',
      'SMTP_URL SMTP_URL_FILE',
    )) {
      assert.deepEqual(warned(name), []);
    }
  });
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the name of the command', () => {
  it('is what the newcomer of a working copy can type: npm puts no ws01 on the path', () => {
    const copy = { npm_package_name: 'ws01-workspaces' };
    assert.equal(commandName({ ...copy, npm_lifecycle_event: 'start' }), 'npm run -s ws01 --');
    assert.equal(commandName({ ...copy, npm_lifecycle_event: 'ws01' }), 'npm run -s ws01 --');
  });

  it('is ws01 where it is installed, or run by another script', () => {
    assert.equal(commandName({}), 'ws01');
    assert.equal(
      commandName({ npm_package_name: 'ws01-workspaces', npm_lifecycle_event: 'test' }),
      'ws01',
    );
    assert.equal(commandName({ npm_package_name: 'a-site', npm_lifecycle_event: 'start' }), 'ws01');
  });

  it('while the service is stopped is that of the shipped unit, or a container of its own; a working copy has no unit', () => {
    const installed = { stop: 'systemctl stop ws01', start: 'systemctl start ws01' };
    assert.deepEqual(machineCommands({}, false), { command: 'ws01', ...installed });
    const compose = join(import.meta.dirname, '../../../../deploy/docker/compose.yaml');
    assert.match(readFileSync(compose, 'utf8'), /^ {2}ws01:$/m);
    const { command, stop } = machineCommands({}, true);
    assert.deepEqual([command, stop], ['docker compose run --rm ws01', 'docker compose stop ws01']);
    const copy = { npm_package_name: 'ws01-workspaces', npm_lifecycle_event: 'start' };
    assert.equal(machineCommands(copy, false).stop, undefined);
  });
});
