/** `npm run spec`: writes the tables of docs/spec/contract.md from the contract. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTables } from './spec/contract-page.ts';
import { ROOT, SPEC } from './spec/tree.ts';

const path = `${SPEC}/contract.md`;
const before = await readFile(join(ROOT, path), 'utf8');
const after = withTables(before);
if (after !== before) await writeFile(join(ROOT, path), after);
console.log(`${path}: ${after === before ? 'up to date' : 'tables written'}`);
