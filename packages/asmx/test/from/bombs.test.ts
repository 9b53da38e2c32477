import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { asmx, place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

/** So many that what takes as many steps for each of them would not end within the time of a test. */
const MANY = 20_000;

const many = (write: (index: number) => string, count = MANY) =>
  Array.from({ length: count }, (_, at) => write(at)).join('');

/** A WSDL whose operation takes the type T of a schema. */
const typed = (schema: string) => wsdlOf({ asks: '<s:element name="x" type="t:T"/>', schema });

async function from(t: TestContext, wsdl: string) {
  const folder = await place(t);
  await writeFile(join(folder, 'old.wsdl'), wsdl);
  return asmx('from', join(folder, 'old.wsdl'), join(folder, 'new'));
}

describe('a WSDL with many of one kind is generated', { timeout: 60_000 }, () => {
  const extending = (index: number) =>
    `<s:complexType name="D${index}"><s:complexContent><s:extension base="t:T"/></s:complexContent></s:complexType>`;
  const kinds: Readonly<Record<string, string>> = {
    'elements of one name': typed(
      `<s:complexType name="T"><s:choice>${many(() => '<s:element name="a" type="s:int"/>')}</s:choice></s:complexType>`,
    ),
    'types that extend one': typed(`<s:complexType name="T"/>${many(extending, MANY / 4)}`),
  };
  for (const [kind, wsdl] of Object.entries(kinds)) {
    test(kind, async (t) => {
      const { code, stderr } = await from(t, wsdl);
      assert.equal(code, 0, stderr);
    });
  }
});

describe('types that refer to each other without end are refused in one line', () => {
  const name = (at: number) => (at === 0 ? 'T' : `T${at}`);
  const chains: Readonly<Record<string, (at: number) => string>> = {
    members: (at) =>
      `<s:complexType name="${name(at)}"><s:sequence><s:element minOccurs="0" name="n" type="t:${name((at + 1) % MANY)}"/></s:sequence></s:complexType>`,
    bases: (at) =>
      at === MANY - 1
        ? `<s:complexType name="${name(at)}"/>`
        : `<s:complexType name="${name(at)}"><s:complexContent><s:extension base="t:${name(at + 1)}"/></s:complexContent></s:complexType>`,
    restrictions: (at) =>
      `<s:simpleType name="${name(at)}"><s:restriction base="${at === MANY - 1 ? 's:string' : `t:${name(at + 1)}`}"/></s:simpleType>`,
  };
  for (const [kind, write] of Object.entries(chains)) {
    test(kind, async (t) => {
      const { code, stderr } = await from(t, typed(many(write)));
      assert.equal(code, 2);
      assert.match(stderr, /^asmx: [^\n]*old\.wsdl: Its types refer to each other too deeply\.\n$/);
    });
  }
});
