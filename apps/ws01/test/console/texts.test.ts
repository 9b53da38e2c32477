import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { languageOf } from '../../src/console/language.ts';
import { en } from '../../src/console/texts/en.ts';
import { zh } from '../../src/console/texts/zh.ts';

test('every text is there in each language, with the same values in its braces', () => {
  assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [key, text] of Object.entries(en)) {
    assert.deepEqual(values(zh[key as keyof typeof en]), values(text), key);
    assert.notEqual(text.trim(), '');
    assert.notEqual(zh[key as keyof typeof en].trim(), '');
  }
});

test('every text and every class of the style sheet is used', () => {
  const src = new URL('../../src/', import.meta.url);
  const sources = globSync('**/*.{ts,js}', { cwd: src }).filter((file) => !file.includes('texts'));
  const texts = sources.map((file) => readFileSync(new URL(file, src), 'utf8'));
  const words = new Set(texts.flatMap((text) => [...(text.match(/[\w.-]+/g) ?? []), ...(text.match(/[\w-]+/g) ?? [])]));
  // Of keys that are put together, as `field.${name}`, the last part stands in the source.
  const isUsed = (key: string) => words.has(key) || (MADE.has(key.split('.')[0]!) && words.has(key.split('.').at(-1)!));
  assert.deepEqual(
    Object.keys(en).filter((key) => !isUsed(key)),
    [],
  );
  const css = readFileSync(new URL('console/assets/console.css', src), 'utf8');
  const classes = new Set([...css.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!));
  // htmx sets its own.
  const unused = [...classes].filter((name) => !words.has(name) && !name.startsWith('htmx-'));
  assert.deepEqual(unused, []);
});

/** First parts of keys that the source puts together. */
const MADE = new Set(['action', 'role', 'value', 'verb', 'kind', 'field', 'visits', 'overview']);

test('the language is the one chosen, else the first of the browser’s that there is', () => {
  assert.equal(languageOf('zh', 'en'), 'zh');
  assert.equal(languageOf('constructor', 'de-DE, zh-CN;q=0.8, en;q=0.5'), 'zh');
  assert.equal(languageOf(undefined, 'fr, en'), 'en');
  assert.equal(languageOf(undefined, undefined), 'en');
});
