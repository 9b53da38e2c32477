/** The names of the tests in a file, read from its source. */
import { parseSync } from '@swc/core';

/** A test, suite or rule of a table of rules. */
export interface NamedTest {
  /** The names around it and its own, outermost first; `${…}` stands as `…`. */
  readonly path: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const DECLARERS = new Set(['describe', 'it', 'suite', 'test']);

/**
 * The tests that a file declares, in order: calls of `describe`, `it`, `suite` and `test` (also `t.test`), and functions
 * in object literals under a name in quotes, which are the rules that a test runs one by one. A name that is not written
 * out, but handed in, has none here. What is skipped or still to be done is no test.
 */
export function testsOf(source: string): NamedTest[] {
  const found: NamedTest[] = [];
  visit(parseSync(source, { syntax: 'typescript' }), [], found);
  return found;
}

function visit(value: unknown, around: readonly string[], found: NamedTest[]): void {
  if (Array.isArray(value)) {
    for (const one of value) visit(one, around, found);
  } else if (isNode(value)) {
    if (value.type === 'CallExpression' && isSkipped(value)) return;
    const name = value.type === 'CallExpression' ? declared(value) : ruleName(value);
    const path = name === undefined ? around : [...around, name];
    if (name !== undefined) found.push({ path });
    for (const child of Object.values(value)) visit(child, path, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) visit(child, around, found);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** The name of what is called, such as `test` of `t.test`; of `it.skip` both. */
function calleeOf(call: Node): readonly string[] {
  const callee = call.callee as Node;
  if (callee.type === 'Identifier') return [callee.value as string];
  if (callee.type !== 'MemberExpression') return [];
  const object = callee.object as Node;
  const property = (callee.property as Node).value as string;
  return object.type === 'Identifier' ? [object.value as string, property] : [property];
}

const argumentsOf = (call: Node) =>
  (call.arguments as { expression: Node }[]).map(({ expression }) => expression);

function declared(call: Node): string | undefined {
  if (!DECLARERS.has(calleeOf(call).at(-1) ?? '')) return undefined;
  const [name] = argumentsOf(call);
  if (name?.type === 'StringLiteral') return name.value as string;
  if (name?.type !== 'TemplateLiteral') return undefined;
  return (name.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('…');
}

function isSkipped(call: Node): boolean {
  const callee = calleeOf(call);
  if (DECLARERS.has(callee[0] ?? '') && ['skip', 'todo'].includes(callee[1] ?? '')) return true;
  if (!DECLARERS.has(callee.at(-1) ?? '')) return false;
  return argumentsOf(call).some(
    ({ type, properties }) =>
      type === 'ObjectExpression' &&
      (properties as Node[]).some(({ key }) =>
        ['skip', 'todo'].includes(((key as Node)?.value as string) ?? ''),
      ),
  );
}

function ruleName(node: Node): string | undefined {
  if (node.type !== 'KeyValueProperty') return undefined;
  const [key, value] = [node.key as Node, node.value as Node];
  return key.type === 'StringLiteral' && value.type === 'ArrowFunctionExpression'
    ? (key.value as string)
    : undefined;
}
