import { convert } from 'html-to-text';

/** The elements whose tags make a body HTML. Any other `<word` is text, such as an address or a comparison. */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr address article aside audio b base bdi bdo big blockquote body br button caption center cite code col ' +
    'colgroup data dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame ' +
    'frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark ' +
    'menu meta meter nav noframes noscript object ol optgroup option output p param picture pre progress q rp rt ruby s ' +
    'samp script search section select slot small source span strike strong style sub summary sup table tbody td ' +
    'template textarea tfoot th thead time title tr track tt u ul var video wbr'
  ).split(' '),
);

const LONGEST_NAME = 12;

/** Whether a body contains an HTML tag (semantics 5.7). One pass. */
export function isHtml(body: string): boolean {
  const lastEnd = body.lastIndexOf('>');
  for (let at = body.indexOf('<'); at >= 0 && at < lastEnd; at = body.indexOf('<', at + 1)) {
    if (body.startsWith('<!--', at) || /^<!doctype\s/i.test(body.slice(at, at + 11))) return true;
    const start = body[at + 1] === '/' ? at + 2 : at + 1;
    const name = /^[A-Za-z][A-Za-z0-9]*/.exec(body.slice(start, start + LONGEST_NAME))?.[0] ?? '';
    const next = body[start + name.length] ?? '';
    if (ELEMENTS.has(name.toLowerCase()) && /[\s/>]/.test(next)) return true;
  }
  return false;
}

/** Bounds on hostile HTML: deeply nested tags take quadratic time. */
const LIMITS = { maxInputLength: 100_000, maxDepth: 100, maxChildNodes: 20_000, ellipsis: '…' };

/** Returns the text of an HTML body, for readers that show no HTML. A very long body is cut. */
export function textOf(html: string): string {
  // Cut here, because the library would warn on standard error.
  return convert(html.slice(0, LIMITS.maxInputLength), {
    wordwrap: 78,
    limits: LIMITS,
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: 'img', format: 'skip' },
    ],
  });
}

/** Styles that hide an element from readers. */
const HIDDEN = ['[hidden]', ...['display:none', 'display: none', 'visibility:hidden', 'font-size:0'].map(styled)];

function styled(style: string): string {
  return `[style*="${style}"]`;
}

/** Returns the visible text of an HTML body, without link targets. A very long body is cut. */
export function seenTextOf(html: string): string {
  return convert(html.slice(0, LIMITS.maxInputLength), {
    wordwrap: false,
    limits: LIMITS,
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...HIDDEN.map((selector) => ({ selector, format: 'skip' })),
    ],
  });
}
