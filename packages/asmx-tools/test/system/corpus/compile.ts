import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compile } from '../../../../asmx/test/kit/compile.ts';
import { installEngine } from '../../../../asmx/test/kit/programs.ts';
import type { Outcome } from './take.ts';

/** Compiles the sources of all projects at once, under `strict`. @returns the outcomes of those that do not compile. */
export async function compileAll(
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), 'asmx-corpus-'));
  try {
    await installEngine(folder);
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
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ ...options, include: ['*/src', '*/test'] }),
    );
    const failures = new Map<string, Outcome>();
    for (const [, index = '', rest = ''] of (await compile(folder)).stdout.matchAll(
      /^(\d+)\/(.*)$/gm,
    )) {
      const outcome = made[Number(index)]!;
      if (!failures.has(outcome.file))
        failures.set(outcome.file, { ...outcome, step: 'compile', reason: rest });
    }
    return failures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
