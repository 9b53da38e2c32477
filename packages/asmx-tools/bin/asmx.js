#!/usr/bin/env node
// The way in. This file must be readable by every older Node that can read modules at all, so that it can say which is
// needed. Hence: no TypeScript, nothing newer than 2019.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 22;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'from', 'cli', 'main.ts');
const built = join(root, 'dist', 'from', 'cli', 'main.js');
// Where npm puts the Node of the working copy: a package for each kind of machine.
const machine = `${process.platform}-${process.arch}`;
const modules = join(root, '..', '..', 'node_modules');
const pinned = [`node-${machine}`, `node-bin-${machine}`, 'node']
  .map((name) => join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
  .find((file) => existsSync(file));

// In a working copy the source itself runs, where this Node reads TypeScript; an installed package has only the build.
const fromSource = existsSync(source) && root.split(/[\\/]/).indexOf('node_modules') < 0;
// Then the other packages are sources, too.
const CONDITION = '--conditions=ws01-source';
const isOfSources = process.execArgv.indexOf(CONDITION) >= 0;
const able =
  Number(process.versions.node.split('.')[0]) >= NEEDED &&
  (!fromSource || (process.features.typescript && isOfSources));

if (able) {
  import(pathToFileURL(fromSource ? source : built).href).then(({ main }) =>
    main(process.argv.slice(2), process.env).then((code) => {
      process.exitCode = code;
    }),
  );
} else if (fromSource && pinned !== undefined && !isOfSources) {
  const args = [CONDITION].concat(process.execArgv, process.argv.slice(1));
  const child = spawn(pinned, args, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
} else {
  const remedy = fromSource
    ? 'run npm ci in the working copy, which brings one'
    : 'npx -p node@26 -p @ws01/asmx-tools asmx … brings one along';
  process.stderr.write(
    `asmx: Node ${NEEDED} or newer is needed, this is ${process.versions.node}; ${remedy}.\n`,
  );
  process.exitCode = 1;
}
