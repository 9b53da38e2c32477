import { InvalidArgumentError } from 'commander';

/** Reads an option that is a number of things. */
export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new InvalidArgumentError('Give a whole number above 0.');
  }
  return Number(text);
}

/**
 * Reads pages until there are enough rows or no more.
 * @param page reads so many rows at most after the last one of the page before.
 */
export async function readPages<Row>(
  most: number,
  page: (most: number, last: Row | undefined) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (;;) {
    const asked = Math.min(PAGE, most - found.length);
    const rows = await page(asked, found.at(-1));
    found.push(...rows);
    if (rows.length < asked || found.length >= most) return found;
  }
}

/** Rows read at once. */
const PAGE = 1_000;
