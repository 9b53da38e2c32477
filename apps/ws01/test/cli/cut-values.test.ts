import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { spawnWs01 } from '../kit/command-process.ts';

it('a value of --env-file that a # may have cut is named, and never shown', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-cut-');
  const path = join(folder, 'env');
  const place = { dataDir: folder, databaseUrl: undefined };
  const config = async (lines: readonly string[]) => {
    await writeFile(path, lines.join('\n'));
    return spawnWs01(place, ['--env-file', path, 'config', '--json']);
  };
  const note = (name: string) =>
    `${name} ends in ${path} before a #, which begins a comment; if it belongs to the value, put that in quotes.`;

  const cut = await config([
    'SMS_TEXT={service}: {code} @example.com #{code}',
    'export SERVICE_NAME = Board#1',
    '\tCODE_SECRET=hush-hush-hush-hush-hush-hush-hush-hush#more',
    'MAIL_FROM=#board@example.com',
  ]);
  assert.equal(cut.code, 0, cut.stderr);
  const told: readonly string[] = JSON.parse(cut.stdout).warnings;
  const names = ['SMS_TEXT', 'SERVICE_NAME', 'CODE_SECRET', 'MAIL_FROM'];
  assert.deepEqual(
    told.filter((warning) => warning.includes('quotes')).toSorted(),
    names.map(note).toSorted(),
  );
  assert.ok(!cut.stdout.includes('hush'));

  const whole = await config([
    '# SMS_TEXT={code}#1',
    'SMS_TEXT="{service}: {code}',
    '',
    '@example.com #{code}" #quoted',
    "SERVICE_NAME='Board#1'",
    'LOG_LEVEL=warn # less',
    'TIME_ZONE=Asia/Shanghai ## more',
    'REVIEW_SCALE=10 #',
    'DEFAULT_COUNTRY=',
  ]);
  assert.equal(whole.code, 0, whole.stderr);
  const { warnings, settings } = JSON.parse(whole.stdout);
  assert.deepEqual(warnings, []);
  const text = settings.find(({ variable }: { variable: string }) => variable === 'SMS_TEXT');
  assert.equal(text.value, '{service}: {code}\\n\\n@example.com #{code}');

  // A start that fails for a cut value says so as well.
  await writeFile(path, 'SMTP_URL=smtp://ada:se#cret@mail.example.com:587');
  const failed = await spawnWs01(place, ['--env-file', path, 'serve']);
  assert.equal(failed.code, 78);
  assert.ok(failed.stderr.includes(note('SMTP_URL')), failed.stderr);
  assert.ok(!/se#|cret/.test(failed.stderr), failed.stderr);
});

it('an --env-file of an editor of Windows is read whole; one that is not in UTF-8 is refused', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-marked-');
  const path = join(folder, 'env');
  const place = { dataDir: folder, databaseUrl: undefined };
  const config = async (bytes: Buffer) => {
    await writeFile(path, bytes);
    return spawnWs01(place, ['--env-file', path, 'config', '--json']);
  };
  const marked = await config(Buffer.from('\ufeffSERVICE_NAME=市场\r\nREVIEW_SCALE=10\r\n'));
  assert.equal(marked.code, 0, marked.stderr);
  const { settings } = JSON.parse(marked.stdout);
  const shown = (name: string) =>
    settings.find(({ variable }: { variable: string }) => variable === name).value;
  assert.deepEqual([shown('SERVICE_NAME'), shown('REVIEW_SCALE')], ['市场', '10']);

  // In GBK; a comment of it does no harm.
  const market = Buffer.from([0xca, 0xd0, 0xb3, 0xa1]);
  const commented = await config(Buffer.concat([Buffer.from('# '), market]));
  assert.equal(commented.code, 0, commented.stderr);
  const garbled = await config(Buffer.concat([Buffer.from('SERVICE_NAME='), market]));
  assert.equal(garbled.code, 78);
  assert.equal(
    JSON.parse(garbled.stderr).error.message,
    `--env-file ${path}: SERVICE_NAME is not in UTF-8; save the file as UTF-8.`,
  );
});
