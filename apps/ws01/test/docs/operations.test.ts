import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { runProgram } from '../../../../packages/asmx/test/kit/programs.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** The pages whose calls are run, with the number of calls on each. */
const PAGES = {
  ...{ articles: 6, adverts: 3, users: 3, counts: 3, reviews: 3 },
  ...{ images: 4, phone: 3, links: 2 },
};

/** What each answer has of its own, and what stands for it on the pages. */
const OF_EACH: readonly (readonly [RegExp, string])[] = [
  [/<requestId>[^<]+</, '<requestId>…<'],
  [/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"'],
  [/>[0-9]{6}</, '>020725<'],
  [/\/s\/.{7}</, '/s/Bh2dFgR<'],
];

for (const [page, count] of Object.entries(PAGES)) {
  it(`the page on ${page} shows calls that answer what stands below them`, async (t) => {
    const origin = 'http://localhost:8080';
    const { url } = await startService(t, undefined, { BASE_URL: origin });
    const text = await readFile(`docs/operations/${page}.md`, 'utf8');
    const shown = [...text.matchAll(/^```sh\n([^`]*)\n```\n\n```(?:xml|text)\n([^`]*)\n```$/gm)];
    assert.equal(shown.length, count);
    // What an answer tells, the next calls need.
    const told: Record<string, string> = { TOKEN };
    for (const [, call = '', answer] of shown) {
      const script = call.replace(origin, url);
      const { stdout } = await runProgram('.', ['bash', '-c', script], told);
      const lines = stdout.replaceAll('\r\n', '\n').trimEnd();
      const [code] = /[0-9]{6}/.exec(lines) ?? [];
      if (code !== undefined) told.CODE = code;
      const [, link] = new RegExp(`${origin}(/s/.{7})<`).exec(lines) ?? [];
      if (link !== undefined) told.LINK = url + link;
      const settled = OF_EACH.reduce((said, [own, general]) => said.replace(own, general), lines);
      assert.equal(settled, answer);
    }
  });
}
