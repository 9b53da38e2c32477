import fc from 'fast-check';
import { compare } from '../packages/asmx/test/xml/kit/differential.ts';
import { family, seeds } from '../packages/asmx/test/xml/kit/documents.ts';
import type { BenchOptions } from './kit/bench.ts';
import { printGoal, printTable, progress } from './kit/report.ts';

export const summary =
  'a million generated and broken documents, read by the XML reader and by libxml2; each disagreement must be explained';

const FAMILY = 20;
const EVERY = 100_000;
const UNEXPLAINED = 'unexplained';

/** `npm run bench -- xml-differential [documents] [seed]`; the figures are how many documents came to each outcome. */
export async function run(
  [documents, seed = String(Date.now() % 2 ** 31)]: readonly string[],
  { quick }: BenchOptions,
): Promise<Record<string, number>> {
  const wanted = Number(documents ?? (quick ? 1_000 : 1_000_000));
  const counts = new Map<string, number>();
  let total = 0;
  console.log(`Seed ${seed}.`);
  fc.assert(
    fc.property(seeds, (made) => {
      for (const document of family(made, FAMILY)) {
        const outcome = outcomeOf(document);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (++total % EVERY === 0) progress(`${total.toLocaleString('en')} documents`);
      }
    }),
    { numRuns: Math.ceil(wanted / FAMILY), seed: Number(seed) },
  );
  const outcomes = [...counts].sort((a, b) => b[1] - a[1]);
  printTable(
    ['outcome', 'documents'],
    outcomes.map(([outcome, count]) => [outcome, count.toLocaleString('en')]),
  );
  const unexplained = counts.get(UNEXPLAINED) ?? 0;
  const found = `${unexplained} unexplained of ${total.toLocaleString('en')}`;
  printGoal('every disagreement explained', found, unexplained === 0);
  return Object.fromEntries(counts);
}

function outcomeOf(document: Uint8Array): string {
  try {
    return compare(document);
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    return UNEXPLAINED;
  }
}
