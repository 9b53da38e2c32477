/**
 * The grammar of ASP.NET's JavaScriptSerializer, read the plain way: an oracle for the incremental reader.
 * @returns whether a text is one object of it. NULs behind the object belong to no grammar, and are passed over.
 */
export function isScriptObject(text: string): boolean {
  const rest = object(text.replace(/^\ufeff/, '').replace(/^[ \t\r\n]+/, ''), '{');
  return rest !== undefined && /^[ \t\r\n\0]*$/.test(rest);
}

type Rest = string | undefined;

const skip = (text: string): string => text.replace(/^[ \t\r\n]+/, '');

function token(text: Rest, expected: RegExp): Rest {
  const found = text === undefined ? null : expected.exec(skip(text));
  return found === null ? undefined : skip(text!).slice(found[0].length);
}

const STRING =
  /^(?:"(?:[^"\\]|\\(?:["'\\/bfnrt]|u[\da-fA-F]{4}))*"|'(?:[^'\\]|\\(?:["'\\/bfnrt]|u[\da-fA-F]{4}))*')/;
const BARE = /^(?:[\w$+.-]|[^\0-\u00a0])+/;
const LITERAL = /^(?:[\w$+.-]|[^\0-\u00a0])+/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const HALF =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F]/;

function string(text: Rest): Rest {
  const found = text === undefined ? null : STRING.exec(skip(text));
  if (found === null || HALF.test(found[0].replaceAll('\\\\', ''))) return undefined;
  return skip(text!).slice(found[0].length);
}

function value(text: Rest): Rest {
  const next = skip(text ?? '')[0];
  if (next === '{') return object(text, '{');
  if (next === '[') return object(text, '[');
  if (next === '"' || next === "'") return string(text);
  const literal = LITERAL.exec(skip(text ?? ''))?.[0];
  if (
    literal === undefined ||
    !(['true', 'false', 'null'].includes(literal) || NUMBER.test(literal))
  )
    return undefined;
  return skip(text!).slice(literal.length);
}

function member(text: Rest): Rest {
  return value(token(string(text) ?? token(text, BARE), /^:/));
}

function object(text: Rest, opening: '{' | '['): Rest {
  const [item, close] = opening === '{' ? [member, /^\}/] : [value, /^\]/];
  let rest = token(text, opening === '{' ? /^\{/ : /^\[/);
  if (rest === undefined) return undefined;
  const empty = token(rest, close);
  if (empty !== undefined) return empty;
  while (true) {
    rest = item(rest);
    const closed = token(rest, close);
    if (closed !== undefined) return closed;
    rest = token(rest, /^,/);
    if (rest === undefined) return undefined;
  }
}
