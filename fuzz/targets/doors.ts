import assert from 'node:assert/strict';
import { isAbsolute, relative } from 'node:path';
import { isFileName, isObjectKey, placeIn } from '../../apps/ws01/src/adapters/files/names.ts';
import { readCursor, writeCursor } from '../../apps/ws01/src/api/cursor.ts';
import { readQuery } from '../../apps/ws01/src/api/schema.ts';
import { Ws01Error } from '../../apps/ws01/src/contract/errors.ts';
import { DATABASES, parseManifest } from '../../apps/ws01/src/domain/backup/manifest.ts';
import { DependencyError } from '../../apps/ws01/src/failure/dependency-error.ts';
import { LexicalError } from '../../packages/asmx/src/lexical/lexical-error.ts';
import { Pattern } from '../../packages/asmx/src/lexical/pattern/pattern.ts';
import { PatternError } from '../../packages/asmx/src/lexical/pattern/pattern-error.ts';
import { bytesBody } from '../../packages/asmx/src/message/http.ts';
import type { UpstreamRequest } from '../../packages/asmx/src/node/upstream/ask.ts';
import { passThrough } from '../../packages/asmx/src/node/upstream/pass-through.ts';
import { outcome } from '../kit/outcome.ts';
import type { Target } from '../kit/target.ts';

/** A pattern and a text, divided by the first of these. */
const DIVIDER = '\n';

/** What patterns of XML Schema and of JavaScript both have, and mean alike for the letters a to c. */
const COMMON = /^[abc()|*+?{},0-9[\]-]{0,12}$/;

const OLD_PATH = '/app/Old.asmx';
const UNREACHED = { status: 404, headers: {}, body: '' };

/** What a request to `/Old.asmx` asks the old server for; `undefined` when it asks nothing. */
async function passedOn(method: string, target: string): Promise<UpstreamRequest | undefined> {
  let asked: UpstreamRequest | undefined;
  const ask = (request: UpstreamRequest) => {
    asked = request;
    return Promise.resolve({ status: 200, headers: [], body: Buffer.alloc(0) });
  };
  const endpoint = {
    request: () => Promise.resolve(UNREACHED),
    arriving: () => assert.fail('a whole body does not arrive'),
  };
  const { request } = passThrough(endpoint, {
    upstream: { ask } as never,
    upstreamPath: OLD_PATH,
    paths: ['/Old.asmx'],
    answers: (operation) => operation === 'Ours',
    requestBytes: 1_000,
  });
  const body = bytesBody(Buffer.alloc(0));
  await request({ method, target, headers: {}, remoteAddress: '192.0.2.1', body } as never);
  return asked;
}

const FILTERS = {
  text: { type: 'string', maxLength: 20 },
  word: { type: 'string', enum: ['one', 'two'] },
  number: { type: 'integer', minimum: 1, maximum: 100, default: 5 },
  at: { type: 'string', format: 'date-time' },
  flag: { type: 'boolean' },
} as const;

