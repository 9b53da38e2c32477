import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from '../../../asmx/src/contract/words.ts';
import { soap } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { oldCalls, readWsdlText } from '../../src/from/index.ts';
import { sampleBody } from '../../src/from/samples.ts';
import { made } from './kit/command.ts';
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
  assert.deepEqual(Object.values(input ?? {}), words('12 12.5 12.50 12.50 1 12 12.5 12.5'));
});

test('a sample of any element has one of a namespace that is allowed', async (t) => {
  const samples: Readonly<Record<string, string>> = {
    '##local': '',
    '##local urn:x': '',
    '##other': 'urn:sample',
    '##targetNamespace': 'urn:old',
    'urn:x?a&amp;b urn:y': 'urn:x?a&amp;b',
  };
  for (const [namespace, expected] of Object.entries(samples)) {
    const asks = `<s:any namespace="${namespace}" processContents="lax"/>`;
    const { sample, input } = await called(t, { asks });
    assert.ok(sample.includes(`<sample xmlns="${expected}">`), sample);
    assert.match(JSON.stringify(input), /<sample\b.*>text</, `${namespace}: ${sample}`);
  }
});

/** Restrictions that one or two facets each make of a scalar; several of a line are types of their own. */
const RESTRICTED: Readonly<Record<string, readonly Facets[]>> = {
  string: [
    ...[{ minLength: 1, maxLength: 3 }, { length: 7 }, { maxLength: 0 }, { minLength: 200 }],
    ...[
      { whiteSpace: 'collapse', minLength: 4 },
      { pattern: '[A-Z]+', length: 5 },
    ],
    ...[
      '[A-Z]{2}\\d{4}',
      '[^@]+@[^.]+\\..+',
      '(foo|bar)+',
      '\\p{Lu}\\w*',
      '.{3,5}',
      'A{0,2}B+C?',
    ].map((pattern) => ({ pattern })),
  ],
  int: [
    ...[
      { minInclusive: 10, maxInclusive: 20 },
      { minExclusive: -5, maxExclusive: -3 },
    ],
    ...[{ totalDigits: 3 }, { pattern: '\\d{3}' }, { minInclusive: 100_000 }],
  ],
  long: [{ minInclusive: '9007199254740993' }, { pattern: '[1-9]\\d{11}' }],
  integer: [{ minExclusive: '100000000000000000000' }],
  decimal: [
    ...[{ minInclusive: '0.01', maxInclusive: '0.05' }, { pattern: '\\d+\\.\\d{2}' }],
    ...[{ minExclusive: 0, maxExclusive: 1 }, { maxExclusive: '-10.5' }],
    { minExclusive: '1.5', fractionDigits: 2 },
  ],
  double: [
    { minInclusive: '-1e3', maxInclusive: '1E-3' },
    { minExclusive: 0 },
    { maxExclusive: -1 },
  ],
  boolean: [{ pattern: '0|1' }, { pattern: 'false' }],
  dateTime: [
    ...[{ minInclusive: '2030-01-01T00:00:00Z' }, { maxExclusive: '2000-01-01T00:00:00' }],
    { minExclusive: '2024-02-29T12:00:00Z' },
  ],
  date: [
    ...[{ maxInclusive: '1999-12-31' }, { minExclusive: '2024-02-29' }],
    ...[{ maxExclusive: '2024-02-29' }, { pattern: '20\\d\\d-01-01' }],
  ],
  time: [{ minInclusive: '13:00:00' }, { maxExclusive: '08:00:00' }],
  gYear: [{ minInclusive: '2030' }, { maxExclusive: '2000' }],
  gMonth: [{ maxExclusive: '--02' }],
  duration: [{ minExclusive: 'P2D' }, { maxExclusive: 'PT1H' }],
  hexBinary: [{ length: 4 }, { maxLength: 1 }],
  base64Binary: [{ minLength: 10 }, { maxLength: 2 }],
  anyURI: [{ pattern: 'urn:.*' }, { minLength: 40 }],
  ID: [{ minLength: 6 }],
  QName: [{ pattern: '[A-Z]{2,}' }],
};

