import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './take.ts';

const ROOT = resolve(fileURLToPath(new URL('../../../../..', import.meta.url)));

/** Compiles the sources of all projects at once, under `strict`. @returns the outcomes of those that do not compile. */
export async function compileAll(
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), 'asmx-corpus-'));
  try {
    await mkdir(join(folder, 'node_modules', '@ws01'), { recursive: true });
    for (const name of ['asmx', 'asmx-tools'])
      await symlink(join(ROOT, 'packages', name), join(folder, 'node_modules', '@ws01', name));
    await symlink(join(ROOT, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
    const made = outcomes.filter(({ step }) => step === 'passed');
    for (const [index, { files }] of made.entries()) {
      for (const [path, content] of Object.entries(files)) {
        if (!path.endsWith('.ts')) continue;
        const file = join(folder, String(index), path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      }
    }
    const [first] = made;
    if (first === undefined) return new Map();
    const options = JSON.parse(String(first.files['tsconfig.json'] ?? '{}'));
    options.compilerOptions.customConditions = ['ws01-source'];
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ ...options, include: ['*/src', '*/test'] }),
    );
    const failures = new Map<string, Outcome>();
    for (const [, index = '', rest = ''] of (await compile(folder)).matchAll(/^(\d+)\/(.*)$/gm)) {
      const outcome = made[Number(index)]!;
      if (!failures.has(outcome.file))
        failures.set(outcome.file, { ...outcome, step: 'compile', reason: rest });
    }
    return failures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function compile(folder: string): Promise<string> {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((done) => {
    execFile(
      process.execPath,
      [compiler, '--pretty', 'false'],
      { cwd: folder, maxBuffer: 1 << 28 },
      (_, stdout) => done(stdout),
    );
  });
}
