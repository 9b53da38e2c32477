import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../../../src/from/cli/main.ts';
import { place } from '../kit/command.ts';

const XML = 'text/xml; charset=utf-8';

describe('asmx redact', () => {
  const heading = '{"recording":1,"of":"http://old"}';
  const old = (target: string, body: string, answer: string) =>
    JSON.stringify({
      ...{ at: '', durationMs: 1, method: 'POST', target, operation: 'Login', redacted: [] },
      request: { headers: { 'content-type': XML }, body: { text: body } },
      answer: { status: 200, headers: { 'content-type': XML }, body: { text: answer } },
    });

  test('cleans recordings that were made earlier, together, and only those', async (t) => {
    const folder = await place(t);
    const [one, two, har] = ['one.jsonl', 'two.jsonl', 'x.har'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    // The ticket stands in the first file before the second one says what it is.
    await writeFile(
      one,
      `${heading}\n${old('/Old.asmx/A?x=tick-4711-et', '<a>n</a>', '<b/>')}\n{"cut":"tick-4711-`,
    );
    await writeFile(
      two,
      `${heading}\n${old('/Old.asmx', '<Login><strPassword>hunter2!</strPassword></Login>', '<LoginResult>tick-4711-et</LoginResult>')}\n`,
    );
    await writeFile(har, '{"log":{"entries":[]}}');
    let [stdout, stderr] = ['', ''];
    const terminal = {
      print: (text: string) => {
        stdout += text;
      },
      remark: (line: string) => {
        stderr += `${line}\n`;
      },
      environment: {},
      stop: new AbortController().signal,
    };
    assert.equal(await run(['redact', one, two], terminal), 0);
    assert.equal(
      stdout,
      `${one}: 1 exchanges, 1 changed: LoginResult.\n${two}: 1 exchanges, 1 changed: strPassword, LoginResult.\n`,
    );
    for (const file of [one, two]) {
      assert.doesNotMatch(await readFile(file, 'utf8'), /hunter2|tick-4711/);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
    }
    const again = await readFile(two, 'utf8');
    assert.equal(await run(['redact', two], terminal), 0);
    assert.equal(await readFile(two, 'utf8'), again);
    assert.equal(await run(['redact', har], terminal), 2);
    assert.match(
      stderr,
      /x\.har is no recording of asmx: HAR files and access logs are not written again\./,
    );
  });
});
