import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** What starting a decoder takes, or a job of its, and some more. */
const NEEDED = 8;

/**
 * Finds out by trying whether descriptors are left to start a decoder, or to work on an image.
 * @throws {NodeJS.ErrnoException} what the system says when there are too few: `EMFILE`, `ENFILE`.
 */
export function tryDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
