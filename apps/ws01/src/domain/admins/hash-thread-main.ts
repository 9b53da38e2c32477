import { type Argon2Parameters, argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/**
 * The thread of `hash-thread.ts`: answers each message, the parameters of a hash, with the hash.
 */
parentPort!.on('message', (parameters: Argon2Parameters) =>
  parentPort!.postMessage(argon2Sync('argon2id', parameters)),
);
