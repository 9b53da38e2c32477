import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file with the address of the console, while the service runs. */
const FILE = 'console-address';

/**
 * Notes where the console of the running service is, for commands that print links: their own
 * settings may have another port, and none may be fixed. The commands do without it where it cannot
 * be written.
 * @param url the address; `undefined` when there is no console.
 */
export async function noteConsole(dataDir: string, url: string | undefined): Promise<void> {
  const file = join(dataDir, FILE);
  if (url === undefined) await rm(file, { force: true }).catch(() => {});
  else await writeFile(file, url, { mode: 0o600 }).catch(() => {});
}

/** Removes the note at the end of the service. */
export const forgetConsole = (dataDir: string): Promise<void> => noteConsole(dataDir, undefined);

/**
 * Where the console of the service of a data folder is; `undefined` when none runs there, as far as
 * one can tell.
 */
export async function notedConsole(dataDir: string): Promise<string | undefined> {
  const noted = await readFile(join(dataDir, FILE), 'utf8').catch(() => undefined);
  return noted !== undefined && URL.canParse(noted) ? noted : undefined;
}
