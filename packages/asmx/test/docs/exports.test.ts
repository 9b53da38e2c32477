import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const PACKAGES = ['packages/asmx', 'packages/asmx-tools'];

/** A declaration that can be imported: its text, and its docstring, empty when it has none. */
interface Declared {
  readonly name: string;
  readonly docstring: string;
  readonly text: string;
}

/** A docstring, comments of tools, and the declaration to the next line that begins at the margin. */
const DECLARATION = new RegExp(
  [
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?/,
    /(?:^\/\/.*\n)*/,
    /^(export (?:abstract |async )*(?:const|class|function|interface|type) (\w+)[\s\S]*?)/,
    /(?=\n[a-z/]|(?![\s\S]))/,
  ]
    .map(({ source }) => source)
    .join(''),
  'gm',
);
const FROM = /^export (?:type )?(\*|\{[^}]*\}) from '([^']+)'/gm;

/** What a module exports, from itself and from others. */
function exportsOf(file: string): readonly Declared[] {
  const source = readFileSync(file, 'utf8');
  const own = [...source.matchAll(DECLARATION)].map(([, docstring = '', text, name]) => ({
    name: name!,
    docstring: docstring.replaceAll(/\s*\n \*/g, ' ').trim(),
    text: text!,
  }));
  const others = [...source.matchAll(FROM)].flatMap(([, names, from]) => {
    const all = exportsOf(fileOf(from!, file));
    if (names === '*') return all;
    const words = names!.match(/\w+/g)!.filter((word) => word !== 'type');
    return words.map((word) => {
      const found = all.find(({ name }) => name === word);
      assert.ok(found, `${file} exports ${word} from ${from}, where it is not found`);
      return found;
    });
  });
  // Of overloads the first one has the docstring.
  return [...new Map([...others, ...own].reverse().map((one) => [one.name, one])).values()];
}

function fileOf(from: string, importer: string): string {
  const [, internal] = /^@ws01\/asmx\/internal\/(.+)$/.exec(from) ?? [];
  return internal === undefined
    ? join(dirname(importer), from)
    : join('packages/asmx/src', `${internal}.ts`);
}

/** What its docstring does not say. */
function missing({ docstring, text }: Declared): string | undefined {
  const [summary = ''] = docstring.split(/(?:^| )@(?:param|returns|throws)\b/);
  if (!/\S+ \S+/.test(summary)) return 'what it is';
  if (!/^export (?:async )?function/.test(text)) return undefined;
  const mayBeUndefined = /^(?:export .*)?\): [^=]*\| undefined>? \{$/m.test(text);
  if (mayBeUndefined && !/undefined|@returns/.test(docstring)) return 'when it returns undefined';
  if (/^ +throw new /m.test(text) && !/@throws/.test(docstring)) return 'what it throws';
  return undefined;
}

describe('the reference', () => {
  for (const home of PACKAGES) {
    const { name, exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    for (const [entry, { 'ws01-source': source }] of Object.entries<{ 'ws01-source': string }>(
      exports,
    )) {
      // For the packages beside it alone.
      if (entry.includes('*')) continue;
      it(`${join(name, entry)}: each export says what it is, and what it gives and throws`, () => {
        const declared = exportsOf(join(home, source));
        assert.ok(declared.length > 0);
        const silent = declared.map((one) => [one.name, missing(one)] as const);
        assert.deepEqual(
          silent.filter(([, what]) => what !== undefined),
          [],
        );
      });
    }
  }
});
