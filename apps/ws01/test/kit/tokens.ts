import type { TestContext } from 'node:test';
import { SCOPES } from '../../src/contract/parameters.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import type { TestDatabase } from './database.ts';

/** Tokens with all scopes: of two users, and of an admin. */
export async function issueTokens(
  _test: TestContext,
  database: TestDatabase,
): Promise<{ readonly ada: string; readonly bob: string; readonly admin: string }> {
  const store = await database.open();
  const issue = async (kind: 'user' | 'admin', userId: string | undefined) => {
    const { text } = await issueToken(
      store,
      { kind, userId, scopes: SCOPES, label: 'test' },
      Date.now,
    );
    return text;
  };
  return {
    ada: await issue('user', 'ada'),
    bob: await issue('user', 'bob'),
    admin: await issue('admin', undefined),
  };
}
