import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { sampleBody } from '../../src/from/samples.ts';
import { asmx, place } from './kit/command.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

/** What the service answers to the sample of its own contract, and what its handler got. */
async function called(t: { after(close: () => unknown): void }, shape: Shape) {
  const wsdl = wsdlOf(shape);
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  let input: Readonly<Record<string, unknown>> | undefined;
  const url = await served(t, wsdl, {
    Ask: (given) => {
      input = given;
      return undefined;
    },
  });
  const sample = sampleBody(service, service.operations[0]!);
  const answer = await soap(url, sample, { action: 'urn:old/Ask' });
  assert.equal(answer.status, 200, `${sample}\n${answer.text}`);
  return { sample, input };
}

test('a sample of a number has no more digits than its type allows', async (t) => {
  const facets = [
    '<s:fractionDigits value="0"/>',
    '<s:fractionDigits value="1"/>',
    '<s:fractionDigits value="2"/>',
    '<s:fractionDigits value="9"/>',
    '<s:totalDigits value="1"/>',
    '<s:totalDigits value="2"/>',
    '<s:totalDigits value="3"/>',
    '<s:totalDigits value="9"/><s:fractionDigits value="1"/>',
  ];
  const type = (facet: string) =>
    `<s:simpleType><s:restriction base="s:decimal">${facet}</s:restriction></s:simpleType>`;
  const asks = facets
    .map((facet, at) => `<s:element name="n${at}">${type(facet)}</s:element>`)
    .join('');
  const { input } = await called(t, { asks });
  assert.deepEqual(Object.values(input ?? {}), [
    '12',
    '12.5',
    '12.50',
    '12.50',
    '1',
    '12',
    '12.5',
    '12.5',
  ]);
});

/** A class that needs one of its own kind, directly, by another class, or in a list. */
const NEEDY = `
  <s:complexType name="Person"><s:sequence><s:element name="name" nillable="true" type="s:string"/>
    <s:element name="friend" nillable="true" type="t:Person"/></s:sequence></s:complexType>
  <s:complexType name="Dog"><s:sequence><s:element name="owner" nillable="true" type="t:Owner"/></s:sequence></s:complexType>
  <s:complexType name="Owner"><s:sequence><s:element name="dog" type="t:Dog"/></s:sequence></s:complexType>
  <s:complexType name="Node"><s:sequence><s:element minOccurs="2" maxOccurs="2" name="next" nillable="true" type="t:Node"/></s:sequence></s:complexType>`;

test('a class that needs one of its own kind is imported: its sample ends where that may be nil', async (t) => {
  for (const type of ['Person', 'Dog', 'Owner', 'Node']) {
    const shape = { schema: NEEDY, asks: `<s:element name="one" type="t:${type}"/>` };
    const { sample } = await called(t, shape);
    assert.match(sample, / xsi:nil="true" \/>/);
    const folder = await place(t);
    await writeFile(join(folder, 'old.wsdl'), wsdlOf(shape));
    const { code, stderr } = await asmx('from', join(folder, 'old.wsdl'), join(folder, 'made'));
    assert.equal(code, 0, stderr);
  }
});
