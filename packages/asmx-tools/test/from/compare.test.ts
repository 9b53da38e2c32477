import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare, lineOf, readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

async function lines(old: string, ours: string): Promise<string[]> {
  const [before, after] = await Promise.all([readWsdlText(old, 'old'), readWsdlText(ours, 'ours')]);
  return compare(before.service, after.service).differences.map(lineOf);
}

test('two faults of one element are one to clients', async () => {
  const faults = (...names: readonly string[]): Shape => ({
    schema: '<s:element name="Failed" type="s:string"/>',
    portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>
      ${names.map((name) => `<wsdl:fault name="${name}" message="t:Failed"/>`).join('')}</wsdl:operation>`,
    more: '<wsdl:message name="Failed"><wsdl:part name="fault" element="t:Failed"/></wsdl:message>',
  });
  assert.deepEqual(await lines(wsdlOf(faults('a', 'b')), wsdlOf(faults('a'))), []);
  assert.deepEqual(await lines(wsdlOf(faults('a')), wsdlOf(faults())), [
    'Ask: fault Failed: declared, ours none (SOAP clients would notice)',
  ]);
});

describe('types of contracts', () => {
  const cases: readonly (readonly [
    what: string,
    old: Shape,
    ours: Shape,
    told: readonly string[],
  ])[] = [
    [
      'an enumeration’s values',
      sky('Sunny', 'Rain'),
      sky('Sunny', 'Snow'),
      [
        'type Sky/Rain: a value, ours none (clients with generated types would notice)',
        'type Sky/Snow: none, ours a value (clients with generated types would notice)',
      ],
    ],
    [
      'a member’s type, told once for a type that is used twice',
      member('int'),
      member('long'),
      ['type F/a: int, ours long (clients with generated types would notice)'],
    ],
    [
      'an enumeration that is a text in ours',
      sky('Sunny'),
      { asks: '<s:element name="p" type="s:string"/>' },
      ['Ask: parameter p: Sky, ours string (clients with generated types would notice)'],
    ],
    [
      'a choice that is a sequence in ours',
      group('choice'),
      group('sequence'),
      ['type F: (a | b), ours a, b (clients with generated types would notice)'],
    ],
    [
      'an attribute',
      { ...complex('<s:attribute name="x" type="s:int"/>') },
      { ...complex('<s:attribute name="y" type="s:int" use="required"/>') },
      [
        'type F/@x: an attribute, ours none (SOAP clients would notice)',
        'type F/@y: none, ours an attribute (clients with generated types would notice)',
      ],
    ],
    [
      'a derived type',
      family('Dog'),
      family('Cat'),
      ['type Dog: extends F, ours none (SOAP clients would notice)'],
    ],
  ];
  for (const [what, old, ours, told] of cases) {
    test(what, async () => {
      assert.deepEqual(await lines(wsdlOf(old), wsdlOf(ours)), told);
      assert.deepEqual(await lines(wsdlOf(old), wsdlOf(old)), []);
    });
  }

  test('the name of a type that no xsi:type can say does not count, nor whether it is written in place', async () => {
    const named = {
      schema:
        '<s:complexType name="F"><s:sequence><s:element name="a" type="s:int"/></s:sequence></s:complexType>',
      asks: '<s:element name="p" type="t:F"/>',
    };
    const inPlace = {
      asks: '<s:element name="p"><s:complexType><s:sequence><s:element name="a" type="s:int"/></s:sequence></s:complexType></s:element>',
    };
    assert.deepEqual(await lines(wsdlOf(named), wsdlOf(inPlace)), []);
  });

  test('types that lead to each other come to an end', async () => {
    const node = (type: string) => ({
      schema: `<s:complexType name="N"><s:sequence><s:element name="next" type="t:N"/><s:element name="v" type="s:${type}"/></s:sequence></s:complexType>`,
      asks: '<s:element name="p" type="t:N"/>',
    });
    assert.deepEqual(await lines(wsdlOf(node('int')), wsdlOf(node('int'))), []);
    assert.equal((await lines(wsdlOf(node('int')), wsdlOf(node('long')))).length, 1);
  });
});

function sky(...values: readonly string[]): Shape {
  const all = values.map((value) => `<s:enumeration value="${value}"/>`).join('');
  return {
    schema: `<s:simpleType name="Sky"><s:restriction base="s:string">${all}</s:restriction></s:simpleType>`,
    asks: '<s:element name="p" type="t:Sky"/>',
  };
}

function member(type: string): Shape {
  return {
    schema: `<s:complexType name="F"><s:sequence><s:element name="a" type="s:${type}"/></s:sequence></s:complexType>`,
    asks: '<s:element name="p" type="t:F"/>',
    answers: '<s:element name="AskResult" type="t:F"/>',
  };
}

function group(kind: 'choice' | 'sequence'): Shape {
  return {
    schema: `<s:complexType name="F"><s:${kind}><s:element name="a" type="s:int"/><s:element name="b" type="s:int"/></s:${kind}></s:complexType>`,
    asks: '<s:element name="p" type="t:F"/>',
  };
}

function complex(inside: string): Shape {
  return {
    schema: `<s:complexType name="F">${inside}</s:complexType>`,
    asks: '<s:element name="p" type="t:F"/>',
  };
}

function family(name: string): Shape {
  return {
    schema: `<s:complexType name="F"/><s:complexType name="${name}"><s:complexContent><s:extension base="t:F"/></s:complexContent></s:complexType>`,
    asks: '<s:element name="p" type="t:F"/>',
  };
}