/** What comes through the doors beside the endpoint's, and from foreign contracts and backups. */
export const DOOR_TARGETS: readonly Target[] = [
  {
    name: 'pattern',
    summary:
      'patterns of XML Schema: refused with a word, or matched as JavaScript does, in bounded work',
    seeds: ['(a|b)*c\nabac', '[a-c-[b]]+\nac', '\\p{Lu}{2,3}\nAB', '(a+b?)+\naab', 'a{0,3}|b\n'],
    tokens: [
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{1,3}',
      '{0}',
      '[^',
      ']',
      '-[',
      '\\p{',
      '\\i',
      '\\c',
      '.',
    ],
    run(input) {
      const [form = '', ...rest] = input.toString('utf8').split(DIVIDER);
      const text = rest.join(DIVIDER);
      const made = outcome(() => new Pattern(form), PatternError).value;
      if (made === undefined) return;
      const found = outcome(() => made.matches(text), LexicalError);
      assert.deepEqual(
        outcome(() => made.matches(text), LexicalError),
        found,
        'as it did before',
      );
      assert.ok(made.steps < 2 * (text.length + 8_100_000), `${made.steps} steps`);
      if (!COMMON.test(form) || !/^[abc]{0,12}$/.test(text)) return;
      const same = outcome(() => new RegExp(`^(?:${form})$`, 'u').test(text), SyntaxError).value;
      if (same !== undefined) assert.equal(found.value, same, 'JavaScript has it otherwise');
    },
  },
  {
    name: 'restore',
    summary: 'names and manifests of foreign backups: refused, or within the folder they are for',
    seeds: [
      '0123abcd.png',
      'aa/../../planted',
      '{"format":1,"engine":"sqlite","madeAt":1,"database":{"file":"ws01.sqlite","bytes":1,"sha256":"x"},"rows":{},"verified":{"at":1,"by":"read"}}',
    ],
    tokens: [
      '..',
      '/',
      '\\',
      '\0',
      '\n',
      '.',
      '"file"',
      '"ws01.dump"',
      '1e999',
      'null',
      '__proto__',
    ],
    run(input) {
      const text = input.toString('utf8');
      const inside = (path: string) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..');
      if (isFileName(text)) assert.ok(inside(relative('/data', placeIn('/data', text))), text);
      else assert.throws(() => placeIn('/data', text));
      // The client escapes what else a key has.
      if (isObjectKey(text))
        assert.ok(!text.split('/').some((part) => ['', '.', '..'].includes(part)));
      const { value } = outcome(() => parseManifest(text, 'it'), DependencyError);
      if (value !== undefined) assert.ok(DATABASES.includes(value.database.file));
    },
  },
  {
    name: 'passed-on',
    summary:
      'targets that are passed on to an old server: an operation of its service and nothing else',
    seeds: [
      'G/Old.asmx/Add?a=1',
      'P/old.ASMX/%E4%BD%A0',
      'G/Old.asmx/%2e%2e/secret',
      'D//Old.asmx/Add',
    ],
    tokens: [
      '/Old.asmx/',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '\\',
      '//',
      ';',
      '?',
      '#',
      '%00',
      '%25',
      'http://x',
      '@',
    ],
    async run(input) {
      const text = input.toString('latin1').replaceAll(/[^!-~]/g, '');
      const method = { G: 'GET', P: 'POST', D: 'DELETE' }[text[0] ?? ''] ?? text.slice(0, 4);
      const asked = await passedOn(method, text.slice(1) || '/');
      if (asked === undefined) return;
      const [path = ''] = asked.target.split('?');
      assert.ok(asked.method === 'GET' || asked.method === 'POST', asked.method);
      assert.ok(path === OLD_PATH || path.startsWith(`${OLD_PATH}/`), asked.target);
      const name = decodeURIComponent(path.slice(OLD_PATH.length + 1));
      assert.doesNotMatch(name, /[/\\%?#;\0]|^\.|\.\.|\.$/, asked.target);
      assert.equal(new URL(path, 'http://old.example').pathname, path);
      assert.notEqual(name, 'Ours');
    },
  },
  {
    name: 'cursor',
    summary:
      'cursors of lists: refused with a code, or values of the columns, read back as themselves',
    seeds: [writeCursor('-created', [1, 'key']), writeCursor('name', ['x']), 'W10', ''],
    tokens: ['W', '"', '-created', 'e30', 'null', '1e400', '\\u0000', '\\ud800', '__proto__'],
    run(input) {
      const columns = [{ type: 'number' }, { type: 'string' }] as const;
      for (const text of [input.toString('latin1'), input.toString('base64url')]) {
        const { value } = outcome(() => readCursor(text, '-created', columns), Ws01Error);
        if (value === undefined) continue;
        assert.ok(Number.isSafeInteger(value[0]) && !String(value[1]).includes('\0'));
        assert.deepEqual(readCursor(writeCursor('-created', value), '-created', columns), value);
      }
    },
  },
  {
    name: 'filters',
    summary: 'parameters of lists: refused with a code, or of the type that their schema has',
    seeds: ['text=a&word=one&number=3', 'at=2026-11-22T10:30:00Z', 'flag=true', 'number=1e2'],
    tokens: [
      '&',
      '=',
      'text',
      'word',
      'number',
      'at',
      'flag',
      '%00',
      '%ED%A0%80',
      '__proto__',
      '-1',
      'constructor',
    ],
    run(input) {
      const query = new URLSearchParams(input.toString('utf8'));
      const { value } = outcome(() => readQuery(FILTERS, query), Ws01Error);
      if (value === undefined) return;
      const { text, word, number, at, flag } = value;
      assert.ok(text === undefined || (typeof text === 'string' && [...text].length <= 20));
      assert.ok(word === undefined || word === 'one' || word === 'two');
      assert.ok(Number.isInteger(number) && Number(number) >= 1 && Number(number) <= 100);
      assert.ok(at === undefined || Number.isSafeInteger(at));
      assert.ok(flag === undefined || typeof flag === 'boolean');
      assert.deepEqual(
        Object.keys(value).filter((name) => !(name in FILTERS)),
        [],
      );
    },
  },
];
