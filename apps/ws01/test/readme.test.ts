import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startService, TOKEN } from './kit/service.ts';

const run = promisify(execFile);

/** The shell blocks of a document, in order. */
function shellBlocks(markdown: string): string[] {
  return markdown
    .split('```sh\n')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('```')));
}

describe('the README', () => {
  it('shows calls that work when pasted, one for each binding', async (t) => {
    const { url } = await startService(t);
    const calls = shellBlocks(await readFile('README.md', 'utf8')).filter((block) =>
      block.startsWith('curl '),
    );
    const answers: string[] = [];
    for (const call of calls) {
      const { stdout } = await run('bash', ['-c', call.replaceAll('http://localhost:8080', url)], {
        env: { ...process.env, TOKEN },
      });
      answers.push(stdout);
    }
    assert.equal(answers.length, 5);
    for (const answer of answers.slice(0, 2))
      assert.match(answer, /<string xmlns="urn:ws01">first<\/string>$/);
    assert.match(answers[2]!, /<InsertArticleResult>first<\/InsertArticleResult>/);
    assert.match(
      answers[3]!,
      /<UpdatePinnedTopDueDateByGuidResult>first<\/UpdatePinnedTopDueDateByGuidResult>/,
    );
    assert.equal(answers[4], '{"d":"first"}');
  });

  it('says of speed what the page on performance says, and the command that shows it', async () => {
    const line = /A call by SOAP costs.*?\(\[performance\]/s.exec(
      await readFile('README.md', 'utf8'),
    )![0];
    const page = await readFile('docs/performance.md', 'utf8');
    const [reads, writes] = [...line.matchAll(/(\d+)–(\d+)/g)].map(([, least, most]) => [
      Number(least),
      Number(most),
    ]);
    for (const [operation, said] of [
      ['countUserPosted', reads],
      ['InsertArticle', writes],
    ] as const) {
      const [, least, most] = new RegExp(
        `^\\| [^|]*\`${operation}\`[^|]*\\| (\\d+)–(\\d+) µs`,
        'm',
      ).exec(page)!;
      assert.ok(said![0]! <= Number(least) && Number(most) <= said![1]!, operation);
    }
    assert.match(line, /`npm run bench`/);
    assert.match(page, /^npm run bench /m);
  });

  it('links only to files that are there', async () => {
    const links = [
      ...(await readFile('README.md', 'utf8')).matchAll(/\]\(((?!https?:)[^)#]+)/g),
    ].map((found) => found[1]!);
    assert.ok(links.length > 5);
    for (const link of links) await assert.doesNotReject(readFileOrFolder(link), link);
  });
});

async function readFileOrFolder(path: string): Promise<void> {
  const { access } = await import('node:fs/promises');
  await access(path);
}
