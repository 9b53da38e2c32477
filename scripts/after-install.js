/**
 * npm's `postinstall`, under whatever Node there is from 18 on: fetches what npm left out, and removes what is not needed.
 *
 * npm leaves out optional packages when its own Node is older than theirs, as Debian 12's is, and with `--omit=optional`;
 * it says nothing of it. Without them there is no Node to run on, or no picture can be stored. Those for this kind of
 * machine are fetched by `npm pack`, with the user's registry, and compared with the hash in package-lock.json.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

const { npm_config_user_agent: installer = 'npm/' } = process.env;
if (!installer.startsWith('npm/')) {
  fail(
    `WS01 is installed by npm, whose package-lock.json it has, not by ${installer.split('/', 1)[0]}: npm ci`,
  );
}

try {
  // What is fetched may have such packages of its own.
  for (let left = leftOut(); left.length > 0; left = leftOut()) await fetchAll(left);
} catch ({ message }) {
  const names = leftOut().map(({ name, version }) => `${name}@${version}`);
  fail(
    `npm left out ${names.join(', ')}: ${message}. Install again with Node 20.9 or newer: npm ci --include=optional`,
  );
}
removeHeaders();
linkNode();

/** The optional packages for this kind of machine that are not there, of the root and of all that is installed. */
function leftOut() {
  const wanted = new Map();
  for (const [folder, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    if (dev || !existsSync(join(root, folder, 'package.json'))) continue;
    for (const name of Object.keys(optionalDependencies)) {
      const target = placeOf(name, folder);
      if (target === undefined || existsSync(join(root, target, 'package.json'))) continue;
      const entry = packages[target];
      if (!entry.dev && isForThisMachine(entry)) wanted.set(target, { name, target, ...entry });
    }
  }
  return [...wanted.values()];
}

/** Where the lock has a package for the one in `folder`: in it, or in a folder around it. */
function placeOf(name, folder) {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (at === '') return undefined;
  }
}

/** What says nothing of a system is a convenience, which no machine needs. */
function isForThisMachine({ os, cpu, libc }) {
  const { glibcVersionRuntime } = process.report.getReport().header;
  return (
    os !== undefined &&
    allows(os, process.platform) &&
    allows(cpu, process.arch) &&
    (process.platform !== 'linux' ||
      allows(libc, glibcVersionRuntime === undefined ? 'musl' : 'glibc'))
  );
}

/** As npm reads the lists of a package.json: `linux`, or `!win32` for all others. */
function allows(list, value) {
  const values = list === undefined ? [] : [list].flat();
  const named = values.filter((one) => !one.startsWith('!'));
  return !values.includes(`!${value}`) && (named.length === 0 || named.includes(value));
}

async function fetchAll(left) {
  // Below node_modules: what is complete gets its name there by a rename.
  const folder = mkdtempSync(join(modules, '.left-out-'));
  try {
    npmPack(
      left.map(({ name, version }) => `${name}@${version}`),
      folder,
    );
    const tar = createRequire(join(root, 'apps/ws01/package.json'))('tar');
    for (const [at, one] of left.entries()) {
      const archive = join(
        folder,
        `${one.name.replace('@', '').replace('/', '-')}-${one.version}.tgz`,
      );
      assertHash(archive, one);
      const unpacked = join(folder, String(at));
      mkdirSync(unpacked);
      await tar.extract({ file: archive, cwd: unpacked, strip: 1 });
      mkdirSync(dirname(join(root, one.target)), { recursive: true });
      renameSync(unpacked, join(root, one.target));
      linkCommands(one);
      process.stdout.write(`npm left out ${one.name}@${one.version}; fetched it.\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs npm with the Node that runs it now: the one in the PATH of this script is ours. */
function npmPack(specs, folder) {
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const [file, ...before] = npm === undefined ? ['npm'] : [node, npm];
  const args = [...before, 'pack', '--pack-destination', folder, '--loglevel=error', ...specs];
  const { status, error, stderr } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return;
  const reason = error === undefined ? stderr : error.message;
  throw new Error(`it cannot be fetched (${reason.trim().split('\n').slice(0, 3).join(' ')})`);
}

/** The lock's hashes are of the archives (Subresource Integrity: `sha512-` and base64). */
function assertHash(archive, { integrity = '' }) {
  const [kind, expected] = integrity.split('-');
  const found = createHash(kind || 'sha512')
    .update(readFileSync(archive))
    .digest('base64');
  if (found !== expected) throw new Error('what was fetched is not what package-lock.json names');
}

/** As npm links them. On Windows bin/ws01.js finds its Node without. */
function linkCommands({ name, target, bin = {} }) {
  if (target !== `node_modules/${name}` || process.platform === 'win32') return;
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const [command, file] of Object.entries(bin)) {
    const link = join(modules, '.bin', command);
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), join(root, target, file)), link);
  }
}

/** The C headers of Node, 68 MB, for building native modules, of which there are none here. */
function removeHeaders() {
  for (const name of Object.keys(packages[''].optionalDependencies)) {
    rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
}

/**
 * Scripts and units of before start the Node of a working copy by `node_modules/node/bin/node`, where the package `node` had
 * it. They go on to, without a launcher in between.
 */
function linkNode() {
  const own = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const link = join(modules, 'node', 'bin', 'node');
  if (!existsSync(own) || existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), own), link);
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
