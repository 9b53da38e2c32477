import { flushCompileCache } from 'node:module';
import { tryDescriptors } from './descriptors.ts';
import type {
  AcceptedPicture,
  DecoderJob,
  JobAnswer,
  JobBounds,
  JobFailure,
  JobMessage,
} from './jobs.ts';
import { killBytes } from './memory.ts';
import { accept, describe, JobError, loadDecoder, resize } from './render.ts';

/**
 * A process that decodes images, one at a time. The decoder runs on a thread of its own, and the
 * main thread watches what it uses. `DecoderProcess` starts it, and its docstring explains why it
 * is a process.
 */

/** How often the use of a job is checked; ms. */
const WATCH_EVERY_MS = 10;

/** Timeout to send the last message; ms. */
const LAST_WORDS_MS = 1_000;

// The service ends this process after the jobs in progress. A terminal signals the whole process
// group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', endAtOnce);

const loading = loadDecoder();
// The first job reports the failure.
loading.then(started, started);

function started(): void {
  process.send?.('started');
  // It is killed, not ended.
  flushCompileCache();
}

process.on('message', async ({ job, bounds }: JobMessage) => {
  const watch = watchOver(bounds);
  try {
    const result = await work(await loading, job, bounds.memory);
    answer({ result, rss: process.memoryUsage.rss() });
  } catch (error) {
    const failure = error instanceof JobError ? error.failure : failureOf(error);
    answer({ failure, reason: reasonOf(error), rss: process.memoryUsage.rss() });
  } finally {
    clearInterval(watch);
  }
});

function work(
  decoder: Awaited<typeof loading>,
  job: DecoderJob,
  memory: number,
): Promise<AcceptedPicture> {
  switch (job.kind) {
    case 'accept':
      return accept(decoder, job, memory);
    case 'describe':
      return describe(decoder, job, memory);
    case 'resize':
      return resize(decoder, job, memory);
  }
}

/** Ends the process when a job uses too much, because a decode cannot be cancelled. */
function watchOver({ memory, cpu }: JobBounds): NodeJS.Timeout {
  const before = process.cpuUsage();
  const most = killBytes(memory);
  const watch = setInterval(() => {
    const rss = process.memoryUsage.rss();
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1_000;
    if (rss <= most && spent <= cpu) return;
    clearInterval(watch);
    const spentAll = rss > most ? `${most} bytes of memory` : `${cpu} ms`;
    answer(
      {
        failure: 'tooLarge',
        reason: `Working on the image took more than ${spentAll}.`,
        rss,
        ended: true,
      },
      endAtOnce,
    );
    setTimeout(endAtOnce, LAST_WORDS_MS);
  }, WATCH_EVERY_MS);
  return watch;
}

/** Exits at once, even while the decoder works; a normal exit would wait for its thread. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function answer(message: JobAnswer, sent: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, sent);
}

/**
 * Returns what failed. A full disk is not the file's fault; libvips reports it in words. Nor is a
 * lack of descriptors, which libvips may report as an unknown format, so this function opens some
 * to find out.
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
