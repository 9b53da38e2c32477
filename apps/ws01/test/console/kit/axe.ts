import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Rules whose answer depends on size and colours. */
export const RULES_OF_LOOKS = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
];

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe-core finds wrong with a page by WCAG 2.2 A and AA and by good practice, or by some rules alone: a line each,
 * with where.
 * @param without selectors of what is not looked at.
 */
export async function violationsOf(
  page: Page,
  runOnly: readonly string[] = STANDARDS,
  without: readonly string[] = [],
): Promise<string[]> {
  // What is still to come, such as its style, has a part in what is right.
  await page.waitForLoadState();
  // Half a megabyte, for which a browser takes half a second.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(SOURCE);
  // What is still moving has not its size and colour yet. A rotating sign never ends.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime !== Infinity).map((one) => one.finished))`);
  const options = { iframes: false, resultTypes: ['violations'], runOnly };
  // A text: `axe` is known to the page alone.
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(${JSON.stringify({ exclude: without.map((one) => [one]) })}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
