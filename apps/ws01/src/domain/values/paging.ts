import { integerOf } from '../../contract/lexical.ts';

const DEFAULT_PAGE_SIZE = 20;
/** Items on a page at most. */
export const MAX_PAGE_SIZE = 100;

/** A piece of a list. */
export interface PageRequest {
  /** 1-based. */
  readonly index: number;
  /** Items on a full page. */
  readonly size: number;
  /** Items before the page. */
  readonly offset: number;
}

/** A page number or size as a contract may type it: string or int. */
type PageNumber = string | number | undefined;

/**
 * The page that a call asks for (semantics 2): pages count from 1, and 0, a negative number or nothing is the first; a
 * size of 0, negative or nothing is 20, and a larger one than 100 is 100.
 *
 * @throws {Ws01Error} `InvalidParameter`, naming `pageindex` or `pagesize`, when a text is not a whole number.
 */
export function pageOf(pageindex: PageNumber, pagesize: PageNumber): PageRequest {
  const index = Math.max(numberOf(pageindex, 'pageindex'), 1);
  const given = numberOf(pagesize, 'pagesize');
  const size = given < 1 ? DEFAULT_PAGE_SIZE : Math.min(given, MAX_PAGE_SIZE);
  return { index, size, offset: (index - 1) * size };
}

function numberOf(value: PageNumber, name: string): number {
  return typeof value === 'number' ? value : integerOf(value, name);
}
