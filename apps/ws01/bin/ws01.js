#!/usr/bin/env node
// The way in. The service needs Node 26; this file must be readable by every older Node that can read modules at all,
// so that it can say so. Hence: no TypeScript, nothing newer than 2019.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const NEEDED = 26;
// Names the pipe to the process that handed over: its end says that the process is no more.
const LAUNCHER = 'WS01_LAUNCHER_FD';
// Threads for files, names, cryptography and compression. Of Node's four, half could be with a disk that no longer
// answers and half with a name server that does not. Node looks at it when the first thread is needed.
process.env.UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE || '16';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'cli', 'main.ts');
const built = join(root, 'dist', 'cli', 'main.js');
// Where npm puts packages: in the package itself, or at the root of the workspaces.
const modules = [join(root, 'node_modules'), join(root, '..', '..', 'node_modules')];
// Where npm puts Node as a package: one for each kind of machine, or `node`, which chooses among them.
const machine = `${process.platform}-${process.arch}`;
const pinned = [`node-${machine}`, `node-bin-${machine}`, 'node']
  .map((name) => join(name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
  .map((file) => modules.map((folder) => join(folder, file)).find((path) => existsSync(path)))
  .find((path) => path !== undefined);
// Node reads no TypeScript below a folder of that very name.
const fromSource = existsSync(source) && root.split(/[\\/]/).indexOf('node_modules') < 0;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  start();
} else if (pinned !== undefined && process.execPath !== pinned) {
  handOver();
} else {
  // A working copy brings a Node along, an installed package does not.
  const remedy = fromSource
    ? 'run npm ci --include=optional in the working copy, which brings one'
    : 'install it from https://nodejs.org, or by npm install -g node@26';
  fail(`ws01 needs Node ${NEEDED} or newer, this is ${process.versions.node}: ${remedy}.`);
}

/** In a working copy the source itself runs, never an old build; an installed package has only the build. */
function start() {
  const main = fromSource ? source : built;
  if (!existsSync(main)) {
    fail(
      `ws01 is not complete: ${main} is missing. Run npm run build, or install the package again.`,
    );
    return;
  }
  if (process.env[LAUNCHER] !== undefined) endWithLauncher();
  // What a start loads stays: src/cli/serve/new-objects.ts.
  if (process.argv[2] === 'serve') setFlagsFromString('--semi-space-growth-factor=1');
  const cache = modules.find((folder) => existsSync(folder)) || modules[0];
  Promise.all([import('node:module'), import('./bundles.js')])
    .then(
      ([
        { enableCompileCache, registerHooks },
        { builtBundle, cachedBundle, resolveToBundle, resolveNeighbour },
      ]) => {
        // What the engine made of the sources is kept, which halves the time a command takes to start.
        const { directory } = enableCompileCache(join(cache, '.cache', 'compile'));
        // Threads look for it there. Without it, a thread of a working copy loads what strips types, which takes 20 MB.
        if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
        const bundleOf = (name) =>
          fromSource ? cachedBundle(name, cache) : builtBundle(name, join(root, 'dist'));
        registerHooks({ resolve: resolveToBundle(bundleOf) });
        registerHooks({ resolve: resolveNeighbour });
        if (fromSource) registerHooks({ resolve: resolveToSource });
      },
    )
    .then(() => import(pathToFileURL(main).href))
    .then((module) => module.main(process.argv.slice(2)));
}

/** Finds the source of the workspaces' own packages, as `--conditions=ws01-source` does. */
function resolveToSource(specifier, context, next) {
  if (!specifier.startsWith('@ws01/')) return next(specifier, context);
  return next(
    specifier,
    Object.assign({}, context, { conditions: context.conditions.concat('ws01-source') }),
  );
}

function handOver() {
  // After --, Node leaves our --env-file alone: of a file that it may not read it only says "not found".
  const child = spawn(pinned, ['--'].concat(process.argv.slice(1)), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: Object.assign({}, process.env, { [LAUNCHER]: '3' }),
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => fail(`ws01 could not start ${pinned}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
    } else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

/** Whoever kills the process that was started means this one. */
function endWithLauncher() {
  const fd = Number(process.env[LAUNCHER]);
  delete process.env[LAUNCHER];
  import('node:net').then(({ Socket }) => {
    const pipe = new Socket({ fd, readable: true, writable: false });
    pipe.on('close', () => process.kill(process.pid, 'SIGTERM')).unref();
    pipe.on('error', () => {}).resume();
  });
}

function fail(line) {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
