import type { Engine } from '../../src/store/store.ts';
import type { BenchDatabase } from './database.ts';

/** SQL of values that are written otherwise on each engine. `number` is an SQL expression, `i` the number of the row. */
export interface Dialect {
  /** A record key of 36 characters, far from those of the neighbours: what {@link keyOf} gives. */
  key(number: string): string;
  /** Lower-case hexadecimal digits without leading zeros. */
  hex(number: string): string;
  /** 32 bytes, far from those of the neighbours. */
  digest(number: string): string;
}

/** A number times this, modulo the prime, is scattered and yet no two are the same, whatever order an engine works in. */
const FACTOR = 2_654_435_761n;
const PRIME = 10_000_000_019n;
const KEY_TAIL = '-4000-8000-0000-000000000';
const DIGEST_TAIL = '0'.repeat(54);

const scatter = (number: string) => `((${number}) * ${FACTOR} % ${PRIME})`;

const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  sqlite: {
    key: (number) => `printf('%010d', ${scatter(number)}) || '${KEY_TAIL}'`,
    hex: (number) => `printf('%x', ${number})`,
    digest: (number) => `unhex(printf('%010d', ${scatter(number)}) || '${DIGEST_TAIL}')`,
  },
  postgres: {
    key: (number) => `lpad(${scatter(number)}::text, 10, '0') || '${KEY_TAIL}'`,
    hex: (number) => `to_hex(${number})`,
    digest: (number) => `decode(lpad(${scatter(number)}::text, 10, '0') || '${DIGEST_TAIL}', 'hex')`,
  },
};

/** The record key of a number, as {@link Dialect.key} makes it. */
export function keyOf(number: number): string {
  return String((BigInt(number) * FACTOR) % PRIME).padStart(10, '0') + KEY_TAIL;
}

/** Rows in one statement at most, so that a log does not hold all of them. */
const CHUNK = 500_000;

/**
 * Adds the rows with the numbers `from` to `to` (not included) to a table, past the store.
 * @param values SQL of each column's value.
 */
export async function insertRows(
  database: BenchDatabase,
  table: string,
  { from, to }: { readonly from: number; readonly to: number },
  values: (dialect: Dialect) => Readonly<Record<string, string | number>>,
): Promise<void> {
  for (let first = from; first < to; first += CHUNK) {
    const last = Math.min(first + CHUNK, to) - 1;
    const insert = (engine: Engine) => {
      const columns = values(DIALECTS[engine]);
      const select = `select ${Object.values(columns).join(', ')}`;
      const into = `insert into ${table} (${Object.keys(columns).join(', ')})`;
      return engine === 'sqlite'
        ? `${into} with recursive numbers(i) as (select ${first} union all select i + 1 from numbers where i < ${last})
            ${select} from numbers`
        : `${into} ${select} from generate_series(${first}::bigint, ${last}) as i`;
    };
    await database.load({ sqlite: insert('sqlite'), postgres: insert('postgres') });
  }
}
