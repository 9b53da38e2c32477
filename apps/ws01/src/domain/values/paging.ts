import { integerOf } from '../../contract/lexical.ts';

const DEFAULT_PAGE_SIZE = 20;
/** Largest number of items on a page. */
export const MAX_PAGE_SIZE = 100;

/** A page of a list. */
export interface PageRequest {
  /** Number of the page, from 1. */
  readonly index: number;
  /** Number of items on a full page. */
  readonly size: number;
  /** Number of items before the page. */
  readonly offset: number;
}

/** A page number or size, which the contract types as string or int. */
type PageNumber = string | number | undefined;

/**
 * Reads the page that a call requests (semantics 2). Pages are numbered from 1; without a number,
 * or with 0 or less, it is the first page. The size is 20 without one, or with 0 or less, and 100
 * at most.
 *
 * @throws {Ws01Error} `InvalidParameter`, naming `pageindex` or `pagesize`, when a text is not a
 *   whole number.
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
