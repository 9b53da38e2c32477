import { readdir } from 'node:fs/promises';
import { ifMissing } from './errors.ts';

/** Returns the names in a folder; none if it does not exist. */
export function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(ifMissing<readonly string[]>([]));
}
