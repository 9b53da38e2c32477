/** A rate: `limit` uses in a window that starts with the first use. */
export interface Rate {
  readonly limit: number;
  /** ms. */
  readonly window: number;
}

/** The largest limit, so that a window and what exceeds it fit into 32 bits. */
const MOST = 2_000_000_000;

/** Units of time, in ms. */
const UNITS = new Map([
  ['s', 1_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['day', 86_400_000],
]);

/**
 * Parses the rates of a budget; all apply at once: `600/min`, `1/30s 5/10min`, `200/day`; `off` is
 * none.
 * @returns `undefined` for any other text.
 */
export function parseRates(text: string): readonly Rate[] | undefined {
  const rates = text.toLowerCase() === 'off' ? [] : text.split(/\s+/).map(parseRate);
  return rates.every((rate) => rate !== undefined) ? Object.freeze(rates) : undefined;
}

function parseRate(text: string): Rate | undefined {
  const [, limit, times = '', unit = ''] =
    /^([0-9]{1,10})\/([0-9]{0,4})([a-z]{1,3})$/.exec(text) ?? [];
  const window = (times === '' ? 1 : Number(times)) * (UNITS.get(unit) ?? 0);
  const isCount = Number(limit) > 0 && Number(limit) <= MOST;
  return isCount && window > 0 ? { limit: Number(limit), window } : undefined;
}
