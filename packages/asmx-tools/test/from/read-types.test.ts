import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { words } from '../../../asmx/src/contract/words.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { projectOf } from '../../src/from/from.ts';
import { oldCalls, readWsdlText } from '../../src/from/index.ts';
import type { NamedType, Service } from '../../src/from/normal-form.ts';
import { WsdlError } from '../../src/from/wsdl-error.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

async function read(shape: Shape): Promise<Service> {
  return (await readWsdlText(wsdlOf(shape), 'old.wsdl')).service;
}

/** The types of a contract that has one parameter of a type. */
async function typesOf(
  schema: string,
  type: string,
  schemas = '',
): Promise<Readonly<Record<string, NamedType>>> {
  return (await read({ schema, schemas, asks: `<s:element name="p" type="${type}"/>` })).types;
}

const URN = 'urn:old';
const once = { min: 1, max: 1 };
const element = (name: string, type: unknown, more = {}) => ({
  name,
  namespace: URN,
  type,
  ...once,
  ...more,
});

describe('what multiplies', () => {
  const levels = Array.from({ length: 40 }, (_, level) => level);
  const refusal = async (shape: Shape): Promise<string> => {
    try {
      const read = await readWsdlText(wsdlOf(shape), 'old.wsdl');
      await projectOf({ file: read.file, contracts: [read], notes: [] }, {});
    } catch (error) {
      if (error instanceof WsdlError) return error.message;
      throw error;
    }
    return 'none';
  };
  const asks = '<s:element name="p" type="t:T0"/>';

  test('groups of groups are refused', async () => {
    const twice = (level: number) => `<s:attributeGroup ref="t:G${level + 1}"/>`.repeat(2);
    const groups = levels.map(
      (level) => `<s:attributeGroup name="G${level}">${twice(level)}</s:attributeGroup>`,
    );
    const schema = `${groups.join('')}<s:attributeGroup name="G40"/>
      <s:complexType name="T0"><s:attributeGroup ref="t:G0"/></s:complexType>`;
    assert.match(
      await refusal({ schema, asks }),
      /Groups are referred to more than 100000 times\.$/,
    );
  });

  test('a message that no client could send has no sample, one that can be short has', async () => {
    const members = (level: number, more: string) =>
      ['a', 'b', 'c', 'd']
        .map((name) => `<s:element name="${name}"${more} type="t:T${level + 1}"/>`)
        .join('');
    const types = (more: string) =>
      [
        ...levels.map(
          (level) =>
            `<s:complexType name="T${level}"><s:sequence>${members(level, more)}</s:sequence></s:complexType>`,
        ),
        '<s:complexType name="T40"/>',
      ].join('');
    const skipped = async (shape: Shape) => {
      const { service } = await readWsdlText(wsdlOf(shape), 'old.wsdl');
      return oldCalls(service, engineService(service), '/Old.asmx')[0]!.skip;
    };
    const tooLarge = /A message of it cannot have fewer than 10000 elements\.$/;
    assert.match(String(await skipped({ schema: types(''), asks })), tooLarge);
    const many = '<s:element name="p" type="s:int" minOccurs="100000000" maxOccurs="unbounded"/>';
    assert.match(String(await skipped({ asks: many })), tooLarge);
    const short = { schema: types(' minOccurs="0" maxOccurs="unbounded"'), asks };
    assert.equal(await skipped(short), false);
    const long =
      '<s:simpleType name="T0"><s:restriction base="s:string"><s:minLength value="2000000000"/></s:restriction></s:simpleType>';
    assert.match(
      String(await skipped({ schema: long, asks })),
      /A text of it cannot have fewer than 100000 characters\.$/,
    );
  });
});

