/**
 * Writes down the schema that all migrations make on PostgreSQL, from which the definitions for other engines are made. After a
 * new migration:
 *
 *     node --conditions=ws01-source apps/ws01/scripts/record-schema.ts
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/store/open.ts';
import { postgresUrl, startPostgresServer } from '../test/kit/postgres-server.ts';
import { readSchema, schemaFile } from '../test/kit/schema.ts';

const server = await startPostgresServer('ws01-schema-');
const dataDir = await mkdtemp(join(tmpdir(), 'ws01-schema-'));
try {
  const store = await openStore({ databaseUrl: postgresUrl(server.port, 'postgres'), dataDir });
  await writeFile('apps/ws01/src/store/flavours/schema.ts', schemaFile(await readSchema(store)));
  await store.close();
} finally {
  await server.dispose();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit(0);
