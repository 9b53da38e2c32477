import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { WsdlError } from '../../src/from/wsdl-error.ts';

const OLD = await readFile(new URL('kit/every-construct.wsdl', import.meta.url), 'utf8');

/** What a word of a WSDL or schema becomes; a number grows, a name gets a letter. */
const OTHER: Readonly<Record<string, string>> = {
  true: 'false',
  false: 'true',
  qualified: 'unqualified',
  unqualified: 'qualified',
  required: 'optional',
  optional: 'required',
  literal: 'encoded',
  document: 'rpc',
  rpc: 'document',
  unbounded: '1',
  lax: 'skip',
  preserve: 'collapse',
  '##other': '##any',
  's:string': 's:token',
  's:int': 's:long',
  's:decimal': 's:double',
  's:date': 's:dateTime',
  't:Base': 't:Txt',
  't:More': 't:Base',
  't:Txt': 't:Mixed',
  't:Kind': 't:Code',
  't:Code': 't:Kind',
};

/** What says the same without: what is left out is the default. */
const SAID_ANYHOW = [
  /(mixed|abstract)="false" -> gone/,
  /(minOccurs|maxOccurs)="1" -> gone/,
  /use="optional" -> gone/,
];

/** What no message and no generated client has. */
const UNSEEN = [
  /<w:definitions\s.*name="/s,
  // Each operation says its own style.
  /<soap(12)?:binding style=/,
  // The names that tie a fault of a binding to that of the port type; the part of a fault.
  /<(w|soap|soap12):fault name=/,
  /<w:part name="Oops"/,
  // Headers and faults are as the body of their operation is.
  /:(header|fault) .*use="literal"/,
];

/** Each attribute changed or left out, and each element without children left out. */
function* changed(): Generator<readonly [string, string]> {
  for (const { 0: all, 1: name = '', 2: value = '', index } of OLD.matchAll(
    /\s([\w:]+)="([^"]*)"/g,
  )) {
    if (/^xmlns|^location$|^transport$|^version$/.test(name)) continue;
    const [before, after] = [OLD.slice(0, index), OLD.slice(index + all.length)];
    const where = `${before.slice(before.lastIndexOf('<'))}${all}`;
    const other = OTHER[value] ?? (/^\d+$/.test(value) ? `${Number(value) + 1}` : `${value}X`);
    yield [`${where} -> ${other}`, `${before} ${name}="${other}"${after}`];
    const isSaid =
      /^(minOccurs|maxOccurs|nillable|default|fixed|abstract|mixed|form|substitutionGroup)$/;
    if (isSaid.test(name) || (name === 'use' && !where.includes('soap')))
      yield [`${where} -> gone`, before + after];
  }
  for (const { 0: all, index } of OLD.matchAll(/<(s:\w+|soap(12)?:header|w:part)\b[^>]*\/>\n?/g))
    yield [`${all} -> gone`, OLD.slice(0, index) + OLD.slice(index + all.length)];
}

test('whatever is changed in a WSDL, compare sees, or it cannot be read', async () => {
  const { service: old } = await readWsdlText(OLD, 'old.wsdl');
  const blind: string[] = [];
  let [seen, named] = [0, 0];
  for (const [what, text] of changed()) {
    try {
      const { service } = await readWsdlText(text, 'new.wsdl');
      const { differences, names, unnoticed } = compare(old, service);
      if (differences.length > 0) seen++;
      else if (names.length > 0) named++;
      else if (unnoticed.length === 0) blind.push(what);
    } catch (error) {
      if (!(error instanceof WsdlError)) throw error;
    }
  }
  const unsaid = blind.filter(
    (what) => ![...SAID_ANYHOW, ...UNSEEN].some((each) => each.test(what)),
  );
  assert.deepEqual(unsaid, []);
  assert.ok(seen > 200 && named >= 6, `${seen} are seen, ${named} are names`);
});

test('a WSDL that differs in names alone is equal on the wire', async () => {
  const { service: old } = await readWsdlText(OLD, 'old.wsdl');
  const renamed = OLD.replaceAll('"P12"', '"Other"')
    .replaceAll('"bi"', '"more"')
    .replaceAll('RIn"', 'RAsk"');
  const { service } = await readWsdlText(
    renamed.replaceAll(/\b(t:)?Num"/g, '$1Number"'),
    'new.wsdl',
  );
  const { same, differences, names } = compare(old, service);
  assert.ok(same, JSON.stringify(differences));
  const found = names.map(({ subject, old: before, ours }) => [subject, before, ours].join(': '));
  assert.deepEqual(found.sort(), [
    'message of the request element: RIn: RAsk',
    'part of the request element: bi: more',
    'port of SOAP 1.2: P12: Other',
    'type Num: Num: Number',
  ]);
});

test('a binding whose messages have another form is passed over with a note', async () => {
  const other = OLD.replace(/<soap12:header[^>]*\/>/, '');
  const { notes } = await readWsdlText(other, 'old.wsdl');
  assert.deepEqual(notes, [
    'Do is passed over at the port P12: its messages have another form there.',
  ]);
});

test('an operation whose answer is encoded and whose request is not is left out', async () => {
  const at = OLD.indexOf('<soap:body use="literal" namespace="urn:r"/></w:output>');
  const mixed = `${OLD.slice(0, at)}${OLD.slice(at).replace('literal', 'encoded')}`;
  const { leftOut } = await readWsdlText(mixed, 'old.wsdl');
  assert.deepEqual(
    leftOut.map(({ operation, reason }) => [operation, reason]),
    [['Rpc', 'Its request is literal, its answer encoded.']],
  );
});
