import pg from 'pg';

const { builtins, getTypeParser } = pg.types;

/**
 * How PostgreSQL's values arrive in JavaScript where the driver's default differs from SQLite's.
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    switch (oid) {
      // Instants and counts. The driver's default is text, because int8 can exceed a JavaScript
      // number.
      case builtins.INT8:
      case builtins.NUMERIC:
        return toNumber;
      case builtins.BYTEA:
        return toBytes;
      default:
        return getTypeParser(oid, format);
    }
  }) as typeof getTypeParser,
};

function toNumber(text: string): number {
  const number = Number(text);
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) {
    throw new RangeError(`${text} from PostgreSQL is too large for a number.`);
  }
  return number;
}

const parseBytea = getTypeParser(builtins.BYTEA) as (text: string) => Buffer;

function toBytes(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = parseBytea(text);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
