import { type Argon2Parameters, argon2 } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** A thread that had nothing to hash for so long ends; ms. */
const IDLE_MS = 10_000;

/** TypeScript in the repository, JavaScript in the package. */
const MAIN = new URL(`./hash-thread-main${extname(import.meta.filename)}`, import.meta.url);

let thread: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Makes an Argon2id hash on a thread of its own: malloc keeps the memory of a hash for each thread
 * that made one, and Node's pool has sixteen. Without a thread, as where the system allows no
 * further one, the pool makes it. The previous hash must have been made.
 * @returns the tag; bytes.
 */
export async function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  clearTimeout(idle);
  try {
    return await onThread(parameters);
  } catch {
    thread = undefined;
    return promisify(argon2)('argon2id', parameters);
  } finally {
    idle = setTimeout(end, IDLE_MS).unref();
  }
}

async function onThread(parameters: Argon2Parameters): Promise<Buffer> {
  thread ??= new Worker(MAIN);
  const worker = thread;
  // Keeps the process alive only while someone waits.
  worker.ref();
  const over = new AbortController();
  const answered = once(worker, 'message', { signal: over.signal });
  const died = once(worker, 'exit', { signal: over.signal }).then(() => {
    throw new Error('The thread that hashes passwords has ended.');
  });
  died.catch(() => {});
  worker.postMessage(parameters);
  try {
    const [tag] = (await Promise.race([answered, died])) as [Uint8Array];
    return Buffer.from(tag);
  } finally {
    over.abort();
    worker.unref();
  }
}

function end(): void {
  thread?.terminate();
  thread = undefined;
}
