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

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** For the environment of a process: it takes the engine's sources as they were compiled before, where this one does. */
export const COMPILED = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** A folder of the test's own. */
export const place = (t: TestContext): Promise<string> => temporaryFolder(t, 'asmx-project-');

/** The command, in this process. */
export async function asmx(...args: readonly string[]): Promise<Ended> {
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
