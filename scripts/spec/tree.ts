/** Where the tree keeps its parts: the one place that the checks of the specification take paths from. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository, without a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The folder of the specification, from the root. */
export const SPEC = 'docs/spec';

/** What a folder may be in: the root itself, a package, an application. */
const HOMES = ['', 'packages/*/', 'apps/*/'];

/** Files by patterns of paths below any home, as paths from the root, in order. */
function files(...patterns: string[]): string[] {
  const everywhere = HOMES.flatMap((home) => patterns.map((pattern) => `${home}${pattern}`));
  return globSync(everywhere, { cwd: ROOT }).sort();
}

/** Every file that may cite the specification. */
export const citingFiles = (): string[] =>
  files('{src,test,bench,scripts,docs}/**/*.{ts,js,md}', '*.md').filter(
    (path) => !path.includes('test/golden/'),
  );

/** Every file of tests. */
export const testFiles = (): string[] => files('test/**/*.test.ts');

/** Recorded exchanges that match a pattern such as `soap11/action-*`. */
export const goldenFiles = (pattern: string): string[] => files(`test/golden/${pattern}.res`);
