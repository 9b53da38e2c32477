import { convert, type DomNode, type FormatCallback } from 'html-to-text';

/**
 * The elements whose tags make a body HTML. Any other `<word` is text, such as an address or a
 * comparison.
 */
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

/** An element as the parser links it to its neighbours. */
type Linked = DomNode & { readonly prev?: Linked | null; readonly parent?: Linked | null };

/**
 * Whether the nearest content before an element is a link. Blocks between them do not matter: they
 * are apart anyway.
 */
function followsLink(elem: Linked): boolean {
  let from: Linked | null | undefined = elem;
  while (from && !beforeOf(from)) from = from.parent;
  let last = from && beforeOf(from);
  while (last && last.name !== 'a') last = last.children?.at(-1) as Linked | undefined;
  return last?.name === 'a';
}

/** The node before a node, comments left out. */
function beforeOf(node: Linked): Linked | null | undefined {
  let before = node.prev;
  while (before?.type === 'comment') before = before.prev;
  return before;
}

/** What a link leads to; empty for a place in the mail itself. */
function addressOf({ attribs }: DomNode): string {
  const address = String(attribs.href ?? '').trim();
  return address.startsWith('#') ? '' : address.replace(/^mailto:/i, '');
}

/**
 * Writes a link as its label and `[address]`: the brackets keep the address apart from what follows
 * it.
 */
const link: FormatCallback = (elem, walk, builder) => {
  const address = addressOf(elem);
  let label = '';
  builder.pushWordTransform((word) => {
    label += word;
    return word;
  });
  if (followsLink(elem as Linked)) builder.addInline(' ');
  walk(elem.children, builder);
  builder.popWordTransform();
  if (address !== '' && address !== label)
    builder.addInline(` [${address}]`, { noWordTransform: true });
};

/**
 * The alternative text of a picture, which readers without pictures see in its place; without one
 * its title.
 */
const pictureText = ({ attribs }: DomNode) =>
  [attribs.alt, attribs.title].map((text) => String(text ?? '')).find((text) => text.trim() !== '');

/** Writes a picture as its text. */
const picture: FormatCallback = (elem, _, builder) => {
  const text = pictureText(elem);
  if (text !== undefined) builder.addInline(` ${text} `);
};

/** Writes a part of a picture that is a link as other links. */
const area: FormatCallback = (elem, _, builder) => {
  const address = addressOf(elem);
  const label = pictureText(elem);
  if (label !== undefined) builder.addInline(` ${label} `);
  if (address !== '') builder.addInline(` [${address}] `, { noWordTransform: true });
};

/** Returns the text of an HTML body, for readers that show no HTML. A very long body is cut. */
export function textOf(html: string): string {
  // Cut here, because the library would warn on standard error.
  return convert(html.slice(0, LIMITS.maxInputLength), {
    wordwrap: 78,
    limits: LIMITS,
    formatters: { link, picture, area },
    selectors: [
      { selector: 'a', format: 'link' },
      { selector: 'img', format: 'picture' },
      { selector: 'area', format: 'area' },
    ],
  });
}

/** Styles that hide an element from readers. */
const HIDDEN = [
  '[hidden]',
  ...['display:none', 'display: none', 'visibility:hidden', 'font-size:0'].map(styled),
];

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
