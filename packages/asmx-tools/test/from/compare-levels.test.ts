import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

/** Who notices a difference: old clients, only clients that are generated again, or nobody. */
type Level = 'differences' | 'names' | 'unnoticed' | 'addresses' | 'nothing';

const INT = '<s:element name="a" type="s:int"/>';
const TEXT = '<s:element name="b" type="s:string"/>';
const typeF = (content: string, attributes = '') =>
  `<s:complexType name="F"><s:sequence>${content}</s:sequence>${attributes}</s:complexType>`;

/** A service that takes and answers F. */
const shape = (schema: string, more: Shape = {}): Shape => ({
  schema,
  asks: '<s:element name="p" type="t:F"/>',
  answers: '<s:element name="AskResult" type="t:F"/>',
  ...more,
});
const withF = (schema: string, more: Shape = {}) => wsdlOf(shape(schema, more));
const PLAIN = withF(typeF(INT + TEXT));
const members = (content: string) => withF(typeF(content));
const attribute = (facts: string) => withF(typeF('', `<s:attribute name="x" ${facts}/>`));

const HEIR =
  '<s:complexType name="G"><s:complexContent><s:extension base="t:F"/>' +
  '</s:complexContent></s:complexType>';
const otherSchema = (content: string) =>
  `<s:schema targetNamespace="urn:other" elementFormDefault="qualified">${content}</s:schema>`;

const kinds = (...values: readonly string[]) =>
  withF(
    `${typeF('<s:element name="k" type="t:K"/>')}<s:simpleType name="K">
    <s:restriction base="s:string">${values.map((value) => `<s:enumeration value="${value}"/>`).join('')}</s:restriction>
    </s:simpleType>`,
  );

/** In the style rpc. */
const rpc = (use: 'literal' | 'encoded') =>
  withF(typeF(INT), {
    style: 'rpc',
    messages: `<wsdl:message name="In"><wsdl:part name="p" type="t:F"/></wsdl:message>
      <wsdl:message name="Out"><wsdl:part name="AskResult" type="t:F"/></wsdl:message>`,
    bound: ['input', 'output']
      .map((kind) => `<wsdl:${kind}><soap:body use="${use}" namespace="urn:old"/></wsdl:${kind}>`)
      .join(''),
  });

/** With a SOAP header or none. */
const header = (isThere: boolean) =>
  withF(`${typeF(INT)}<s:element name="H" type="s:string"/>`, {
    more: '<wsdl:message name="HM"><wsdl:part name="h" element="t:H"/></wsdl:message>',
    bound: `<wsdl:input><soap:body use="literal"/>
      ${isThere ? '<soap:header message="t:HM" part="h" use="literal"/>' : ''}</wsdl:input>
      <wsdl:output><soap:body use="literal"/></wsdl:output>`,
  });

const fault = (isThere: boolean) =>
  withF(`${typeF(INT)}<s:element name="E" type="s:string"/>`, {
    more: '<wsdl:message name="EM"><wsdl:part name="f" element="t:E"/></wsdl:message>',
    portOperation: `<wsdl:operation name="Ask">
      <wsdl:input message="t:In"/><wsdl:output message="t:Out"/>
      ${isThere ? '<wsdl:fault name="E" message="t:EM"/>' : ''}</wsdl:operation>`,
  });

/** Two members and two attributes of one name each, in two namespaces. */
const twice = (first: 't' | 'u', second: 't' | 'u') =>
  withF(
    `<s:element name="x" type="s:string"/>${typeF(
      `<s:element ref="${first}:x"/><s:element ref="${second}:x"/>`,
      '<s:attribute name="y" type="s:string"/><s:attribute ref="u:y"/>',
    )}`,
    {
      schemas: otherSchema(
        '<s:element name="x" type="s:int"/><s:attribute name="y" type="s:int"/>',
      ),
    },
  );

const changed = (from: string | RegExp, to: string, wsdl = PLAIN) => {
  const text = wsdl.replaceAll(new RegExp(from, 'gs'), to);
  assert.notEqual(text, wsdl);
  return text;
};

const renamed = (wsdl: string) => changed('(name="|t:)F"', '$1Other"', wsdl);
const OTHER_HEIR: Shape = { schemas: otherSchema(HEIR) };

/** What differs, the old WSDL, ours, and what a report calls it; by who notices it. */
type Pair = readonly [what: string, old: string, ours: string, subject?: string];

const element = (facts: string, member = 'a') =>
  changed(`<s:element name="${member}"`, `<s:element ${facts} name="${member}"`);
const optional = (facts: string) =>
  members(`<s:element minOccurs="0" name="a" type="s:int" ${facts}/>`);
const WITH_HEIR = withF(typeF('') + HEIR);

