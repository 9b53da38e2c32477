/** References to the specification: `semantics 5.11`, `wire 4.2`, `contract 4`, and clauses such as `S5.11-3`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, SPEC } from './tree.ts';

/** The pages that can be cited, by the word that cites them. */
export const PAGES = ['contract', 'semantics', 'wire'] as const;
export type PageName = (typeof PAGES)[number];

/** A citation as it was found. */
export interface Reference {
  /** As written, on one line. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** Why it leads nowhere whatever the pages hold; `undefined` when its form is right. */
  readonly fault?: string;
  /** What it names: a section of a page, or a clause. */
  readonly target?:
    | { readonly page: PageName; readonly section: string }
    | { readonly clause: string };
}

/** A page of the specification as it is committed. */
export const pageText = (page: PageName): string =>
  readFileSync(join(ROOT, SPEC, `${page}.md`), 'utf8');

/** The numbers of a page's headings: `5` of `## 5. The operations`, `5.11` of `### 5.11 UrltoShortUrl`. */
export function sectionsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number!));
}

/** A citation may go on in the next line of a comment. */
const GAP = String.raw`(?:\s+|\s*\n\s*(?:\*|//)\s*)`;
const SECTION = new RegExp(
  String.raw`\b(${PAGES.join('|')})${GAP}(\d+(?:\.\d+)*)(?!\d|[-:]\d)`,
  'g',
);
const CLAUSE = /\b[CSW]\d+(?:\.\d+)?-\d+\b/g;

/** Forms that name no section as the pages number them, each with what is right. */
const WRONG_FORMS: readonly [RegExp, string][] = [
  [/\basmx-wire\b/g, 'write: wire 4.2'],
  [
    new RegExp(String.raw`\b(?:${PAGES.join('|')}),?${GAP}sections?\b`, 'g'),
    'write the number alone: wire 4.2',
  ],
  [
    new RegExp(String.raw`\b(?:${PAGES.join('|')})${GAP}\d+(?:\.\d+)*(?:,| and| to)${GAP}\d`, 'g'),
    'name the page again before each number: semantics 3, semantics 5.1',
  ],
];

/** Every citation in a text, in order. */
export function referencesIn(text: string): Reference[] {
  const found: (Reference & { at: number })[] = [];
  const add = (match: RegExpExecArray, rest: Pick<Reference, 'fault' | 'target'>) =>
    found.push({
      at: match.index,
      text: match[0].replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' '),
      line: text.slice(0, match.index).split('\n').length,
      ...rest,
    });
  for (const match of text.matchAll(SECTION)) {
    add(match, { target: { page: match[1] as PageName, section: match[2]! } });
  }
  for (const match of text.matchAll(CLAUSE)) add(match, { target: { clause: match[0] } });
  for (const [form, fault] of WRONG_FORMS)
    for (const match of text.matchAll(form)) add(match, { fault });
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...reference }) => reference);
}
