import assert from 'node:assert/strict';
import { glob, readFile, stat } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path/posix';
import { before, describe, it } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';

/** A link of a page to another place of the project. */
interface Link {
  readonly page: string;
  readonly text: string;
  /** As a path from the project's root. */
  readonly target: string;
  /** What stands behind `#`. */
  readonly anchor: string | undefined;
}

const PAGES = words(
  '*.md docs/**/*.md apps/ws01/*.md apps/ws01/src/**/*.md packages/*/*.md packages/*/src/**/*.md',
);

describe('the documentation', () => {
  const links: Link[] = [];
  const texts = new Map<string, string>();

  before(async () => {
    for await (const page of glob(PAGES)) {
      const text = await readFile(page, 'utf8');
      texts.set(page, text);
      links.push(...linksOf(page, text));
    }
  });

  it('every relative link leads to what there is, and to a heading that is there', async () => {
    assert.ok(links.length > 50, String(links.length));
    const broken: string[] = [];
    for (const { page, text, target, anchor } of links) {
      const found = await stat(target).catch(() => undefined);
      if (found === undefined) broken.push(`${page}: [${text}] ${target} is not there`);
      if (anchor !== undefined && !anchorsOf(texts.get(target) ?? '').has(anchor)) {
        broken.push(`${page}: [${text}] ${target} has no #${anchor}`);
      }
    }
    assert.deepEqual(broken, []);
  });

  it('no page has a section twice', () => {
    const twice = [...texts].flatMap(([page, text]) => {
      const titles = text.split('\n').filter((line) => line.startsWith('## '));
      return titles
        .filter((title, index) => titles.indexOf(title) !== index)
        .map((title) => `${page}: ${title}`);
    });
    assert.deepEqual(twice, []);
  });

  it('commands are shown as they are typed in a working copy, without a banner before what they print', () => {
    for (const [page, text] of texts) assert.doesNotMatch(text, /npm run ws01|npx ws01/, page);
  });

  it('every page is reached from the README by links to it, not only to its folder', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const link of links)
        if (link.page === page && texts.has(link.target)) reached.add(link.target);
    }
    const lost = [...texts.keys()].filter((page) => !reached.has(page));
    assert.ok(texts.size > 30, String(texts.size));
    assert.deepEqual(lost, []);
  });
});

/** The links to places of the project, those in code left out. */
function linksOf(page: string, text: string): Link[] {
  const prose = text
    .replace(/^```.*?^```/gms, '')
    .replace(/`[^`\n]*`/g, (code) => '·'.repeat(code.length));
  return [...prose.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)]
    .map(([, label, href]) => ({ label: label!, href: href! }))
    .filter(({ href }) => !/^[a-z]+:/i.test(href))
    .map(({ label, href }) => {
      const [path, anchor] = href.split('#', 2) as [string, string | undefined];
      const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '');
      return { page, text: label, target, anchor };
    });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} +(.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}
