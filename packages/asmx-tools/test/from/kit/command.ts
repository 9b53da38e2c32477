import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../../../asmx/test/kit/folder.ts';
import { run } from '../../../src/from/cli/main.ts';
import type { Shape } from './documents.ts';

/** What the engine has served from its first day: scalars in, a text out. */
export const FLAT: Shape = {
  asks: `<s:element minOccurs="0" maxOccurs="1" name="password" type="s:string"/><s:element minOccurs="1" maxOccurs="1" name="days" type="s:int"/>
    <s:element minOccurs="1" maxOccurs="1" name="when" type="s:dateTime"/><s:element minOccurs="0" maxOccurs="1" name="photo" type="s:base64Binary"/>`,
  answers: '<s:element minOccurs="0" maxOccurs="1" name="AskResult" type="s:string"/>',
};

/** A folder of the test's own. @param files what is in it, by their paths. */
export async function place(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const root = await temporaryFolder(t, 'asmx-project-');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** Makes a project of a WSDL. @returns how that ended, and what reads a file of it. */
export async function made(t: TestContext, wsdl: string) {
  const folder = await place(t, { 'old.wsdl': wsdl });
  const project = join(folder, 'made');
  const ended = await asmx('from', join(folder, 'old.wsdl'), project);
  return { ...ended, read: (path: string) => readFile(join(project, path), 'utf8') };
}

/** The command, in this process. */
export async function asmx(...args: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await run(args, {
    print: (text) => {
      stdout += text;
    },
    remark: (line) => {
      stderr += `asmx: ${line}\n`;
    },
    environment: {},
    stop: new AbortController().signal,
  });
  return { code, stdout, stderr };
}
