import { resolve } from 'node:path';
import { projectDependencies } from '../../../asmx-tools/src/from/emit/engine-package.ts';
import { type Ended, runNode } from './programs.ts';

const COMPILER = resolve(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc');

/**
 * Has the TypeScript compiler read the project in a folder, in one thread: several would each check what they share.
 * @returns how it ended; its errors are in `stdout`.
 */
export function compile(folder: string, ...args: readonly string[]): Promise<Ended> {
  projectDependencies(folder, () => {});
  return runNode(folder, COMPILER, '--singleThreaded', ...args);
}
