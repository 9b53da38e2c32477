import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DependencyError } from '../../failure/dependency-error.ts';
import { type CopyContents, DamagedCopy } from '../snapshot.ts';

/** TypeScript in the repository, JavaScript in the package. */
const MAIN = new URL(`./copy-check-main${extname(import.meta.filename)}`, import.meta.url);

/** What is done to a copy at a path: see `copy-contents.ts`. */
export interface CopyTask {
  readonly does: 'examine' | 'makeOwn';
  readonly path: string;
}

export type CopyAnswer =
  | { readonly contents: CopyContents | undefined }
  | { readonly failure: string; readonly isDamage: boolean };

/**
 * Checks a copy at a temporary path: every page, index and reference. It is read on a thread of its
 * own, since that takes minutes of a large one, in which this one tells that it goes on. A process
 * that is to stop waits for its end: nothing ends a query of SQLite on another thread.
 * @throws {DamagedCopy}
 * @throws {DependencyError} `unavailable` when the disk under it fails.
 */
export const examineCopy = async (path: string): Promise<CopyContents> =>
  (await onThread({ does: 'examine', path }))!;

/**
 * Gives a copy an id of its own and checks every page, likewise.
 * @throws as {@link examineCopy}.
 */
export async function makeOwnCopy(path: string): Promise<void> {
  await onThread({ does: 'makeOwn', path });
}

async function onThread(workerData: CopyTask): Promise<CopyContents | undefined> {
  const [answer] = (await once(new Worker(MAIN, { workerData }), 'message')) as [CopyAnswer];
  if ('contents' in answer) return answer.contents;
  throw answer.isDamage
    ? new DamagedCopy(answer.failure)
    : new DependencyError('database', 'unavailable', answer.failure);
}