describe('scalars', () => {
  test('keep the name that XML Schema gives them; guid and char are .NET’s', async () => {
    const names = words('string unsignedLong decimal gYearMonth hexBinary anyType NMTOKENS');
    const asks = names.map((name) => `<s:element name="${name}" type="s:${name}"/>`).join('');
    const dotNet = '<s:element name="guid" type="m:guid"/><s:element name="char" type="m:char"/>';
    const { operations } = await read({ asks: asks + dotNet });
    assert.deepEqual(
      operations[0]!.parameters.map(({ type }) => type),
      [...names, 'guid', 'char'],
    );
  });

  test('an element without a type is anyType', async () => {
    assert.equal(
      (await read({ asks: '<s:element name="p"/>' })).operations[0]!.parameters[0]!.type,
      'anyType',
    );
  });
});

describe('simple types', () => {
  test('enumerations keep their values in order', async () => {
    const schema = `<s:simpleType name="Sky"><s:restriction base="s:string">
      <s:enumeration value="Sunny"/><s:enumeration value="Cloudy"/></s:restriction></s:simpleType>`;
    assert.deepEqual(await typesOf(schema, 't:Sky'), {
      Sky: {
        kind: 'enumeration',
        name: 'Sky',
        namespace: URN,
        base: 'string',
        values: ['Sunny', 'Cloudy'],
      },
    });
  });

  test('a list of enumerated values is .NET’s [Flags]', async () => {
    const schema = `<s:simpleType name="Days"><s:list><s:simpleType><s:restriction base="s:string">
      <s:enumeration value="Mo"/><s:enumeration value="Tu"/></s:restriction></s:simpleType></s:list></s:simpleType>`;
    const { Days } = await typesOf(schema, 't:Days');
    assert.deepEqual(Days, {
      ...{
        kind: 'enumeration',
        name: 'Days',
        namespace: URN,
        base: 'string',
        values: ['Mo', 'Tu'],
        flags: true,
      },
    });
  });

  test('the flag of 0 is the one that WCF says, or None, which is all that ASMX says', async () => {
    const number = (value: number) =>
      `<s:annotation><s:appinfo><EnumerationValue xmlns="http://schemas.microsoft.com/2003/10/Serialization/"
        >${value}</EnumerationValue></s:appinfo></s:annotation>`;
    const days = (name: string, zero = '') =>
      `<s:simpleType name="Days"><s:list><s:simpleType><s:restriction base="s:string">
      <s:enumeration value="Mo">${number(1)}</s:enumeration><s:enumeration value="${name}">${zero}</s:enumeration>
      </s:restriction></s:simpleType></s:list></s:simpleType>`;
    for (const [schema, zero] of [
      [days('Never', number(0)), 'Never'],
      [days('None'), 'None'],
      [days('Never'), undefined],
    ] as const) {
      const { Days } = await typesOf(schema, 't:Days');
      assert.equal((Days as { readonly zero?: string }).zero, zero);
    }
  });

  test('facets, patterns, lists and unions', async () => {
    const schema = `
      <s:simpleType name="Zip"><s:restriction base="s:string"><s:minLength value="5"/><s:maxLength value="9"/>
        <s:pattern value="\\d+"/><s:pattern value="X"/><s:whiteSpace value="collapse"/></s:restriction></s:simpleType>
      <s:simpleType name="Zips"><s:list itemType="t:Zip"/></s:simpleType>
      <s:simpleType name="Either"><s:union memberTypes="t:Zip s:int"><s:simpleType>
        <s:restriction base="s:date"><s:minInclusive value="2000-01-01"/></s:restriction></s:simpleType></s:union></s:simpleType>
      <s:complexType name="All"><s:sequence><s:element name="a" type="t:Zips"/><s:element name="b" type="t:Either"/>
        </s:sequence></s:complexType>`;
    const { Zip, Zips, Either, EitherMember } = await typesOf(schema, 't:All');
    assert.deepEqual(Zip, {
      ...{ kind: 'simple', name: 'Zip', namespace: URN, base: 'string' },
      facets: { minLength: 5, maxLength: 9, whiteSpace: 'collapse', patterns: ['\\d+', 'X'] },
    });
    assert.deepEqual(Zips, { kind: 'list', name: 'Zips', namespace: URN, item: { ref: 'Zip' } });
    assert.deepEqual(Either, {
      ...{ kind: 'union', name: 'Either', namespace: URN },
      members: [{ ref: 'Zip' }, 'int', { ref: 'EitherMember' }],
    });
    assert.deepEqual(EitherMember, {
      ...{ kind: 'simple', name: 'EitherMember', namespace: URN, anonymous: true, base: 'date' },
      facets: { minInclusive: '2000-01-01' },
    });
  });
});

