import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * A style sheet or script that is in the page itself, with the CSP source that admits exactly it.
 */
interface Asset {
  readonly text: string;
  /** `'sha256-…'`, quotes included (CSP Level 3, 2.3.1). */
  readonly cspSource: string;
}

/**
 * The files are read once, when the module is loaded; they are next to this one, in `dist/`, too.
 */
export const PAGE_STYLE = readAsset('page.css');
export const PAGE_SCRIPT = readAsset('page.js');

function readAsset(name: string): Asset {
  // Browsers hash what their parser made of it, and that turns CRLF, which a checkout may have,
  // into LF.
  const text = readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll('\r\n', '\n');
  const hash = createHash('sha256').update(text).digest('base64');
  return { text, cspSource: `'sha256-${hash}'` };
}
