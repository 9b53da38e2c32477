import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { postgresError } from '../../src/store/postgres/errors.ts';
import { freshDatabase } from '../kit/database.ts';

it('what PostgreSQL did not finish in time is busy, what it cannot do at present unavailable, a wrong statement a defect', async (t) => {
  const { databaseUrl } = await freshDatabase('postgres', t);
  const open = async () => {
    const client = new pg.Client({ connectionString: databaseUrl! });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const [client, other] = [await open(), await open()];
  /** The kind of failure, or the code of an error that is none. */
  const kindOf = async (...statements: readonly string[]) => {
    try {
      for (const statement of statements) await client.query(statement);
    } catch (error) {
      const translated = postgresError(error);
      if (!isFailureOf('database', translated))
        return translated === error && (error as { code: string }).code;
      assert.equal(translated.cause, error);
      return translated.kind;
    }
    return undefined;
  };
  try {
    await other.query('begin; lock table categories in access exclusive mode');
    assert.equal(await kindOf("set lock_timeout = '1ms'", 'select * from categories'), 'busy');
    assert.equal(await kindOf("set statement_timeout = '1ms'", 'select pg_sleep(60)'), 'busy');
    assert.equal(await kindOf('set statement_timeout = 0', 'select * from nowhere'), '42P01');
    assert.equal(
      await kindOf('set default_transaction_read_only = on', 'delete from articles'),
      'unavailable',
    );
    assert.equal(await kindOf('select pg_terminate_backend(pg_backend_pid())'), 'unavailable');
  } finally {
    await Promise.all([client.end().catch(() => {}), other.end()]);
  }
});
