/**
 * `npm run test:system -- NAME`: tests that need programs of the system, such as nginx, which `npm test` must not. A file
 * `test/system/NAME.system.ts` of a package says in a line `// needs: nginx haproxy` what must be in the PATH; what is
 * missing is named, with the Debian package of that name where it differs: `// needs: promtool=prometheus`. What is no
 * program is named by its path: `// needs: /usr/share/java/axis.jar=libaxis-java`.
 * `-- NAME --minutes N` shortens or lengthens what runs for a time; `-- --found` prints the names whose programs are there.
 * A file with a line `// takes: FOLDER` is given one: `-- NAME FOLDER`.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = new Map(
  globSync(['packages/*/test/system/*.system.ts', 'apps/*/test/system/*.system.ts'], { cwd: root })
    .sort()
    .map((file) => [basename(file, '.system.ts'), file]),
);
const path = `${process.env.PATH}${delimiter}/usr/sbin${delimiter}/sbin`;
const { name, others, minutes, found } = argumentsOf(process.argv.slice(2));
if (found) {
  for (const [one, file] of files)
    if (missingFor(file).length === 0 && !takesFolder(file)) process.stdout.write(`${one}\n`);
  process.exit(0);
}
const file = files.get(name);
const [folder, ...more] = file !== undefined && takesFolder(file) ? others : [undefined, ...others];
if (file === undefined || more.length > 0) {
  fail(
    `name one of: ${[...files.keys()].join(', ')}. For example: npm run test:system -- ${[...files.keys()][0]}`,
  );
}
if (takesFolder(file) && folder === undefined) fail(`${name} takes a folder: -- ${name} FOLDER`);
const missing = missingFor(file);
if (missing.length > 0) {
  const packages = missing.map(([program, debian = program]) => debian);
  fail(
    `${name} needs ${missing.map(([program]) => program).join(', ')}: apt-get install ${packages.join(' ')}`,
  );
}
const { status } = spawnSync(
  process.execPath,
  ['--conditions=ws01-source', '--test', '--test-force-exit', file],
  {
    stdio: 'inherit',
    cwd: root,
    env: {
      ...process.env,
      PATH: path,
      ...(minutes === undefined ? {} : { SYSTEM_MINUTES: minutes }),
      ...(folder === undefined ? {} : { SYSTEM_FOLDER: resolve(folder) }),
    },
  },
);
process.exitCode = status ?? 1;

/** The programs that a test needs and the system has not, each with its Debian package. */
function missingFor(file) {
  const needs =
    /^\/\/ needs: (.*)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1].split(' ') ?? [];
  return needs.map((need) => need.split('=')).filter(([program]) => !isThere(program));
}

function takesFolder(file) {
  return /^\/\/ takes: FOLDER$/m.test(readFileSync(join(root, file), 'utf8'));
}

function argumentsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { minutes: { type: 'string' }, found: { type: 'boolean' } },
      allowPositionals: true,
    });
    const { minutes, found } = values;
    if (minutes !== undefined && !(Number(minutes) > 0)) fail('--minutes takes a number above 0');
    const [name, ...others] = positionals;
    return { name, others, minutes, found };
  } catch (error) {
    return fail(error.message);
  }
}

function isThere(program) {
  if (isAbsolute(program)) return existsSync(program);
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function fail(reason) {
  process.stderr.write(`test:system: ${reason}\n`);
  process.exit(2);
}
