import { parentPort, workerData } from 'node:worker_threads';
import { DependencyError } from '../../failure/dependency-error.ts';
import { DamagedCopy } from '../snapshot.ts';
import type { CopyAnswer, CopyTask } from './copy-check.ts';
import { contentsOfCopy, makeOwn } from './copy-contents.ts';

/** The thread of `copy-check.ts`: does one task and answers. */
const { does, path } = workerData as CopyTask;

function answerOf(): CopyAnswer {
  try {
    return { contents: does === 'examine' ? contentsOfCopy(path) : (makeOwn(path) as undefined) };
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    return { failure: error.message, isDamage: error instanceof DamagedCopy };
  }
}

parentPort!.postMessage(answerOf());
