import { tryDescriptors } from './descriptors.ts';
import type { JobAnswer, JobBounds, JobFailure, JobMessage } from './jobs.ts';
import { mostBytes } from './memory.ts';
import { accept, describe, JobError, loadDecoder } from './render.ts';

/**
 * A process that decodes images, one at a time, and watches over itself: the decoder works on another thread, so this
 * one is free to see what it takes. Started by `DecoderProcess`, which says why it is a process.
 */

/** How often it is looked at what a job has taken; ms. */
const WATCH_EVERY_MS = 10;

/** How long the last words may take to be heard; ms. */
const LAST_WORDS_MS = 1_000;

// The service ends this process when it ends itself, after the jobs in progress; a terminal signals all of a group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', endAtOnce);

const loading = loadDecoder();
// That it has failed is told to the first job.
loading.then(
  () => process.send?.('started'),
  () => process.send?.('started'),
);

process.on('message', async ({ job, bounds }: JobMessage) => {
  const watch = watchOver(bounds);
  try {
    const decoder = await loading;
    const result =
      job.kind === 'accept' ? await accept(decoder, job, bounds.memory) : await describe(decoder, job, bounds.memory);
    answer({ result, rss: process.memoryUsage.rss() });
  } catch (error) {
    const failure = error instanceof JobError ? error.failure : failureOf(error);
    answer({ failure, reason: reasonOf(error), rss: process.memoryUsage.rss() });
  } finally {
    clearInterval(watch);
  }
});

/** A decode cannot be called off, so a job that takes too much ends the process. */
function watchOver({ memory, cpu }: JobBounds): NodeJS.Timeout {
  const before = process.cpuUsage();
  const most = mostBytes(memory);
  const watch = setInterval(() => {
    const rss = process.memoryUsage.rss();
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1_000;
    if (rss <= most && spent <= cpu) return;
    clearInterval(watch);
    const spentAll = rss > most ? `${most} bytes of memory` : `${cpu} ms`;
    answer(
      { failure: 'tooLarge', reason: `Working on the image took more than ${spentAll}.`, rss, ended: true },
      endAtOnce,
    );
    setTimeout(endAtOnce, LAST_WORDS_MS);
  }, WATCH_EVERY_MS);
  return watch;
}

/** Also while the decoder works, for whose thread an orderly exit would wait. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function answer(message: JobAnswer, sent: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, sent);
}

/**
 * A full disk is not to be blamed on the file; libvips says so in words. Nor is a lack of descriptors, of which it may say
 * only that the format is not known: whether there is one is found out by taking some.
 */
function failureOf(error: unknown): JobFailure {
  const { message } = error as Error;
  if (/Too many open files/.test(message) || !hasDescriptors()) return 'lacking';
  return /write error|unable to open for write/.test(message) ? 'unwritten' : 'unreadable';
}

function hasDescriptors(): boolean {
  try {
    tryDescriptors();
    return true;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} ${cause.message}` : message;
}
