/** A process that checks the pages of an SQLite file and prints one line per problem. */
import { DatabaseSync } from 'node:sqlite';
import { assertOwnLog } from './log-owner.ts';

const MOST = 20;

const file = process.argv[2] ?? '';
// The service runs for some seconds; its database may have been replaced.
assertOwnLog(file);
const database = new DatabaseSync(file, { readOnly: true });
try {
  const rows = database.prepare(`pragma quick_check(${MOST})`).all() as { quick_check: string }[];
  for (const { quick_check: line } of rows) if (line !== 'ok') process.stdout.write(`${line}\n`);
} catch (error) {
  // Such as "database disk image is malformed".
  process.stdout.write(`${(error as Error).message}\n`);
}
