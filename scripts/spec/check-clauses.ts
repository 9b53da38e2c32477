/** Whether every clause has a test, and every test that the list names is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Amendment,
  amendmentsOf,
  type Clause,
  clauseListOf,
  clausesOf,
  type Link,
} from './clauses.ts';
import { PAGES, type PageName, pageText } from './references.ts';
import { testsOf } from './test-names.ts';
import { ROOT, SPEC, testFiles } from './tree.ts';

/** The page that names the tests of each clause, from the root. */
export const LIST = `${SPEC}/clauses.md`;

/** A clause with its tests, by the paths of their files from the root. */
export interface HeldClause extends Clause {
  readonly tests: readonly { readonly path: string; readonly name: string }[];
}

export interface ClauseReport {
  readonly clauses: readonly HeldClause[];
  readonly amendments: readonly Amendment[];
  /** One line for each thing that is wrong, with what is right. */
  readonly faults: readonly string[];
  /** Links whose test stands in exactly one other file, with that file. */
  readonly moved: readonly { readonly link: Link; readonly file: string }[];
}

/** What the check reads. */
export interface Sources {
  /** The pages with clauses, by name. */
  readonly pages: Readonly<Record<PageName, string>>;
  /** docs/spec/clauses.md */
  readonly list: string;
  /** The names in each test file, by its path from the root: `suite › test`. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
}

/** The sources as they are committed. */
export function committedSources(): Sources {
  const namesIn = (path: string) =>
    testsOf(readFileSync(join(ROOT, path), 'utf8')).map(({ path: names }) => names.join(' › '));
  return {
    pages: Object.fromEntries(PAGES.map((page) => [page, pageText(page)])) as Record<
      PageName,
      string
    >,
    list: readFileSync(join(ROOT, LIST), 'utf8'),
    tests: new Map(testFiles().map((path) => [path, namesIn(path)])),
  };
}

/** The path of a test file below its folder `test/`. */
const belowTest = (path: string): string => path.replace(/^(?:.*\/)?test\//, '');

const repeated = (ids: readonly string[]): string[] =>
  ids.filter((id, index) => ids.indexOf(id) !== index);

/** Checks the list against the clauses and the tests. */
export function checkClauses({ pages, list, tests }: Sources): ClauseReport {
  const faults: string[] = [];
  const clauses = PAGES.flatMap((page) => clausesOf(pages[page]));
  const amendments = amendmentsOf(pages.semantics);
  const { clauses: listed, links, unread } = clauseListOf(list);
  const known = new Set(clauses.map(({ id }) => id));

  for (const id of repeated(clauses.map(({ id }) => id)))
    faults.push(`${SPEC}/semantics.md: ${id} stands there twice.`);
  for (const id of repeated(listed.map(({ id }) => id)))
    faults.push(`${LIST}: ${id} stands there twice.`);
  for (const { text, line } of unread) {
    faults.push(
      `${LIST}:${line}: "${text}" is neither a clause ("- S1-1") nor a test ("  - \`path.test.ts\` › name").`,
    );
  }
  for (const { id, line } of listed) {
    if (!known.has(id))
      faults.push(`${LIST}:${line}: there is no clause ${id} in the specification.`);
  }
  for (const { id, builtAs } of amendments) {
    if (builtAs?.length === 0)
      faults.push(`${SPEC}/semantics.md: ${id} is built; name the clauses that it became.`);
    for (const clause of builtAs ?? []) {
      if (!known.has(clause))
        faults.push(`${SPEC}/semantics.md: ${id} names ${clause}, which is no clause.`);
    }
  }

  const filesWith = (name: string) =>
    [...tests].filter(([, names]) => names.some((one) => isNamed(one, name))).map(([path]) => path);
  const held = new Map<string, { path: string; name: string }[]>();
  const moved: { link: Link; file: string }[] = [];
  for (const link of links) {
    const having = filesWith(link.name);
    const path = having.find((one) => belowTest(one) === link.file);
    if (path !== undefined) {
      held.set(link.clause, [...(held.get(link.clause) ?? []), { path, name: link.name }]);
      continue;
    }
    if (having.length === 1) moved.push({ link, file: belowTest(having[0]!) });
    const elsewhere =
      having.length === 1 ? `; it is in ${having[0]}: npm run spec puts that down` : '';
    faults.push(
      `${LIST}:${link.line}: ${link.clause}: ${link.file} has no test "${link.name}"${elsewhere}.`,
    );
  }
  for (const { id, text } of clauses) {
    const linked = links.some(({ clause }) => clause === id);
    if (!linked) faults.push(`${LIST}: ${id} has no test: ${text}`);
  }
  return {
    clauses: clauses.map((clause) => ({ ...clause, tests: held.get(clause.id) ?? [] })),
    amendments,
    faults,
    moved,
  };
}

/** Whether a test, named with its suites, is what a link names. */
const isNamed = (test: string, name: string): boolean =>
  test === name || test.endsWith(` › ${name}`);

/** The list with the paths of tests that have moved. */
export function withMoved(list: string, moved: ClauseReport['moved']): string {
  const lines = list.split('\n');
  for (const { link, file } of moved) lines[link.line - 1] = `  - \`${file}\` › ${link.name}`;
  return lines.join('\n');
}
