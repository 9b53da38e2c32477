import fc from 'fast-check';
import { compare } from '../test/asmx/xml/kit/differential.ts';
import { family, seeds } from '../test/asmx/xml/kit/documents.ts';

export const summary =
  'a million generated and broken documents, read by the XML reader and by libxml2; each disagreement must be explained';

const FAMILY = 20;
const EVERY = 100_000;

/** `npm run bench -- xml-differential [documents] [seed]` */
export async function run([
  documents = '1000000',
  seed = String(Date.now() % 2 ** 31),
]: readonly string[]): Promise<void> {
  const counts = new Map<string, number>();
  let total = 0;
  const start = performance.now();
  console.log(`Seed ${seed}.`);
  fc.assert(
    fc.property(seeds, (made) => {
      for (const document of family(made, FAMILY)) {
        const outcome = compare(document);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (++total % EVERY === 0) console.log(`${total.toLocaleString('en')} …`);
      }
    }),
    { numRuns: Math.ceil(Number(documents) / FAMILY), seed: Number(seed) },
  );
  console.log(`\n${total.toLocaleString('en')} documents in ${((performance.now() - start) / 1000).toFixed(0)} s:\n`);
  for (const [outcome, count] of [...counts].sort((a, b) => b[1] - a[1])) {
    console.log(`${count.toLocaleString('en').padStart(10)}  ${outcome}`);
  }
}
