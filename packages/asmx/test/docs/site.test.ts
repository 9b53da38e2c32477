import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { optionsPage } from '../../scripts/options-page.ts';
import { TYPES_PAGE, typesPage } from '../../scripts/types-page.ts';
import { ask } from '../kit/ask.ts';
import { SAMPLES } from '../system/samples.ts';

const page = (name: string) =>
  readFile(new URL(`../../../../site/${name}`, import.meta.url), 'utf8');

describe('the site', () => {
  it('the page of types is what the engine writes', async () => {
    assert.equal(await readFile(TYPES_PAGE, 'utf8'), await typesPage(), 'npm run site:types');
  });

  it('the page of options has what their comments say', async () => {
    const options = await optionsPage();
    assert.match(options, /^### handlers\n\n```ts\nhandlers: .+\n```\n\n\w/m);
    assert.match(options, /^### bodyBytes\n\nRequest body [^#]+4,194,304\.$/m);
  });

  it('what is proven: each test that a row names is there, and every sample stands in a row', async () => {
    const rows = [
      ...(await page('expressiveness.md')).matchAll(
        /^\| ([^|]+) \| `([\w/-]+): ([^`]+)` \| (\w*) ?\|$/gm,
      ),
    ];
    assert.ok(rows.length > 30);
    const samples = new Set(rows.map(([, , , , sample]) => sample));
    for (const [, construct, file, name] of rows) {
      const path = file!.includes('/') ? file : `values/${file}`;
      const [found = ''] = globSync(`packages/*/test/${path}.test.ts`);
      const source = await readFile(found, 'utf8');
      // In round-trip the tests are made of a table's keys.
      const there =
        file === 'round-trip'
          ? new RegExp(`^ +['"]?${name}['"]?: \\[`, 'm').test(source)
          : source.includes(name!);
      assert.ok(there, `${construct}: ${file}.test.ts has no test "${name}"`);
    }
    // Float is with Double.
    assert.deepEqual(
      Object.keys(SAMPLES).filter((name) => !samples.has(name) && name !== 'Float'),
      [],
    );
  });

  it('a link leads to a page that is there, and each page can be reached from the side', async () => {
    const folder = new URL('../../../../site/', import.meta.url);
    // `npm run site` writes the page of options.
    const pages = (await readdir(folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3));
    const there = new Set(['options', ...pages]);
    for (const from of pages) {
      const text = (await page(`${from}.md`)).replace(/^```.*?^```/gms, '');
      for (const [, to] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
        assert.ok(there.has(to!.replace(/^\.?\//, '')), `${from}.md leads to ${to}`);
    }
    const side = [...(await page('.vitepress/config.ts')).matchAll(/link: '\/([\w-]*)'/g)];
    const reached = new Set(side.map(([, name]) => name || 'index'));
    assert.deepEqual(reached, there);
  });

  it('the example of its first page answers', async () => {
    const blocks = [...(await page('index.md')).matchAll(/```ts\n([\s\S]*?)```/g)];
    const example = blocks[1]?.[1] ?? '';
    assert.match(example, /createEndpoint\(Weather/);
    const engine = await import('../../src/index.ts');
    const body = `${example.slice(example.indexOf('const Forecast'), example.indexOf('const serve'))}\nreturn endpoint;`;
    const endpoint = new Function(...Object.keys(engine), body)(...Object.values(engine));
    const answer = await ask(endpoint, {
      target: '/Weather.asmx/GetForecast',
      headers: { 'content-type': 'application/json' },
      body: '{"city":"Rome","days":1}',
    });
    assert.equal(
      answer.body,
      '{"d":[{"day":"\\/Date(1706745600000)\\/","low":null,"hours":[6,12]}]}',
    );
  });
});
