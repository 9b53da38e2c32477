import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type Content = string | Buffer | readonly Record<string, unknown>[];

/** Writes files into a folder: a list of records becomes JSON lines. */
export async function writeFolder(
  folder: string,
  files: Readonly<Record<string, Content>>,
): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      isText(content) ? content : content.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }
  return folder;
}

function isText(content: Content): content is string | Buffer {
  return typeof content === 'string' || Buffer.isBuffer(content);
}

/** The records of an export, by kind. */
export async function readFolder(
  folder: string,
): Promise<Record<string, Record<string, unknown>[]>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl')).toSorted();
  const kinds = names.map(
    async (name) => [name.replace('.jsonl', ''), await readLines(join(folder, name))] as const,
  );
  return Object.fromEntries(await Promise.all(kinds));
}

/** The objects of a file of JSON lines. */
export async function readLines(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
