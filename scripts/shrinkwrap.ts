/** `node scripts/shrinkwrap.ts FOLDER`: writes npm-shrinkwrap.json, with which an installation has what was tested. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { committedLock } from './supply/lock.ts';
import { shrinkwrapOf } from './supply/shrinkwrap.ts';

const home = resolve(process.argv[2] ?? '.');
const {
  name,
  version,
  license,
  dependencies,
  engines,
  bin,
  optionalDependencies,
  peerDependencies,
} = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const manifest = {
  name,
  version,
  license,
  bin,
  dependencies,
  optionalDependencies,
  peerDependencies,
  engines,
};
const shrinkwrap = shrinkwrapOf(manifest, committedLock());
writeFileSync(join(home, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrap, undefined, 2)}\n`);
