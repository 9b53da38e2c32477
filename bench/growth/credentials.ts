import { GUARDED } from '../../apps/ws01/src/contract/service.ts';
import { createAccess } from '../../apps/ws01/src/domain/credentials/access.ts';
import { hashToken } from '../../apps/ws01/src/domain/credentials/token-text.ts';
import { insertRows, keyOf } from '../kit/rows.ts';
import { type Area, scattered } from './area.ts';

const OPERATION = GUARDED.get('InsertArticle')!;

/** Tokens; what every call with a credential looks up, once in some seconds. */
export const credentials: Area = {
  name: 'credentials',
  most: 10_000_000,

  async fill(database, growth) {
    database.define('token_hash', (text) => hashToken(text));
    await insertRows(database, 'tokens', growth, ({ key, tokenHash }) => ({
      id: key('i'),
      hash: tokenHash(key('i')),
      label: `''`,
      kind: `'service'`,
      scopes: `'articles'`,
      created_at: 1,
    }));
  },

  workloads(_, rows, store) {
    const access = createAccess({ store, clock: Date.now });
    const authorize = (turn: number) =>
      access.authorize(OPERATION, keyOf(scattered(turn, rows)), '192.0.2.1');
    return [
      { name: 'a credential that is not remembered', call: authorize },
      { name: 'a credential that is remembered', call: () => authorize(0) },
    ];
  },
};
