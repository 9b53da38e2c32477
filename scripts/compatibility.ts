/** `npm run compatibility`: writes docs/compatibility.md from a replay of the recorded exchanges. */
import { writeFile } from 'node:fs/promises';
import { startEcho } from '../test/kit/echo.ts';
import { compareAll, compatibilityPage } from '../test/wire/compatibility.ts';

const closers: (() => unknown)[] = [];
const echo = await startEcho({ after: (close) => closers.push(close as () => unknown) });
const compared = await compareAll(echo.port);
await writeFile('docs/compatibility.md', compatibilityPage(compared));
for (const close of closers) close();
for (const { name, same, reasons } of compared) {
  if (!same && reasons.length === 0) console.log(`${name} differs without a reason`);
  if (same && reasons.length > 0) console.log(`${name} no longer differs`);
}
console.log(
  `docs/compatibility.md: ${compared.length} exchanges, ${compared.filter(({ same }) => same).length} the same`,
);
