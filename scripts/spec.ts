/** `npm run spec`: brings what is made in docs/spec/ up to date: the contract's tables, the paths of tests that moved. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkClauses, committedSources, LIST, withMoved } from './spec/check-clauses.ts';
import { withTables } from './spec/contract-page.ts';
import { PORTABLE_PAGE, PORTABLE_SCHEMA, schemaText, withKinds } from './spec/portable-page.ts';
import { ROOT, SPEC } from './spec/tree.ts';

async function rewrite(path: string, make: (page: string) => string): Promise<void> {
  const before = await readFile(join(ROOT, path), 'utf8').catch(() => '');
  const after = make(before);
  if (after !== before) await writeFile(join(ROOT, path), after);
  console.log(`${path}: ${after === before ? 'up to date' : 'written'}`);
}

await rewrite(`${SPEC}/contract.md`, withTables);
await rewrite(PORTABLE_PAGE, withKinds);
await rewrite(PORTABLE_SCHEMA, schemaText);
await rewrite(LIST, (list) => withMoved(list, checkClauses(committedSources()).moved));
