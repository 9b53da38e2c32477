import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

/** Limits that nothing can steer: of the platform, of sockets, and of the driver of PostgreSQL. */
const UNSTEERABLE = /AbortSignal\.timeout\(|\.setTimeout\(|connectionTimeoutMillis/;
/** Node begins this one anew with each byte. */
const KNOWN = ['apps/ws01/src/adapters/files/s3.ts'];

it('limits by the clock ask @ws01/asmx/time (docs/decisions/time-limits.md)', () => {
  const files = globSync('{apps,packages}/*/src/**/*.ts')
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => UNSTEERABLE.test(readFileSync(path, 'utf8')));
  assert.deepEqual(files, KNOWN, 'use time.limit, within or signalAfter');
});