type Facets = Readonly<Record<string, string | number>>;

test('what a project sends in its tests is within every facet, in elements, attributes, lists and unions', async () => {
  const types = Object.entries(RESTRICTED).flatMap(([base, all]) =>
    all.map((facets) => {
      const inside = Object.entries(facets).map(([name, value]) => `<s:${name} value="${value}"/>`);
      return `<s:restriction base="s:${base}">${inside.join('')}</s:restriction>`;
    }),
  );
  const named = (name: string, inside: string) =>
    `<s:simpleType name="${name}">${inside}</s:simpleType>`;
  const numbers = '<s:simpleType><s:list itemType="s:int"/></s:simpleType>';
  const lists = [{ length: 3 }, { minLength: 2 }, { maxLength: 0 }].map((facets) => {
    const [[name, value]] = Object.entries(facets) as [[string, number]];
    return `<s:restriction>${numbers}<s:${name} value="${value}"/></s:restriction>`;
  });
  const one = (...values: readonly string[]) =>
    values.map((value) => `<s:enumeration value="${value}"/>`).join('');
  const status = named(
    '',
    `<s:restriction base="s:string">${one('On hold', 'Sold')}</s:restriction>`,
  );
  const either = '<s:simpleType><s:union memberTypes="s:int s:date"/></s:simpleType>';
  const chosen = [
    `<s:restriction>${numbers}${one('7 8', '9')}</s:restriction>`,
    `<s:restriction>${numbers}<s:pattern value="\\d{3} \\d{3}"/></s:restriction>`,
    `<s:restriction>${either}${one('2030-01-01')}</s:restriction>`,
    `<s:restriction>${either}<s:pattern value="20\\d\\d-.*"/></s:restriction>`,
    `<s:list>${status.replace(' name=""', '')}</s:list>`,
    '<s:list itemType="t:T5"/>',
  ];
  const all = [...types, ...lists, ...chosen, '<s:union memberTypes="t:T0 s:int"/>'];
  const member = (kind: string) => all.map((_, at) => `<s:${kind} name="m${at}" type="t:T${at}"/>`);
  const elements = member('element').join('');
  const attributes = member('attribute').join('').replaceAll('name="m', 'name="a');
  const { service } = await readWsdlText(
    wsdlOf({
      schema: `${all.map((inside, at) => named(`T${at}`, inside)).join('')}
        <s:complexType name="All"><s:sequence>${elements}</s:sequence>${attributes}</s:complexType>`,
      asks: '<s:element name="all" type="t:All"/>',
      answers: '<s:element name="all" type="t:All"/>',
    }),
    'old.wsdl',
  );
  const [call] = oldCalls(service, engineService(service), '/Old.asmx');
  const { sent, received, answered, read } = await call!.run();
  assert.deepEqual([received, read], [sent, answered]);
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
    const { code, stderr } = await made(t, wsdlOf(shape));
    assert.equal(code, 0, stderr);
  }
});

test('a sample has no id twice, and refers to none', async (t) => {
  const ser = 'http://schemas.microsoft.com/2003/10/Serialization/';
  const attributes = ['Id', 'Ref'].map(
    (name) => `<s:attribute xmlns:ser="${ser}" ref="ser:${name}"/>`,
  );
  const schema = `<s:import namespace="${ser}"/><s:complexType name="Line"><s:sequence><s:element name="sku" type="s:string"/></s:sequence>${attributes.join('')}<s:attribute name="must" type="s:ID" use="required"/></s:complexType>`;
  const asks = '<s:element name="line" type="t:Line" maxOccurs="unbounded"/>';
  const { sample } = await called(t, { schema, asks });
  assert.doesNotMatch(sample, /:(?:Id|Ref)=/);
  assert.match(sample, / must="/);
});
