/**
 * `npm run compatibility`: replays the recorded exchanges of a real ASMX server, prints how many answers are the same,
 * and writes docs/compatibility.md. Exits with 1 when an answer differs and nothing explains it.
 *
 * - `-- --accept` writes down the present answers of exchanges that a row of the table covers: look at the diff.
 * - `-- FOLDER` compares other recordings (`NAME.req`, `NAME.res` in folders below it), and writes nothing.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Compared, compareAll, countVerdicts, folderOf } from '../test/wire/golden/compare.ts';
import { GOLDEN } from '../test/wire/golden/exchanges.ts';
import { compatibilityPage } from '../test/wire/golden/page.ts';
import { pinnedForm, writePins } from '../test/wire/golden/pins.ts';

const { values, positionals } = parseArgs({
  options: { accept: { type: 'boolean' } },
  allowPositionals: true,
});
const root = positionals[0] ?? GOLDEN;
if (values.accept) accept(root, await compareAll(root));
const compared = await compareAll(root);
// Of recordings that are not ours no answer is written down: there a row of the table is all that explains.
const covered = (one: Compared) => root !== GOLDEN && one.difference !== undefined;
for (const { name, verdict, difference, complaint } of compared.filter((one) => !covered(one))) {
  if (verdict === 'unexplained')
    console.log(`${name}: ${complaint}${difference === undefined ? '' : ` (${difference.id})`}`);
}
const { same, recorder } = countVerdicts(compared);
const unexplained = compared.filter((one) => one.verdict === 'unexplained' && !covered(one)).length;
const purpose = compared.length - same - recorder - unexplained;
console.log(
  `${compared.length} exchanges: ${same} the same to the byte, ${recorder} the same but for the recording server's own traits, ` +
    `${purpose} different on purpose, ${unexplained} unexplained`,
);
if (unexplained > 0) process.exitCode = 1;
if (root === GOLDEN) await writeFile('docs/compatibility.md', compatibilityPage(compared));

function accept(root: string, compared: readonly Compared[]): void {
  const pins = compared.flatMap(({ name, difference, ours }) =>
    difference === undefined
      ? []
      : [[name, { difference: difference.id, answer: pinnedForm(ours) }] as const],
  );
  writePins(root, new Set(compared.map(({ name }) => folderOf(name))), Object.fromEntries(pins));
}
