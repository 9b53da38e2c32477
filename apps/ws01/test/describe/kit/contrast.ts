import type { Page } from 'playwright-core';

/** WCAG 2.2, success criterion 1.4.3: text of ordinary size. */
const LEAST_CONTRAST = 4.5;

interface ColouredText {
  readonly text: string;
  readonly color: string;
  /** Of the element and its ancestors, from the inside out. */
  readonly backgrounds: readonly string[];
}

/** The shown texts of a page whose contrast with what is behind them is too low to read. */
export async function lowContrast(page: Page): Promise<string[]> {
  const texts = await page.evaluate<ColouredText[]>(`
    [...document.body.querySelectorAll('*')]
      .filter((element) => !['SCRIPT', 'STYLE'].includes(element.tagName) && element.checkVisibility() &&
        [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''))
      .map((element) => {
        const backgrounds = [];
        for (let at = element; at; at = at.parentElement) backgrounds.push(getComputedStyle(at).backgroundColor);
        return { text: element.textContent.trim().slice(0, 60), color: getComputedStyle(element).color, backgrounds };
      })`);
  if (texts.length === 0) throw new Error('The page shows no text.');
  return texts
    .map(({ text, color, backgrounds }) => {
      const background =
        backgrounds.find((candidate) => !candidate.endsWith(', 0)')) ?? 'rgb(255, 255, 255)';
      return { text, color, background, ratio: contrast(color, background) };
    })
    .filter(({ ratio }) => ratio < LEAST_CONTRAST)
    .map(
      ({ text, color, background, ratio }) =>
        `${ratio.toFixed(2)}: ${color} on ${background}: ${text}`,
    );
}

/** The contrast ratio of two colours of the form `rgb(r, g, b)`: 1 to 21. */
function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = color
    .match(/[\d.]+/g)!
    .map((part) => Number(part) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
