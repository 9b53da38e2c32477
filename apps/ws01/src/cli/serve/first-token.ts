import { join, resolve } from 'node:path';
import { makeFolder, moveDurably, writeDurably } from '../../adapters/files/durable.ts';

/** The file with the first token when there is no terminal to show it (semantics 3, A25). */
const FILE = 'first-token';

/** How the first token was shown: its text at a terminal, else the file that contains it. */
export type ShownToken = { readonly text: string } | { readonly file: string };

/**
 * Shows the token of a new installation. It is not printed where there is no terminal, because a
 * journal would keep it for ever.
 * @param text the token; the file contains it without a line break.
 * @returns the text at a terminal, and if the file cannot be written: the token is created once and
 *   must not be lost.
 */
export async function showFirstToken(text: string, dataDir: string): Promise<ShownToken> {
  if (process.stdout.isTTY) return { text };
  const file = resolve(join(dataDir, FILE));
  try {
    await makeFolder(dataDir);
    const partial = `${file}.partial`;
    await writeDurably(partial, text, 'w');
    await moveDurably(partial, file);
    return { file };
  } catch {
    return { text };
  }
}
