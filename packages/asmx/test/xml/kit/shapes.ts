/** A hostile document whose size grows with n: well-formed, but for limits. */
export interface Shape {
  readonly name: string;
  make(n: number): string;
}

const list = (count: number, item: (i: number) => string): string => {
  const items: string[] = [];
  for (let i = 0; i < count; i++) items.push(item(i));
  return items.join('');
};
const inside = (content: string): string => `<a>${content}</a>`;
const LONG = 'x'.repeat(500);

/** Every way in which a document can be large; what costs more than its share in other readers is among them. */
export const SHAPES: readonly Shape[] = [
  { name: 'depth', make: (n) => '<a>'.repeat(n) + '</a>'.repeat(n) },
  { name: 'elements', make: (n) => inside('<b/>'.repeat(n)) },
  { name: 'elements with text', make: (n) => inside('<b>x</b>\n'.repeat(n)) },
  { name: 'attributes of one element', make: (n) => `<a${list(n, (i) => ` b${i}=""`)}/>` },
  {
    name: 'prefixed attributes of one element',
    make: (n) => `<a xmlns:p="u"${list(n, (i) => ` p:b${i}=""`)}/>`,
  },
  { name: 'attributes of many elements', make: (n) => inside('<b c="1" d="2"/>'.repeat(n)) },
  {
    name: 'namespaces on one element',
    make: (n) => `<a${list(n, (i) => ` xmlns:p${i}="u:${i}"`)}/>`,
  },
  {
    name: 'namespaces on one element, all used',
    make: (n) => `<a${list(n, (i) => ` xmlns:p${i}="u:${i}" p${i}:b=""`)}/>`,
  },
  {
    name: 'namespaces nested',
    make: (n) => list(n, (i) => `<a xmlns:p${i}="u:${i}">`) + '</a>'.repeat(n),
  },
  {
    name: 'namespaces nested, the same prefix',
    make: (n) => list(n, (i) => `<p:a xmlns:p="u:${i}">`) + '</p:a>'.repeat(n),
  },
  {
    name: 'default namespaces nested',
    make: (n) => list(n, (i) => `<a xmlns="u:${i}">`) + '</a>'.repeat(n),
  },
  {
    name: 'an outer prefix under many inner ones',
    make: (n) =>
      `<a xmlns:o="u">${list(n, (i) => `<o:b xmlns:p${i}="v">`)}${'</o:b>'.repeat(n)}</a>`,
  },
  {
    name: 'long namespace names compared',
    make: (n) => `<a xmlns:p="${LONG}1" xmlns:q="${LONG}2">${'<b p:c="" q:c=""/>'.repeat(n)}</a>`,
  },
  { name: 'an element name', make: (n) => `<${'x'.repeat(n)}></${'x'.repeat(n)}>` },
  { name: 'an attribute name', make: (n) => `<a ${'x'.repeat(n)}=""/>` },
  {
    name: 'names of many elements, all different',
    make: (n) => inside(list(n, (i) => `<b${i}/>`)),
  },
  { name: 'an attribute value', make: (n) => `<a b="${'x'.repeat(n)}"/>` },
  { name: 'an attribute value of references', make: (n) => `<a b="${'&lt;'.repeat(n)}"/>` },
  { name: 'an attribute value of white space', make: (n) => `<a b="${'\n\t'.repeat(n)}"/>` },
  { name: 'text', make: (n) => inside('x'.repeat(n)) },
  { name: 'text of CJK', make: (n) => inside('中'.repeat(n)) },
  { name: 'text of brackets', make: (n) => inside(']'.repeat(n)) },
  { name: 'text of line ends', make: (n) => inside('\r\n'.repeat(n)) },
  {
    name: 'white space in tags',
    make: (n) => `<a${' '.repeat(n)}b${'\n'.repeat(n)}=${'\t'.repeat(n)}""></a${' '.repeat(n)}>`,
  },
  { name: 'white space around the root', make: (n) => `${' '.repeat(n)}<a/>${'\n'.repeat(n)}` },
  { name: 'a comment', make: (n) => `<!--${'- '.repeat(n)}--><a/>` },
  { name: 'comments', make: (n) => inside('<!---->'.repeat(n)) },
  { name: 'comments between text', make: (n) => inside('x<!---->'.repeat(n)) },
  { name: 'an instruction', make: (n) => `<?p ${'? '.repeat(n)}?><a/>` },
  { name: 'instructions', make: (n) => inside('<?p?>'.repeat(n)) },
  { name: 'a CDATA section', make: (n) => inside(`<![CDATA[${']] '.repeat(n)}]]>`) },
  { name: 'CDATA sections', make: (n) => inside('<![CDATA[]]>'.repeat(n)) },
  { name: 'CDATA sections with text', make: (n) => inside('<![CDATA[x]]>'.repeat(n)) },
  { name: 'character references', make: (n) => inside('&#65;'.repeat(n)) },
  { name: 'a character reference', make: (n) => inside(`&#${'0'.repeat(n)}65;`) },
  { name: 'pairs of surrogate references', make: (n) => inside('&#xD83D;&#xDE00;'.repeat(n)) },
  { name: 'entities', make: (n) => inside('&amp;'.repeat(n)) },
  { name: 'entities, each kind by turns', make: (n) => inside('&lt;x&apos;'.repeat(n)) },
];
