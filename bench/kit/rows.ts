import type { Engine } from '../../apps/ws01/src/store/store.ts';
import type { BenchDatabase } from './database.ts';

/**
 * SQL of values that are written otherwise on each engine. `number` is an SQL expression, `i` the
 * number of the row.
 */
export interface Dialect {
  /** A record key of 36 characters, far from those of the neighbours: what {@link keyOf} gives. */
  key(number: string): string;
  /** Lower-case hexadecimal digits without leading zeros. */
  hex(number: string): string;
  /** 32 bytes, far from those of the neighbours. */
  digest(number: string): string;
  /** A UUID's 36 characters, far from those of the neighbours, with as many different sequences of characters. */
  uuid(number: string): string;
  /** What is stored of the token with a text: its SHA-256. SQLite has none of its own and needs a `token_hash`. */
  tokenHash(text: string): string;
}

/**
 * A number times this, modulo the prime, is scattered and yet no two are the same, whatever order
 * an engine works in.
 */
const FACTOR = 2_654_435_761n;
const PRIME = 10_000_000_019n;
const KEY_TAIL = '-4000-8000-0000-000000000';
const DIGEST_TAIL = '0'.repeat(54);

const UUID_DIGITS = [8, 4, 4, 4, 12];
const uuidGroups = (number: string) => [
  `(${number}) * 2654435761 % 4294967296`,
  `(${number}) * 40503 % 65536`,
  `16384 + (${number}) * 7919 % 4096`,
  `32768 + (${number}) * 1009 % 4096`,
  `((${number}) * 25214903917 + 11) % 281474976710656`,
];

const scatter = (number: string) => `((${number}) * ${FACTOR} % ${PRIME})`;

const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  sqlite: {
    key: (number) => `printf('%010d', ${scatter(number)}) || '${KEY_TAIL}'`,
    hex: (number) => `printf('%x', ${number})`,
    digest: (number) => `unhex(printf('%010d', ${scatter(number)}) || '${DIGEST_TAIL}')`,
    uuid: (number) => `printf('%08x-%04x-%04x-%04x-%012x', ${uuidGroups(number).join(', ')})`,
    tokenHash: (text) => `token_hash(${text})`,
  },
  postgres: {
    key: (number) => `lpad(${scatter(number)}::text, 10, '0') || '${KEY_TAIL}'`,
    hex: (number) => `to_hex(${number})`,
    digest: (number) =>
      `decode(lpad(${scatter(number)}::text, 10, '0') || '${DIGEST_TAIL}', 'hex')`,
    uuid: (number) => {
      const hex = uuidGroups(number).map(
        (group, at) => `lpad(to_hex(${group}), ${UUID_DIGITS[at]}, '0')`,
      );
      return `(${hex.join(` || '-' || `)})`;
    },
    tokenHash: (text) => `sha256(convert_to(${text}, 'UTF8'))`,
  },
};

/** The record key of a number, as {@link Dialect.key} makes it. */
export function keyOf(number: number): string {
  return String((BigInt(number) * FACTOR) % PRIME).padStart(10, '0') + KEY_TAIL;
}

/** Rows in one statement at most on SQLite, so that its log does not hold all of them. */
const CHUNK = 1_000_000;

/**
 * Adds the rows with the numbers `from` to `to` (not included) to a table, past the store.
 * @param values SQL of each column's value.
 * @param order whether they come in the order of `key`, for tables whose key that is, so that
 *   neighbours in the key's index come one after another, or in the order of their numbers.
 */
export async function insertRows(
  database: BenchDatabase,
  table: string,
  { from, to }: { readonly from: number; readonly to: number },
  values: (dialect: Dialect) => Readonly<Record<string, string | number>>,
  order: 'key' | 'number' = 'key',
): Promise<void> {
  const insert = (engine: Engine, numbers: string) => {
    const columns = values(DIALECTS[engine]);
    return `insert into ${table} (${Object.keys(columns).join(', ')})
      select ${Object.values(columns).join(', ')} from ${numbers}`;
  };
  const sorted = order === 'key' ? `order by ${scatter('i')}` : 'order by i';
  await database.filling(table, async () => {
    await database.load({
      sqlite: `create temp table numbers as
        with recursive every(i) as (select ${from} union all select i + 1 from every where i < ${to - 1})
        select i from every ${sorted}`,
      postgres: insert(
        'postgres',
        `(select i from generate_series(${from}::bigint, ${to - 1}) as i ${sorted}) as numbers`,
      ),
    });
    for (let first = 1; first <= to - from; first += CHUNK) {
      const chunk = `temp.numbers where rowid between ${first} and ${first + CHUNK - 1}`;
      await database.load({ sqlite: insert('sqlite', chunk), postgres: 'select' });
    }
    await database.load({ sqlite: 'drop table temp.numbers', postgres: 'select' });
  });
}
