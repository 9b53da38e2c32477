/** Where a source can be changed so that a good test must notice. */
import { parseSync } from '@swc/core';

/** One change of one file. */
export interface Mutant {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** Bytes of the file, from and up to. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '&': '|',
  '|': '&',
};

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly span: Span;
  readonly [key: string]: unknown;
}

/** Every mutant of a TypeScript source. @param text without a byte order mark. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const bytes = Buffer.from(text);
  // Spans count bytes from wherever the parser was left; the empty statement shows where the file begins.
  const tree = parseSync(`;${text}`, { syntax: 'typescript', target: 'esnext' });
  const origin = (tree.body[0] as unknown as Node).span.start + 1;
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, after: string) => {
    const before = bytes.subarray(start, end).toString();
    const ahead = bytes.subarray(0, start).toString();
    mutants.push({
      file,
      line: ahead.split('\n').length,
      start,
      end,
      before,
      after,
    });
  };
  const visit = (node: Node) => {
    const [start, end] = [node.span.start - origin, node.span.end - origin];
    switch (node.type) {
      case 'BinaryExpression': {
        const [left, right] = [node.left as Node, node.right as Node];
        const operator = node.operator as string;
        const swapped = SWAPPED[operator];
        const from = left.span.end - origin;
        const between = bytes.subarray(from, right.span.start - origin).toString();
        const at = between.indexOf(operator);
        if (swapped !== undefined && at >= 0 && !isText(left) && !isText(right)) {
          add(
            from + Buffer.byteLength(between.slice(0, at)),
            from + Buffer.byteLength(between.slice(0, at)) + operator.length,
            swapped,
          );
        }
        break;
      }
      case 'IfStatement':
      case 'ConditionalExpression': {
        const test = node.test as Node;
        const [from, to] = [test.span.start - origin, test.span.end - origin];
        add(from, to, 'true as boolean');
        add(from, to, 'false as boolean');
        break;
      }
      case 'BooleanLiteral':
        add(start, end, node.value === true ? 'false' : 'true');
        break;
      case 'NumericLiteral':
        add(start, end, String(otherNumber(node.value as number)));
        break;
      case 'ExpressionStatement':
        if (isCall(node.expression as Node)) add(start, end, ';');
        break;
    }
    for (const [key, child] of Object.entries(node))
      if (key !== 'span' && !isTyping(node, key)) walk(child);
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value && 'span' in value && !/^Ts/.test(String(value.type)) === true)
        visit(value as Node);
      else if ('expression' in value || !('type' in value))
        for (const one of Object.values(value)) walk(one);
    }
  };
  walk(tree.body);
  return mutants;
}

/** Far enough away that it is another limit, size or time. */
function otherNumber(value: number): number {
  return value < 10 ? value + 1 : value * 10;
}

/** Texts are joined with `+`: to subtract them is no mistake that anybody makes. */
function isText(node: Node): boolean {
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral';
}

function isCall(node: Node): boolean {
  return (
    node.type === 'CallExpression' ||
    (node.type === 'AwaitExpression' && isCall(node.argument as Node))
  );
}

function isTyping(node: Node, key: string): boolean {
  return (
    /typeAnnotation|typeParams|typeArguments|returnType|implements/.test(key) ||
    node.type === 'ImportDeclaration'
  );
}