describe('complex types', () => {
  test('a sequence with what may be absent, nil, repeated or has a default', async () => {
    const schema = `<s:complexType name="F"><s:sequence>
      <s:element name="a" type="s:int" nillable="true"/><s:element minOccurs="0" name="b" type="s:string"/>
      <s:element minOccurs="0" maxOccurs="unbounded" name="c" type="s:int" default="7"/>
      <s:element form="unqualified" name="d" type="s:int" fixed="1"/></s:sequence></s:complexType>`;
    const { F } = await typesOf(schema, 't:F');
    assert.deepEqual(F, {
      ...{ kind: 'object', name: 'F', namespace: URN, attributes: [] },
      content: [
        element('a', 'int', { nillable: true }),
        element('b', 'string', { min: 0 }),
        element('c', 'int', { min: 0, max: 'unbounded', default: '7' }),
        element('d', 'int', { namespace: '', fixed: '1' }),
      ],
    });
  });

  test('choice, groups and any keep their structure; what adds nothing is left out', async () => {
    const schema = `
      <s:group name="G"><s:sequence><s:element name="g" type="s:int"/></s:sequence></s:group>
      <s:complexType name="F"><s:sequence><s:choice minOccurs="0"><s:element name="a" type="s:int"/>
        <s:sequence><s:element name="b" type="s:int"/><s:element name="c" type="s:int"/></s:sequence></s:choice>
        <s:group ref="t:G"/><s:group ref="t:G" minOccurs="0" maxOccurs="3"/><s:sequence/>
        <s:any minOccurs="0" maxOccurs="unbounded" namespace="##other" processContents="lax"/></s:sequence></s:complexType>`;
    const { F } = await typesOf(schema, 't:F');
    assert.ok(F?.kind === 'object');
    assert.deepEqual(F.content, [
      {
        ...{ kind: 'choice', min: 0, max: 1 },
        content: [
          element('a', 'int'),
          { kind: 'sequence', ...once, content: [element('b', 'int'), element('c', 'int')] },
        ],
      },
      element('g', 'int'),
      element('g', 'int', { min: 0, max: 3, property: 'g2' }),
      { kind: 'any', min: 0, max: 'unbounded', namespace: '##other', processContents: 'lax' },
    ]);
  });

  test('xs:all says that order is free', async () => {
    const schema =
      '<s:complexType name="F"><s:all><s:element name="a" type="s:int"/></s:all></s:complexType>';
    const { F } = await typesOf(schema, 't:F');
    assert.deepEqual(F, {
      ...{
        kind: 'object',
        name: 'F',
        namespace: URN,
        all: true,
        attributes: [],
        content: [element('a', 'int')],
      },
    });
  });

  test('attributes, their groups, simple content', async () => {
    const schema = `
      <s:attributeGroup name="G"><s:attribute name="unit" type="s:string" use="required"/></s:attributeGroup>
      <s:complexType name="F"><s:simpleContent><s:extension base="s:decimal"><s:attributeGroup ref="t:G"/>
        <s:attribute name="scale" type="s:int" default="1"/><s:attribute ref="xml:lang"/><s:anyAttribute/>
        </s:extension></s:simpleContent></s:complexType>`;
    const { F } = await typesOf(schema, 't:F');
    assert.deepEqual(F, {
      ...{
        kind: 'object',
        name: 'F',
        namespace: URN,
        content: [],
        anyAttribute: true,
        text: 'decimal',
      },
      attributes: [
        { name: 'unit', namespace: '', type: 'string', required: true },
        { name: 'scale', namespace: '', type: 'int', default: '1' },
        { name: 'lang', namespace: 'http://www.w3.org/XML/1998/namespace', type: 'string' },
      ],
    });
  });

  test('extension: the types that extend a used one come, too, with names of their own for what they add', async () => {
    const schema = `
      <s:complexType name="Animal" abstract="true"><s:sequence><s:element name="name" type="s:string"/></s:sequence></s:complexType>
      <s:complexType name="Dog"><s:complexContent><s:extension base="t:Animal"><s:sequence>
        <s:element name="name" type="s:int"/></s:sequence><s:attribute name="name" type="s:int"/></s:extension></s:complexContent></s:complexType>
      <s:complexType name="Stone"/>`;
    const types = await typesOf(schema, 't:Animal');
    assert.deepEqual(Object.keys(types), ['Animal', 'Dog']);
    assert.deepEqual(types.Dog, {
      ...{ kind: 'object', name: 'Dog', namespace: URN, extends: 'Animal' },
      content: [element('name', 'int', { property: 'name2' })],
      attributes: [{ name: 'name', namespace: '', type: 'int', property: 'name3' }],
    });
  });

  test('restriction has what it says, and its base’s attributes but the prohibited', async () => {
    const schema = `
      <s:complexType name="B"><s:sequence><s:element name="a" type="s:int" minOccurs="0"/><s:element name="b" type="s:int"/></s:sequence>
        <s:attribute name="x" type="s:int"/><s:attribute name="y" type="s:int"/></s:complexType>
      <s:complexType name="R"><s:complexContent><s:restriction base="t:B"><s:sequence><s:element name="b" type="s:int"/></s:sequence>
        <s:attribute name="x" use="prohibited"/></s:restriction></s:complexContent></s:complexType>`;
    const { R } = await typesOf(schema, 't:R');
    assert.deepEqual(R, {
      ...{ kind: 'object', name: 'R', namespace: URN, extends: 'B', restricts: true },
      content: [element('b', 'int')],
      attributes: [{ name: 'y', namespace: '', type: 'int' }],
    });
  });

  test('recursive types refer to each other by key', async () => {
    const schema = `
      <s:complexType name="Node"><s:sequence><s:element name="next" type="t:Node"/><s:element ref="t:leaf"/></s:sequence></s:complexType>
      <s:element name="leaf"><s:complexType><s:sequence><s:element ref="t:leaf" minOccurs="0"/></s:sequence></s:complexType></s:element>`;
    const { Node, Leaf } = await typesOf(schema, 't:Node');
    assert.ok(Node?.kind === 'object' && Leaf?.kind === 'object');
    assert.deepEqual(Node.content, [
      element('next', { ref: 'Node' }),
      element('leaf', { ref: 'Leaf' }),
    ]);
    assert.deepEqual(Leaf.content, [element('leaf', { ref: 'Leaf' }, { min: 0 })]);
  });

  test('a substitution group is a choice of its members', async () => {
    const schema = `
      <s:element name="shape" type="s:anyType" abstract="true"/><s:element name="round" type="s:int" substitutionGroup="t:shape"/>
      <s:element name="square" type="s:string" substitutionGroup="t:shape"/>
      <s:complexType name="F"><s:sequence><s:element ref="t:shape" maxOccurs="unbounded"/></s:sequence></s:complexType>`;
    const { F } = await typesOf(schema, 't:F');
    assert.ok(F?.kind === 'object');
    assert.deepEqual(F.content, [
      {
        kind: 'choice',
        min: 1,
        max: 'unbounded',
        content: [element('round', 'int'), element('square', 'string')],
      },
    ]);
  });

  test('types of one name in two namespaces have two keys', async () => {
    const other = `<s:schema targetNamespace="urn:other"><s:complexType name="F"><s:sequence><s:element name="x" type="s:int"/></s:sequence></s:complexType></s:schema>`;
    const schema =
      '<s:complexType name="F"><s:sequence><s:element name="f" type="u:F"/></s:sequence></s:complexType>';
    const { F, F2 } = await typesOf(schema, 't:F', other);
    assert.ok(F?.kind === 'object' && F2?.kind === 'object');
    assert.deepEqual(F.content, [element('f', { ref: 'F2' })]);
    assert.deepEqual(F2.content, [element('x', 'int', { namespace: '' })]);
  });
});

