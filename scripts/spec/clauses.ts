/** The clauses of the specification, its amendments, and the list that says which tests hold them. */

/** A rule that can be checked. */
export interface Clause {
  /** Such as `S5.11-3`. */
  readonly id: string;
  /** Its words, on one line. */
  readonly text: string;
}

/** A row of section 8. */
export interface Amendment {
  /** Such as `A8`. */
  readonly id: string;
  /** Its words; where it is built, `Built:` and the clauses that it became. */
  readonly text: string;
  /** The clauses that it became; `undefined` while it waits. */
  readonly builtAs: readonly string[] | undefined;
}

/** A line of the list: one test of one clause. */
export interface Link {
  readonly clause: string;
  /** Path below a folder `test/`, such as `domain/links/links.test.ts`. */
  readonly file: string;
  /** Name of a test or suite; with `suite › test` where the name alone is not clear. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
}

/** The list of clauses as it is committed. */
export interface ClauseList {
  /** Every clause that the list names, with its line. */
  readonly clauses: readonly { readonly id: string; readonly line: number }[];
  readonly links: readonly Link[];
  /** Lines of any other form, with their numbers. */
  readonly unread: readonly { readonly text: string; readonly line: number }[];
}

/** A letter for the page (contract, semantics, wire), the section, a number in it. */
const ID = String.raw`[CSW]\d+(?:\.\d+)?-\d+`;

/** What no clause reaches beyond: a paragraph, an item of a list, a cell of a table. */
interface Block {
  /** On one line. */
  readonly text: string;
  /** What the row of a cell is about: its first cell, without ids; empty elsewhere. */
  readonly subject: string;
}

function blocksOf(page: string): Block[] {
  const apart = page.replace(/\n(?=[ ]*(?:[-*] |\d+\. |#|\||$))/gm, '\n\n');
  return apart.split(/\n{2,}/).flatMap((block) => {
    if (!block.startsWith('|')) return [{ text: block.replace(/\s*\n\s*/g, ' '), subject: '' }];
    const [, first = '', ...others] = block.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return [
      { text: first, subject: '' },
      ...others.map((text) => ({ text, subject: `${first}: ` })),
    ];
  });
}

/** The clauses of a page, in order. A clause reaches from its id to the next one, or to the end of its block. */
export function clausesOf(page: string): Clause[] {
  return blocksOf(page).flatMap(({ text, subject }) => {
    const [, ...parts] = text.split(new RegExp(String.raw`\[(${ID})\]`));
    return parts.flatMap((part, index) =>
      index % 2 === 0
        ? [{ id: part, text: subject + (parts[index + 1] ?? '').trim().replace(/[;,]$/, '') }]
        : [],
    );
  });
}

/** The amendments of a page: rows of a table that begin with `A1 (5.11)`. */
export function amendmentsOf(page: string): Amendment[] {
  return [...page.matchAll(/^\| (A\d+) \([^)]*\) \| (.*) \|$/gm)].map(([, id, text]) => {
    const built = text!.startsWith('Built: ')
      ? [...text!.matchAll(new RegExp(ID, 'g'))].map(([id]) => id)
      : undefined;
    return { id: id!, text: text!, builtAs: built };
  });
}

/** Reads the list: below its headings, an item for each clause and below it an item for each of its tests. */
export function clauseListOf(page: string): ClauseList {
  const clauses: { id: string; line: number }[] = [];
  const links: Link[] = [];
  const unread: { text: string; line: number }[] = [];
  const body = page.split('\n').slice(page.split('\n').findIndex((line) => line.startsWith('## ')));
  const before = page.split('\n').length - body.length;
  for (const [index, text] of body.entries()) {
    const line = before + index + 1;
    const clause = new RegExp(`^- (${ID})$`).exec(text);
    const test = /^ {2}- `([^`]+)` › (.+)$/.exec(text);
    if (clause !== null) clauses.push({ id: clause[1]!, line });
    else if (test !== null && clauses.length > 0) {
      links.push({ clause: clauses.at(-1)!.id, file: test[1]!, name: test[2]!, line });
    } else if (text !== '' && !text.startsWith('## ')) unread.push({ text, line });
  }
  return { clauses, links, unread };
}
