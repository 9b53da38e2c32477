import { readdir } from 'node:fs/promises';
import { isMissing } from './errors.ts';

/** Returns the names in a folder; none if it does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
