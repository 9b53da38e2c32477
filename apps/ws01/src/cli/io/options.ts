import { InvalidArgumentError } from 'commander';

/** Parses an option that is a positive integer. */
export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new InvalidArgumentError('Give a whole number above 0.');
  }
  return Number(text);
}

/** Collects the values of an option that may be repeated. */
export function gather(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

const UNITS = new Map([
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Parses a duration such as `12h` or `90d`.
 * @returns ms; `undefined` if the text is not a duration.
 */
export function readSpan(text: string | undefined): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([hd])$/.exec(text?.trim() ?? '') ?? [];
  const step = UNITS.get(unit);
  return step === undefined ? undefined : Number(count) * step;
}

/**
 * Reads pages until there are enough rows or no more.
 * @param page reads at most so many rows after the last one of the previous page.
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

/** Rows per page. */
const PAGE = 1_000;
