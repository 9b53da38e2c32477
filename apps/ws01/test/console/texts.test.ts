import assert from 'node:assert/strict';
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

test('the language is the one chosen, else the first of the browser’s that there is', () => {
  assert.equal(languageOf('zh', 'en'), 'zh');
  assert.equal(languageOf('constructor', 'de-DE, zh-CN;q=0.8, en;q=0.5'), 'zh');
  assert.equal(languageOf(undefined, 'fr, en'), 'en');
  assert.equal(languageOf(undefined, undefined), 'en');
});
