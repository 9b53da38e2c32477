import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The WSDLs of a folder and those below it, each content once. */
export async function corpusFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.wsdl$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const seen = new Set<string>();
  const distinct: string[] = [];
  for (const path of paths) {
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    if (!seen.has(hash)) distinct.push(path);
    seen.add(hash);
  }
  return distinct;
}
