import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defineLimits } from '../../src/contract/limits.ts';
import { createXmlReader, type XmlHandler } from '../../src/xml/reader.ts';
import { escapeText } from '../../src/xml/writer.ts';
import { read } from './kit/reading.ts';

/** Every regular expression of the reader, why its time is linear, and how long the text is that it is given. */
const EXPRESSIONS: ReadonlyMap<string, string> = new Map([
  ['/[&<>\\r]/g', 'one character class, of a text to be written'],
  [
    '/[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]/',
    'one character class, of a slice of the document or a text to be written',
  ],
  ['/\\r\\n/g', 'two fixed characters, of a slice of the document'],
  ['/^[A-Za-z][A-Za-z0-9._-]*$/', 'one repetition up to the end, of a name of an encoding'],
  [
    '/^[\\0\\t\\n\\r ]*$/',
    'one repetition up to the end, of what a slice of the document holds from a NUL on',
  ],
  ['/^1\\.[0-9]+$/', 'one repetition up to the end, of a version number'],
  ['/^utf-(?:16|32)/', 'fixed lengths at the beginning, of a name of an encoding'],
]);
const FOLDER = 'packages/asmx/src/xml';

test('structure: no regular expression of the reader can go back, and there are no others than these', () => {
  const found = new Set<string>();
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const code = readFileSync(join(FOLDER, file), 'utf8').replaceAll(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
      '',
    );
    // To replace one fixed text by another takes no expression.
    assert.doesNotMatch(code, /\bRegExp\b|\.match|\.split\(|replaceAll\((?!['"])/, file);
    for (const [, expression] of code.matchAll(
      /[=(,!]\s*(\/(?![*/])(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\[\n])+\/[a-z]*)/g,
    )) {
      found.add(expression!);
    }
  }
  assert.deepEqual([...found].sort(), [...EXPRESSIONS.keys()].sort());
});

test('structure: depth costs no stack: 100,000 open elements are read, in each mode', () => {
  const depth = 100_000;
  const limits = defineLimits({ bodyBytes: 2 ** 30, depth, elements: depth });
  for (const mode of ['skip', 'elements', 'text'] as const) {
    let open = 0;
    const handler: XmlHandler = {
      open() {
        open++;
        return mode;
      },
      text() {},
      close() {
        open--;
      },
    };
    const reader = createXmlReader(handler, { limits });
    reader.push(Buffer.from('<a>'.repeat(depth)));
    reader.push(Buffer.from('</a>'.repeat(depth)));
    reader.end();
    assert.equal(open, 0);
  }
});

test('structure: names of Object.prototype are names like any other, wherever a name may stand', () => {
  for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'prototype']) {
    const { events, error } = read(
      `<${name}:${name} xmlns:${name}="${name}" ${name}="1" ${name}:${name}="2"><?${name} ${name}?></${name}:${name}>`,
    );
    assert.equal(error, undefined, name);
    assert.deepEqual(events, [
      `<{${name}}${name}:${name} ${name}="1" {${name}}${name}:${name}="2">`,
      '/',
    ]);
    assert.equal(read(`<a>&${name};</a>`).error?.code, 'malformed');
    assert.equal(read(`<${name}:a/>`).error?.code, 'namespace');
    assert.ok(read(`<?xml version="1.0" encoding="${name}"?><a/>`).error !== undefined, name);
    assert.equal(escapeText(name), name);
  }
});
