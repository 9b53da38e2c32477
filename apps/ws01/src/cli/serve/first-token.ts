import { open, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder, sync } from '../../adapters/files/durable.ts';

/** Where the first token is kept when nobody sits at a terminal to read it (semantics 3, A25). */
const FILE = 'first-token';

/** The first token as the start tells of it: its text, at a terminal; else the file that holds it. */
export type ShownToken = { readonly text: string } | { readonly file: string };

/**
 * Shows the token of a new installation to a person alone: what is printed elsewhere stays in a journal for ever.
 * @param text the token; the file has it without a line break.
 * @returns the text itself at a terminal, and where the file cannot be written: the token is made once, and is not lost.
 */
export async function showFirstToken(text: string, dataDir: string): Promise<ShownToken> {
  if (process.stdout.isTTY) return { text };
  const file = resolve(join(dataDir, FILE));
  try {
    await makeFolder(dataDir);
    const partial = `${file}.partial`;
    const handle = await open(partial, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
    await sync(dataDir);
    return { file };
  } catch {
    return { text };
  }
}
