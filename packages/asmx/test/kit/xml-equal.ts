import { XmlCData, XmlDocument, XmlElement, XmlText } from 'libxml2-wasm';

/** An element as it is compared: names expanded, values in their value spaces. */
interface Tree {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** `undefined` where only blanks stand around children. */
  readonly text: string | undefined;
  readonly children: readonly Tree[];
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XSD = 'http://www.w3.org/2001/XMLSchema';
const DATE_TIME = /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;
const QUALIFIED = /^([\p{L}_][\w.-]*):([\p{L}_][\w.-]*)$/u;

/** The element's children in the body of an envelope, as libxml2 reads them. */
export function bodyOf(envelope: string): readonly Tree[] {
  const document = XmlDocument.fromString(envelope);
  try {
    const body = elementsOf(document.root).find(({ name }) => name === 'Body');
    return body === undefined ? [] : elementsOf(body).map(treeOf);
  } finally {
    document.dispose();
  }
}

/** The first difference between two elements; `undefined` for none. The names of the two themselves do not count. */
export function difference(given: Tree, answered: Tree, path = ''): string | undefined {
  const isSchema = given.name === `{${XSD}}schema` && answered.name === given.name;
  if (isSchema) {
    const [before, after] = [given, answered].map((each) => columnTypes(each).sort().join());
    return before === after ? undefined : `${path}: the types of columns`;
  }
  for (const name of new Set([...given.attributes.keys(), ...answered.attributes.keys()])) {
    const [before, after] = [given.attributes.get(name), answered.attributes.get(name)];
    if (before !== after) return `${path}/@${name}: ${before} became ${after}`;
  }
  const isToken = path.endsWith('/Token') && collapsed(given.text) === collapsed(answered.text);
  if (!isToken && !alike(given.text, answered.text))
    return `${path}: ${JSON.stringify(given.text)} became ${JSON.stringify(answered.text)}`;
  for (const [index, child] of given.children.entries()) {
    const other = answered.children[index];
    if (other === undefined) return `${path}: ${child.name} is gone`;
    if (child.name !== other.name) return `${path}: ${child.name} became ${other.name}`;
    const found = difference(child, other, `${path}/${child.name.replace(/^\{.*\}/, '')}`);
    if (found !== undefined) return found;
  }
  const more = answered.children[given.children.length];
  return more === undefined ? undefined : `${path}: ${more.name} was not there`;
}

/** A text whose blanks mean nothing. */
function collapsed(text = ''): string {
  return text.replace(/\s+/g, ' ').trim();
}

function elementsOf(element: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  for (let at = element.firstChild; at !== null; at = at.next)
    if (at instanceof XmlElement) found.push(at);
  return found;
}

function treeOf(element: XmlElement): Tree {
  const children = elementsOf(element);
  let text = '';
  for (let at = element.firstChild; at !== null; at = at.next)
    if (at instanceof XmlText || at instanceof XmlCData) text += at.content;
  const attributes = element.attrs.map((attribute) => {
    const name = `{${attribute.namespaceUri}}${attribute.name}`;
    const isType = name === `{${XSI}}type`;
    return [
      name,
      isType ? qualified(element, attribute.value) : meaningOf(element, attribute.value),
    ];
  });
  return {
    name: `{${element.namespaceUri}}${element.name}`,
    attributes: new Map(attributes as [string, string][]),
    text: children.length > 0 && text.trim() === '' ? undefined : meaningOf(element, text),
    children: children.map(treeOf),
  };
}

function qualified(element: XmlElement, text: string): string {
  const [before = '', after] = text.trim().split(':');
  return `{${element.namespaceForPrefix(after === undefined ? '' : before) ?? ''}}${after ?? before}`;
}

/** A text as what it means: an instant with or without zone, names by their namespaces; others as they are. */
function meaningOf(element: XmlElement, text: string): string {
  const trimmed = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  const date = DATE_TIME.exec(trimmed);
  if (date !== null) {
    const [, local = '', fraction = '', zone] = date;
    const ticks = fraction.replace(/0+$/, '');
    const instant = Date.parse(`${local}${zone ?? 'Z'}`);
    return `${zone === undefined ? 'local' : 'zoned'} ${instant} ${ticks}`;
  }
  const names = trimmed.split(/[ \t\r\n]+/);
  const areNames = names.every((each) => {
    const [, prefix] = QUALIFIED.exec(each) ?? [];
    return prefix !== undefined && element.namespaceForPrefix(prefix) !== null;
  });
  return areNames ? names.map((each) => qualified(element, each)).join(' ') : text;
}

/** Equal texts, and texts of one number: as decimals where both are such, else to the digits of a double or float. */
function alike(given: string | undefined, answered: string | undefined): boolean {
  if (given === answered) return true;
  if (given === undefined || answered === undefined) return false;
  const [a, b] = [given, answered].map((text) => decimalOf(text.trim()));
  if (a === undefined || b === undefined) return false;
  if (a.text === b.text) return true;
  const digits = Math.max(a.digits, b.digits);
  const [x, y] = [Number(given), Number(answered)];
  return digits <= 17 && (x === y || (digits <= 9 && Math.fround(x) === Math.fround(y)));
}

/** A number's exact value. */
function decimalOf(text: string): { readonly text: string; readonly digits: number } | undefined {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null || !/\d/.test(text) || text.length > 400) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = parts;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { text: '0', digits: 1 };
  const exponent = Number(power) - fraction.length + (all.length - digits.length);
  return { text: `${sign === '-' ? '-' : ''}${digits}e${exponent}`, digits: digits.length };
}

function columnTypes({ attributes, children }: Tree): string[] {
  const own = [...attributes].filter(([name]) => name.endsWith('}DataType'));
  return [...own.map(([, type]) => type), ...children.flatMap(columnTypes)];
}
