/** What git knows of changes. */
import { spawnSync } from 'node:child_process';

/**
 * Files that are not as on the main branch: changed in the working tree, or by commits that are not on it. On it, or
 * where it is not known: changed since the last commit.
 * @returns paths from the root; none where git does not answer.
 */
export function changesSinceMain() {
  const since = git('merge-base', 'HEAD', 'main')[0] ?? git('merge-base', 'HEAD', 'origin/main')[0];
  return [
    ...git('diff', '--name-only', '--no-renames', since ?? 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** @returns the lines that it prints. */
function git(...args) {
  const { stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], {
    encoding: 'utf8',
  });
  return (stdout ?? '').split('\n').filter((line) => line !== '');
}