describe('the shapes of .NET', () => {
  const shapes: readonly [type: string, schema: string][] = [
    ['DataSet', '<s:element ref="s:schema"/><s:any/>'],
    [
      'DataTable',
      '<s:any minOccurs="0" maxOccurs="unbounded" namespace="http://www.w3.org/2001/XMLSchema" processContents="lax"/><s:any minOccurs="1" namespace="urn:schemas-microsoft-com:xml-diffgram-v1" processContents="lax"/>',
    ],
  ];
  for (const [type, sequence] of shapes) {
    test(type, async () => {
      const answers = `<s:element name="AskResult" minOccurs="0"><s:complexType><s:sequence>${sequence}</s:sequence></s:complexType></s:element>`;
      assert.equal((await read({ answers })).operations[0]!.result!.type, type);
    });
  }

  test('XmlElement', async () => {
    const asks =
      '<s:element name="p"><s:complexType mixed="true"><s:sequence><s:any/></s:sequence></s:complexType></s:element>';
    assert.equal((await read({ asks })).operations[0]!.parameters[0]!.type, 'xml');
  });

  test('ArrayOf… is an array, but not where another type extends it', async () => {
    const array =
      '<s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="int" nillable="true" type="s:int"/></s:sequence>';
    const plain = await typesOf(
      `<s:complexType name="ArrayOfInt">${array}</s:complexType>`,
      't:ArrayOfInt',
    );
    assert.deepEqual(plain.ArrayOfInt, {
      ...{ kind: 'array', name: 'ArrayOfInt', namespace: URN },
      item: element('int', 'int', { min: 0, max: 'unbounded', nillable: true }),
    });
    const extended = `<s:complexType name="ArrayOfInt">${array}</s:complexType><s:complexType name="More"><s:complexContent>
      <s:extension base="t:ArrayOfInt"/></s:complexContent></s:complexType>`;
    assert.equal((await typesOf(extended, 't:ArrayOfInt')).ArrayOfInt?.kind, 'object');
  });

  for (const encoding of [
    'http://schemas.xmlsoap.org/soap/encoding/',
    'http://www.w3.org/2003/05/soap-encoding',
  ]) {
    test(`soapenc:Array of ${encoding}`, async () => {
      const schema = `<s:complexType name="Names" xmlns:e="${encoding}"><s:complexContent><s:restriction base="e:Array">
        <s:attribute ref="e:arrayType" wsdl:arrayType="s:string[]"/></s:restriction></s:complexContent></s:complexType>`;
      const { Names } = await typesOf(schema, 't:Names');
      assert.deepEqual(Names, {
        ...{ kind: 'array', name: 'Names', namespace: URN, encoded: true },
        item: element('item', 'string', {
          namespace: '',
          min: 0,
          max: 'unbounded',
          nillable: true,
        }),
      });
    });
  }
});

test('the drafts of XML Schema of 1999 and 2000 are read as it', async () => {
  for (const draft of ['1999', '2000/10']) {
    const { types } = await readWsdlText(
      wsdlOf({
        schemas: `<d:schema xmlns:d="http://www.w3.org/${draft}/XMLSchema" targetNamespace="urn:other">
          <d:complexType name="E"><d:element name="when" type="d:timeInstant"/>
          <d:element name="n" type="d:int" minOccurs="0"/></d:complexType></d:schema>`,
        asks: '<s:element name="p" type="u:E"/>',
      }),
      'old.wsdl',
    ).then(({ service }) => service);
    const { E } = types;
    assert.ok(E?.kind === 'object');
    assert.deepEqual(
      E.content.map((each) => 'type' in each && [each.name, each.type, each.min]),
      [
        ['when', 'dateTime', 1],
        ['n', 'int', 0],
      ],
    );
  }
});
