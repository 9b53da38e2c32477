import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint } from '../../../asmx/src/index.ts';
import { soap } from '../../../asmx/test/values/kit.ts';
import { answerValidator } from '../../../asmx/test/values/schema-kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const WSDL = wsdlOf({
  schema: `
    <s:complexType name="Base"><s:sequence><s:element name="id" type="s:int"/>
      <s:element name="note" type="s:string" minOccurs="0"/></s:sequence>
      <s:attribute name="unit" type="s:string"/><s:attribute name="lot" type="s:string" form="qualified"/></s:complexType>
    <s:complexType name="Wide"><s:complexContent><s:extension base="t:Base">
      <s:sequence><s:element name="more" type="s:string" minOccurs="0"/></s:sequence>
      </s:extension></s:complexContent></s:complexType>
    <s:simpleType name="Small"><s:restriction base="s:int"><s:maxInclusive value="9"/></s:restriction></s:simpleType>
    <s:complexType name="Narrow"><s:complexContent><s:restriction base="t:Wide"><s:sequence>
      <s:element name="id" type="t:Small"/></s:sequence></s:restriction></s:complexContent></s:complexType>
    <s:complexType name="Narrower"><s:complexContent><s:extension base="t:Narrow"><s:sequence>
      <s:element name="note" type="s:string"/></s:sequence></s:extension></s:complexContent></s:complexType>
    <s:complexType name="Plain"><s:complexContent><s:restriction base="t:Wide"><s:sequence>
      <s:element name="id" type="s:int"/></s:sequence><s:attribute name="unit" use="prohibited"/>
      <s:attribute name="lot" form="qualified" use="prohibited"/></s:restriction></s:complexContent></s:complexType>
    <s:complexType name="Plainer"><s:complexContent><s:extension base="t:Plain"/></s:complexContent></s:complexType>
    <s:complexType name="Amount"><s:simpleContent><s:extension base="s:decimal">
      <s:attribute name="currency" type="s:string"/></s:extension></s:simpleContent></s:complexType>
    <s:complexType name="Dated"><s:simpleContent><s:extension base="t:Amount">
      <s:attribute name="on" type="s:date"/></s:extension></s:simpleContent></s:complexType>
    <s:complexType name="Price"><s:simpleContent><s:restriction base="t:Dated">
      <s:fractionDigits value="2"/><s:attribute name="currency" type="s:string" use="required"/>
      </s:restriction></s:simpleContent></s:complexType>
    <s:complexType name="Round"><s:simpleContent><s:restriction base="t:Dated">
      <s:simpleType><s:restriction base="s:integer"/></s:simpleType><s:enumeration value="1"/><s:enumeration value="5"/>
      </s:restriction></s:simpleContent></s:complexType>`,
  asks: '<s:element name="base" type="t:Base"/><s:element name="amount" type="t:Amount"/>',
  answers:
    '<s:element name="base" type="t:Base" minOccurs="0"/><s:element name="amount" type="t:Amount" minOccurs="0"/>',
});

test('heirs by restriction are heirs: read, checked by their own facets, and written', async (t) => {
  const { service } = await readWsdlText(WSDL, 'old.wsdl');
  const seen: unknown[] = [];
  const url = await served(t, WSDL, {
    Ask: ({ base, amount }) => {
      seen.push(base ?? amount);
      return { value: base, out: { amount } };
    },
  });
  const ask = async (element: string) => {
    const answer = await soap(url, `<Ask xmlns="urn:old" xmlns:t="urn:old">${element}</Ask>`, {
      action: 'urn:old/Ask',
    });
    return { answer, got: seen.pop() };
  };
  const wrong = answerValidator(await (await fetch(`${url}?WSDL`)).text());
  for (const [element, value] of [
    ['<base xsi:type="t:Narrow" unit="m"><id>9</id></base>', { $type: 'Narrow', unit: 'm', id: 9 }],
    [
      '<base xsi:type="t:Narrower" unit="m"><id>9</id><note>n</note></base>',
      { $type: 'Narrower', unit: 'm', id: 9, note: 'n' },
    ],
    [
      '<base xsi:type="t:Wide" unit="m"><id>10</id><note>n</note><more>x</more></base>',
      { $type: 'Wide', unit: 'm', id: 10, note: 'n', more: 'x' },
    ],
    ['<base xsi:type="t:Plainer"><id>1</id></base>', { $type: 'Plainer', id: 1 }],
    [
      '<amount xsi:type="t:Price" currency="EUR" on="2024-02-29">1.25</amount>',
      { $type: 'Price', currency: 'EUR', on: '2024-02-29', value: '1.25' },
    ],
    [
      '<amount xsi:type="t:Round" currency="EUR">5</amount>',
      { $type: 'Round', currency: 'EUR', value: '5' },
    ],
  ] as const) {
    const { answer, got } = await ask(element);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual({ ...(got as object) }, value);
    assert.equal(answer.headers.get('x-warning'), null);
    assert.deepEqual(wrong(answer.body), []);
    const [, type, inside] = /xsi:type="t:(\w+)"[^>]*>(.*)<\/\w+>$/.exec(element)!;
    assert.match(answer.body, new RegExp(`xsi:type="${type}"[^>]*>${inside}</`));
  }
  const { answer: prohibited } = await ask('<base xsi:type="t:Plain" unit="m"><id>1</id></base>');
  assert.match(prohibited.headers.get('x-warning') ?? '', /unit/);
  for (const [element, reason] of [
    ['<base xsi:type="t:Narrow"><id>10</id></base>', /out of range/],
    ['<amount xsi:type="t:Price" currency="EUR">1.255</amount>', /more than 2 digits/],
    ['<amount xsi:type="t:Round">2</amount>', /none of 1, 5/],
  ] as const) {
    const { answer } = await ask(element);
    assert.match(answer.text, reason, element);
  }
  await servedAlike(service);
  const other = await readWsdlText(
    WSDL.replace('restriction base="t:Wide"', 'extension base="t:Wide"').replace(
      '</s:restriction></s:complexContent>',
      '</s:extension></s:complexContent>',
    ),
    'other.wsdl',
  );
  assert.notDeepEqual(compare(service, other.service).differences, []);
});

