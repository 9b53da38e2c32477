import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { analyse } from 'scslre';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SOURCES = '{apps,packages}/*/src/**/*.ts';

/**
 * Expressions that may look at a character more often than a fixed number of times, and what bounds the text that they
 * are given. The rule for all others: no two unbounded repeats that can share a text lie in each other or beside each
 * other, and none begins an expression that may start anywhere.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  'apps/ws01/src/config/address-forms.ts': 'settings, which the operator writes',
  'apps/ws01/src/config/environment.ts': 'a line of a file of settings, which the operator writes',
  'apps/ws01/src/config/sms-forms.ts': 'settings, which the operator writes',
  'apps/ws01/src/console/fields.ts': 'the path of a parameter, which the engine makes',
  'apps/ws01/src/domain/admins/passwords.ts': 'base64 of a few bytes',
  'apps/ws01/src/domain/values/phone.ts': 'a phone number, 64 characters at most',
  'apps/ws01/src/domain/values/web-url.ts': 'a host within a text of bounded length',
  'apps/ws01/src/store/postgres/connection.ts': 'names of PostgreSQL, 63 bytes at most',
  'apps/ws01/src/store/postgres/hosts.ts': 'DATABASE_URL, which the operator writes',
  'apps/ws01/src/store/postgres/tools.ts': 'what a program of PostgreSQL says of its failure',
  'apps/ws01/src/web/short-links.ts': 'a path, and a code of 64 characters in it',
  'packages/asmx/src/bindings/form/indented.ts': 'an answer, which the engine made',
  'packages/asmx-tools/src/client/index.ts': 'the address of a server, which the program says',
  'packages/asmx/src/engine/check-shape.ts': 'a path in a contract, at creation',
  'packages/asmx/src/describe/openapi/document.ts': 'documentation in a contract',
  'packages/asmx-tools/src/from/emit/paths.ts':
    'an address in a WSDL, whose attributes are bounded',
  'packages/asmx-tools/src/from/emit/project-parts.ts': 'a name in a WSDL, which is bounded',
  'packages/asmx-tools/src/from/load/fetch-document.ts': 'an address of the system',
  'packages/asmx-tools/src/from/traffic/access-log.ts':
    'a line of a log, read by a command; servers bound its parts',
  'packages/asmx/src/lexical/numbers.ts': 'the digits of a number, 20 at most',
  'packages/asmx/src/node/upstream/networks.ts': 'an address of the system',
  'packages/asmx/src/values/free-xml.ts':
    'well-formed XML, which the reader has read: what begins in it ends',
};

/** Where expressions are made at run time, and of what. */
const MADE: Readonly<Record<string, string>> = {
  'apps/ws01/src/web/base-path.ts': 'our attributes',
  'apps/ws01/src/cli/usage-errors.ts': 'texts of the command line’s library',
  'apps/ws01/src/console/catalog.ts': 'names in the texts of the console',
  'apps/ws01/src/console/texts/zh-reasons.ts': 'templates of reasons, written there',
  'apps/ws01/src/domain/values/search-text.ts': 'classes of characters, written there',
  'apps/ws01/src/records/types.ts': 'names of fields',
  'apps/ws01/src/web/image-answers.ts': 'forms of names, written there',
  'apps/ws01/src/web/link-answers.ts': 'forms of names, written there',
  'apps/ws01/src/web/request-ids.ts': 'lengths, written there',
  'packages/asmx/src/describe/typescript.ts': 'names in a contract, for its author',
  'packages/asmx-tools/src/from/cli/replay-command.ts': 'the option --mask, which a person gives',
  'packages/asmx-tools/src/from/traffic/mask.ts': 'the option --mask, which a person gives',
  'packages/asmx/src/lexical/calendar-texts.ts': 'names of months and days, written there',
  'packages/asmx/src/lexical/pattern/char-set.ts': 'classes of one character, written there',
  'packages/asmx/src/lexical/texts.ts': 'classes of characters, written there',
  'packages/asmx/src/message/data-url.ts': 'tokens of media types, written there',
  'packages/asmx/src/exchange/files/byte-series.ts': 'lengths, written there',
  'packages/asmx/src/message/files/lost-plus.ts': 'one character, written there',
};

interface Found {
  readonly slow: readonly string[];
  readonly made: number;
}

/** What a source has of expressions: those whose time may grow faster than their text, and those made at run time. */
function expressionsOf(source: string): Found {
  const slow: string[] = [];
  let made = 0;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, pattern, flags, callee } = node as Record<string, unknown>;
    if (type === 'RegExpLiteral' && isSlow(String(pattern), String(flags)))
      slow.push(`/${pattern}/${flags}`);
    const called = (callee as { readonly value?: unknown } | undefined)?.value;
    if ((type === 'NewExpression' || type === 'CallExpression') && called === 'RegExp') made++;
    for (const [name, member] of Object.entries(node)) if (name !== 'span') visit(member);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }).body);
  return { slow, made };
}

function isSlow(source: string, flags: string): boolean {
  const reportTypes = { Self: true, Trade: true, Move: true } as const;
  return (
    analyse({ source, flags }, { reportTypes, assumeRejectingSuffix: false }).reports.length > 0
  );
}

it('an expression whose time may grow faster than its text is found', () => {
  for (const source of [
    '/^[+-]?0*([0-9]*)(?:\\.([0-9]*?)0*)?$/',
    '/(a+)+b/',
    '/(a|a)*b/',
    '/\\s+$/',
    '/^\\s*\\w*\\s*x/',
  ]) {
    assert.deepEqual(expressionsOf(`export const x = ${source};`).slow, [source]);
  }
  for (const source of ['/^[a-z]+$/', '/^[0-9]+(?:\\.[0-9]*)?$/', '/[&<>]/g', '/^(?:ab*c)+$/']) {
    assert.deepEqual(expressionsOf(`export const x = ${source};`).slow, []);
  }
  assert.equal(expressionsOf('new RegExp(given, "u"); RegExp(given)').made, 2);
});

it('no expression takes more time than in proportion to a text that is not bounded, and none is made of a caller’s', () => {
  const slow = new Map<string, readonly string[]>();
  const made = new Set<string>();
  for (const file of globSync(SOURCES, { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    if (!text.includes('/') && !text.includes('RegExp')) continue;
    const found = expressionsOf(text);
    if (found.slow.length > 0) slow.set(file, found.slow);
    if (found.made > 0) made.add(file);
  }
  const unknown = [...slow].filter(([file]) => BOUNDED[file] === undefined);
  assert.deepEqual(
    unknown,
    [],
    'Write them so that no two repeats can share a text, or say what bounds the text.',
  );
  assert.deepEqual(
    [...made].filter((file) => MADE[file] === undefined),
    [],
    'Say of what it is made.',
  );
  const stale = [
    ...Object.keys(BOUNDED).filter((file) => !slow.has(file)),
    ...Object.keys(MADE).filter((file) => !made.has(file)),
  ];
  assert.deepEqual(stale, [], 'These need no reason any more.');
});
