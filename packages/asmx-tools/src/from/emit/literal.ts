import { comment, propertyKey, quote } from '@ws01/asmx/internal/describe/source-text';

/** Lines of generated sources are no longer than this, as formatters have it. */
const WIDTH = 100;

/**
 * Plain data as a TypeScript literal, in one line where it fits.
 * @param indent how deep the line stands on which it begins, blanks. @param used how much of that line is taken.
 */
export function literal(value: unknown, indent = 0, used = indent): string {
  const isWhole = typeof value === 'object' && value !== null;
  const short = inOneLine(value, isWhole ? WIDTH - used : Number.POSITIVE_INFINITY);
  if (short !== undefined || !isWhole) return short ?? '';
  const inner = ' '.repeat(indent + 2);
  const end = ' '.repeat(indent);
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${literal(item, indent + 2)},\n`);
    return `[\n${items.join('')}${end}]`;
  }
  const members = entriesOf(value).map(([key, member]) => {
    const head = `${keyOf(key)}: `;
    return `${inner}${head}${literal(member, indent + 2, indent + 2 + head.length)},\n`;
  });
  return `{\n${members.join('')}${end}}`;
}

/** @returns `undefined` for what has no room in it, which is found out as soon as it shows. */
function inOneLine(value: unknown, room: number): string | undefined {
  if (typeof value !== 'object' || value === null) {
    const text = typeof value === 'string' ? quote(value) : String(value);
    return text.length <= room ? text : undefined;
  }
  const isList = Array.isArray(value);
  const members = isList ? value.map((item) => ['', item] as const) : entriesOf(value);
  if (members.length === 0) return isList ? '[]' : '{}';
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  let text = open;
  for (const [key, member] of members) {
    const head = `${text === open ? '' : ', '}${isList ? '' : `${keyOf(key)}: `}`;
    const part = inOneLine(member, room - text.length - head.length - close.length);
    if (part === undefined) return undefined;
    text += head + part;
  }
  return text + close;
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** A key of an object literal. */
export function keyOf(name: string): string {
  // In a literal, __proto__ as a plain key would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return propertyKey(name);
}

/** How a member is named behind its object: `.name`, or `['other name']`. */
export function memberOf(name: string): string {
  return keyOf(name) === name ? `.${name}` : `[${quote(name)}]`;
}

/** A text in a line of Markdown: nothing in it means anything there. */
export function prose(text: string): string {
  return comment(text).replaceAll(/[\\`*_[\]<>|&]/g, '\\$&');
}

/** A text as code in a line of Markdown. */
export function code(text: string): string {
  const line = comment(text);
  const fence = '`'.repeat(
    1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)),
  );
  return line.includes('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}
