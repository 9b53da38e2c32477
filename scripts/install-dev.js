/**
 * Installs what only contributors need, unless it is there. `npm ci` leaves it out (`.npmrc`): who tries the service
 * out does not download a compiler, PostgreSQL and Chromium.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const own = globSync('{packages,apps}/*/package.json', { cwd: root }).map((file) =>
  JSON.parse(readFileSync(join(root, file), 'utf8')),
);
const missing = [
  ...Object.entries(devDependencies),
  // What a pull may bring: packages of the working copy, and what they need.
  ...own.flatMap(({ name, version, dependencies = {} }) => [
    [name, version],
    ...Object.entries(dependencies),
  ]),
].filter(([name, version]) => installed(name) !== version);
if (missing.length > 0) {
  process.stderr.write(`Installing the development dependencies (${missing.length}), once …\n`);
  const args = [
    'install',
    '--include=dev',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write(
      `npm ${args.join(' ')} failed${error ? `: ${error.message}` : ''}; run it yourself.\n`,
    );
    process.exit(1);
  }
}

/** The version that is installed; `undefined` when none is. */
function installed(name) {
  const file = join(root, 'node_modules', name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
