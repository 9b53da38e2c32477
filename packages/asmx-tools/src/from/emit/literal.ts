import { comment, quote } from '@ws01/asmx/internal/describe/source-text';

/** Lines of generated sources are no longer than this, as formatters have it. */
const WIDTH = 100;

/**
 * Plain data as a TypeScript literal, in one line where it fits.
 * @param indent how deep the line stands on which it begins, blanks. @param used how much of that line is taken.
 */
export function literal(value: unknown, indent = 0, used = indent): string {
  const short = inOneLine(value);
  if (used + short.length <= WIDTH || typeof value !== 'object' || value === null) return short;
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

function inOneLine(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  const members = entriesOf(value).map(([key, member]) => `${keyOf(key)}: ${inOneLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** A key of an object literal. */
export function keyOf(name: string): string {
  // In a literal, __proto__ as a plain key would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : quote(name);
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