const PAIRS: Readonly<Record<Level, readonly Pair[]>> = {
  differences: [
    ['minOccurs', PLAIN, element('minOccurs="0"'), 'type F/a'],
    ['maxOccurs', PLAIN, element('maxOccurs="9"', 'b'), 'type F/b'],
    ['nillable', PLAIN, element('nillable="true"', 'b'), 'type F/b'],
    ['the order of members', PLAIN, members(TEXT + INT), 'type F'],
    ['the form of a member', PLAIN, element('form="unqualified"'), 'type F/a'],
    ['an heir that is gone', withF(typeF(INT + TEXT) + HEIR), PLAIN, 'type G'],
    ['the namespace of an heir', WITH_HEIR, withF(typeF(''), OTHER_HEIR), 'type G'],
    ['one of two heirs of a name', withF(typeF('') + HEIR, OTHER_HEIR), WITH_HEIR, 'type G'],
    ['a value of an enumeration', kinds('A', 'B'), kinds('A', 'B', 'C'), 'type K/C'],
    ['SOAPAction', PLAIN, changed('urn:old/Ask', 'urn:old/Tell'), 'SOAPAction'],
    ['the namespace', PLAIN, changed('urn:old', 'urn:new'), 'namespace'],
    ['the style', PLAIN, rpc('literal'), 'style'],
    ['the use', rpc('literal'), rpc('encoded'), 'use'],
    ['a header that is gone', header(true), header(false), 'header H'],
    ['a fault that is gone', fault(true), fault(false), 'fault E'],
    ['the name of an encoded type', rpc('encoded'), renamed(rpc('encoded')), 'type F'],
    [
      'the default of an element',
      optional('default="1"'),
      optional('default="2"'),
      'type F/a default',
    ],
    [
      'fixed in place of default',
      optional('default="1"'),
      optional('fixed="1"'),
      'type F/a default',
    ],
    [
      'an attribute that is required',
      attribute('type="s:int"'),
      attribute('type="s:int" use="required"'),
      'type F/@x',
    ],
    ['the order of two of a name', twice('t', 'u'), twice('u', 't'), 'type F'],
    [
      'a member that comes once in place of twice',
      twice('t', 't'),
      changed('(<s:element ref="t:x"/>)\\1', '$1', twice('t', 't')),
      'type F/x',
    ],
    [
      'WS-Addressing that is declared no more',
      changed(
        '<soap:binding',
        '<wsaw:UsingAddressing xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl"/>$&',
      ),
      PLAIN,
      'WS-Addressing',
    ],
  ],
  unnoticed: [
    ['an heir that is added', PLAIN, withF(typeF(INT + TEXT) + HEIR), 'type G'],
    ['a header that is added', header(false), header(true), 'header H'],
    ['a fault that is added', fault(false), fault(true), 'fault E'],
  ],
  names: [
    [
      'the name of the port',
      PLAIN,
      changed('port name="OldSoap"', 'port name="Other"'),
      'port of SOAP 1.1',
    ],
    [
      'the name of the service',
      PLAIN,
      changed('service name="Old"', 'service name="Other"'),
      'service name',
    ],
    ['the name of a type', PLAIN, renamed(PLAIN), 'type F'],
    [
      'the namespace of a type alone',
      withF(typeF('')),
      withF('', {
        schemas: otherSchema(typeF('')),
        asks: '<s:element name="p" type="u:F"/>',
        answers: '<s:element name="AskResult" type="u:F"/>',
      }),
      'type F',
    ],
  ],
  addresses: [['the address', PLAIN, changed('http://old.example', 'http://new.example')]],
  nothing: [
    ['members and attributes of one name in two namespaces', twice('t', 'u'), twice('t', 'u')],
    [
      'documentation',
      PLAIN,
      changed('<wsdl:portType name="OldSoap">', '$&<wsdl:documentation>x</wsdl:documentation>'),
    ],
  ],
};

describe('a pair of WSDLs that differs in one thing is told at the level of who notices it', () => {
  const pairs = Object.entries(PAIRS).flatMap(([level, some]) =>
    some.map((pair) => [level, ...pair] as const),
  );
  for (const [level, what, old, ours, subject] of pairs)
    test(what, async () => {
      const read = async (text: string) => (await readWsdlText(text, 'a.wsdl')).service;
      const { differences, names, unnoticed, addresses } = compare(
        await read(old),
        await read(ours),
      );
      const moved = addresses.filter((pair) => pair.old !== pair.ours);
      const told = { differences, names, unnoticed, addresses: moved };
      const levels = Object.entries(told).filter(([, each]) => each.length > 0);
      assert.equal(levels[0]?.[0] ?? 'nothing', level, JSON.stringify(told));
      if (subject === undefined) return;
      const subjects = [...differences, ...names, ...unnoticed].map((each) => each.subject);
      assert.ok(subjects.includes(subject), subjects.join());
    });
});
