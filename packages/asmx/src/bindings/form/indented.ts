/** Comments, CDATA sections, instructions, tags with whatever their attributes hold, and texts. */
const PIECES =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|[^<]+/g;

/**
 * Indents a well-formed document as .NET's XmlTextWriter does, which writes the answers of GET and
 * POST: by two blanks, with CR LF. It changes nothing inside an element that holds text.
 */
export function indented(xml: string): string {
  // The content of each open element: nothing yet, elements, or text.
  const open: ('empty' | 'elements' | 'text')[] = [];
  let made = '';
  const line = (): void => {
    if (open.length > 0 && open.at(-1) !== 'text') made += `\r\n${'  '.repeat(open.length)}`;
  };
  for (const [piece] of xml.matchAll(PIECES)) {
    if (!piece.startsWith('<') || piece.startsWith('<![')) {
      open[open.length - 1] = 'text';
    } else if (piece.startsWith('</')) {
      if (open.pop() === 'elements') made += `\r\n${'  '.repeat(open.length)}`;
    } else {
      line();
      const holdsText = open.at(-1) === 'text';
      if (open.length > 0 && !holdsText) open[open.length - 1] = 'elements';
      const isStart = !piece.endsWith('/>') && !piece.startsWith('<!') && !piece.startsWith('<?');
      if (isStart) open.push(holdsText ? 'text' : 'empty');
    }
    made += piece;
  }
  return made;
}
