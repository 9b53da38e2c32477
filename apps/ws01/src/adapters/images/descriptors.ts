import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Descriptors that a decoder's start or a job needs, with a margin. */
const NEEDED = 8;

/**
 * Opens descriptors to see whether enough are left to start a decoder or to work on an image.
 * @throws {NodeJS.ErrnoException} `EMFILE` or `ENFILE` when there are too few.
 */
export function tryDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
