// needs: curl php=php-cli python3 javac=default-jdk-headless
/**
 * The programs that the help pages show, with the values of somebody who typed them, run by the tools that people run them with.
 * C# needs .NET, which Debian has not, and Delphi a licence: those two are not run.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { openPage } from '../console/kit/browser.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

const HOSTILE = `说 <b>&"quotes"</b> it's $HOME \\ 100% 🎉`;

/** A program in a file of its own, and what runs it. */
const TOOLS: Readonly<Record<string, (code: string, folder: string) => Promise<string>>> = {
  'curl-command': async (code, cwd) => (await run('bash', ['-c', code], { cwd })).stdout,
  'php-code': (code, cwd) => runFile('php', 'call.php', code, cwd),
  'python-code': (code, cwd) => runFile('python3', 'call.py', code, cwd),
  'javascript-code': (code, cwd) => runFile(process.execPath, 'call.mjs', code, cwd),
  'java-code': (code, cwd) => {
    const [imports, ...statements] = code.split('\n\n');
    const body = `public class Call { public static void main(String[] args) throws Exception {\n${statements.join('\n\n')}\n} }`;
    return runFile('java', 'Call.java', `${imports}\n${body}\n`, cwd);
  },
};

async function runFile(program: string, name: string, code: string, cwd: string): Promise<string> {
  await writeFile(join(cwd, name), code);
  return (
    await run(program, [name], {
      cwd,
      env: { ...process.env, JAVA_TOOL_OPTIONS: '-Dfile.encoding=UTF-8' },
    })
  ).stdout;
}

async function folderWithPicture(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-snippets-');
  await writeFile(join(folder, 'photo.jpg'), blackPng(8, 8));
  return folder;
}

suite('the programs of the help pages', () => {
  test('do in each language what the form does', async (t) => {
    const service = await startService(t);
    const folder = await folderWithPicture(t);
    const page = await openPage(t, `${service.url}/WS01.asmx?op=InsertArticle`);
    await page.getByLabel('Show sample values').check();
    await page.getByLabel('token').fill(TOKEN);
    await page.getByLabel('caption').fill(HOSTILE);
    const store = await service.database.open();
    for (const [id, tool] of Object.entries(TOOLS)) {
      await page.getByLabel('guid', { exact: true }).fill(id);
      const answer = await tool((await page.locator(`#${id}`).textContent()) ?? '', folder);
      assert.match(answer, new RegExp(`<string xmlns="urn:ws01">${id}</string>`), id);
      const row = await store.read((db) =>
        db.selectFrom('articles').select('caption').where('guid', '=', id).executeTakeFirst(),
      );
      assert.equal(row?.caption, HOSTILE, id);
    }
    await page.goto(`${service.url}/WS01.asmx?op=InsertArticleImageFile`);
    await page.getByLabel('Show sample values').check();
    // There is no form for a file: the reader writes the token into the program.
    const tokenOf = page.locator('var[data-parameter=verifyCode]');
    const sample = (await tokenOf.first().getAttribute('data-sample')) ?? '';
    for (const [id, tool] of Object.entries(TOOLS)) {
      const program = (await page.locator(`#${id}`).textContent()) ?? '';
      const answer = await tool(program.replace(sample, TOKEN), folder);
      assert.match(answer, /<boolean xmlns="urn:ws01">true<\/boolean>/, id);
    }
  });
});