test('lists and unions of which only some texts are allowed keep them: read, written, told', async (t) => {
  const type = (name: string, inside: string) =>
    `<s:simpleType name="${name}">${inside}</s:simpleType>`;
  const only = (base: string, ...texts: readonly string[]) => {
    const values = texts.map((text) => `<s:enumeration value="${text}"/>`);
    return `<s:restriction base="${base}">${values.join('')}</s:restriction>`;
  };
  const old = wsdlOf({
    schema:
      type('Numbers', '<s:list itemType="s:int"/>') +
      type('Pair', only('t:Numbers', '1 2', '3 4')) +
      type('Either', '<s:union memberTypes="s:int s:date"/>') +
      type('One', only('t:Either', '7', '2024-02-29')),
    asks: '<s:element name="pair" type="t:Pair"/><s:element name="one" type="t:One"/>',
    answers: '<s:element name="pair" type="t:Pair"/><s:element name="one" type="t:One"/>',
  });
  const { service } = await readWsdlText(old, 'old.wsdl');
  const url = await served(t, old, { Ask: ({ pair, one }) => ({ value: pair, out: { one } }) });
  const ask = (pair: string, one: string) =>
    soap(url, `<Ask xmlns="urn:old"><pair>${pair}</pair><one>${one}</one></Ask>`, {
      action: 'urn:old/Ask',
    });
  const { status, text } = await ask(' 3  4', '7');
  assert.equal(status, 200, text);
  assert.match(text, /<pair>3 4<\/pair><one>7<\/one>/);
  assert.match((await ask('1 3', '7')).text, /"1 3" is none of 1 2, 3 4/);
  assert.match((await ask('1 2', '8')).text, /"8" is none of 7, 2024-02-29/);
  await servedAlike(service);
  const other = await readWsdlText(old.replace('"3 4"', '"3 5"'), 'other.wsdl');
  assert.equal(compare(service, other.service).differences.length, 1);
});

test('defaults that the facets of their type forbid are left out, with a note each', async () => {
  const type = (name: string, inside: string) =>
    `<s:simpleType name="${name}">${inside}</s:simpleType>`;
  const old = wsdlOf({
    schema:
      type('Small', '<s:restriction base="s:int"><s:maxInclusive value="9"/></s:restriction>') +
      type('Code', '<s:restriction base="s:string"><s:pattern value="[A-Z]{2}"/></s:restriction>') +
      type(
        'Day',
        '<s:restriction base="s:date"><s:minInclusive value="2000-01-01"/></s:restriction>',
      ) +
      type(
        'Pair',
        '<s:restriction><s:simpleType><s:list itemType="s:int"/></s:simpleType><s:length value="2"/></s:restriction>',
      ) +
      type('Either', '<s:union memberTypes="s:int t:Code"/>') +
      `<s:complexType name="Order"><s:sequence>
        <s:element name="right" type="t:Small" default="9"/><s:element name="code" type="t:Code" fixed="AB"/>
        <s:element name="wrong" type="t:Small" default="10"/><s:element name="fixed" type="t:Code" fixed="ab"/>
        <s:element name="day" type="t:Day" default="1999-12-31"/><s:element name="pair" type="t:Pair" default="1 2 3"/>
        <s:element name="either" type="t:Either" default="zz"/>
      </s:sequence><s:attribute name="size" type="t:Small" default="77"/></s:complexType>`,
    asks: '<s:element name="order" type="t:Order"/>',
  });
  const { service, notes } = await readWsdlText(old, 'old.wsdl');
  const without = ['wrong', 'fixed', 'day', 'pair', 'either', 'size'];
  assert.deepEqual(
    notes,
    without.map((name) => `Order/${name} is served without its default, which its type forbids.`),
  );
  const handlers = { Ask: () => ({}) } as never;
  createEndpoint(engineService(service), { path: '/Old.asmx', handlers });
});
