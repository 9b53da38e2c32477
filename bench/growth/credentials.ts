import { WS01 } from '../../src/contract/service.ts';
import { createAccess } from '../../src/domain/credentials/access.ts';
import { hashToken } from '../../src/domain/credentials/token-text.ts';
import { keyOf } from '../kit/rows.ts';
import { type Area, scattered } from './area.ts';

const OPERATION = WS01.operations.find(({ name }) => name === 'InsertArticle')!;

/** Tokens; what every call with a credential looks up, once in some seconds. */
export const credentials: Area = {
  name: 'credentials',
  most: 1_000_000,

  async fill(database, { from, to }) {
    // Their hashes are no SQL: they are made here.
    for (let first = from; first < to; first += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => {
        const key = keyOf(first + at);
        const hash = Buffer.from(hashToken(key)).toString('hex');
        return (bytes: (hex: string) => string) => `('${key}', ${bytes(hash)}, '', 'service', 'articles', 1)`;
      });
      const insert = (bytes: (hex: string) => string) =>
        `insert into tokens (id, hash, label, kind, scopes, created_at) values ${rows.map((row) => row(bytes)).join(',')}`;
      await database.load({ sqlite: insert((hex) => `x'${hex}'`), postgres: insert((hex) => `'\\x${hex}'`) });
    }
  },

  workloads(_, rows, store) {
    const access = createAccess({ store, clock: Date.now });
    const authorize = (turn: number) => access.authorize(OPERATION, keyOf(scattered(turn, rows)), '192.0.2.1');
    return [
      { name: 'a credential that is not remembered', call: authorize },
      { name: 'a credential that is remembered', call: () => authorize(0) },
    ];
  },
};
