import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const BOUND =
  '<soap:body use="encoded" namespace="urn:old" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';

/** An rpc/encoded operation that takes and answers a value of a type. */
const wsdlWith = (type: string) =>
  wsdlOf({
    style: 'rpc',
    schema: `<s:complexType name="Texts"><s:complexContent><s:restriction base="soapenc:Array"><s:attribute ref="soapenc:arrayType" wsdl:arrayType="s:string[]"/></s:restriction></s:complexContent></s:complexType>`,
    messages: `<wsdl:message name="In"><wsdl:part name="a" type="${type}"/></wsdl:message><wsdl:message name="Out"><wsdl:part name="r" type="${type}"/></wsdl:message>`,
    bound: `<wsdl:input>${BOUND}</wsdl:input><wsdl:output>${BOUND}</wsdl:output>`,
  });

const ENCODING = {
  '1.1': 'http://schemas.xmlsoap.org/soap/encoding/',
  '1.2': 'http://www.w3.org/2003/05/soap-encoding',
} as const;

test('items of an encoded array have the type that the array says; what is no whole list is refused', async (t) => {
  for (const [type, version, attributes, expected] of [
    ['soapenc:Array', '1.1', 'e:arrayType="xsd:int[2]"', [1, 2]],
    ['soapenc:Array', '1.2', 'e:itemType="xsd:int" e:arraySize="2"', [1, 2]],
    [
      'soapenc:Array',
      '1.2',
      'e:itemType="xsd:decimal" e:arraySize="*"',
      [
        { $type: 'decimal', value: '1' },
        { $type: 'decimal', value: '2' },
      ],
    ],
    ['t:Texts', '1.1', 'e:arrayType="xsd:string[2]" e:offset="[0]"', ['1', '2']],
    ['t:Texts', '1.1', 'e:arrayType="xsd:string[1,2]"', undefined],
    ['t:Texts', '1.1', 'e:arrayType="xsd:string[4]" e:offset="[2]"', undefined],
    ['t:Texts', '1.2', 'e:itemType="xsd:string" e:arraySize="2 1"', undefined],
  ] as const) {
    let got: unknown;
    const url = await served(t, wsdlWith(type), {
      Ask: ({ a }) => {
        got = a;
        return a;
      },
    });
    const body = `<m:Ask xmlns:m="urn:old"><a xmlns:e="${ENCODING[version]}" ${attributes}><i>1</i><i>2</i></a></m:Ask>`;
    const { status, text } = await soap(url, body);
    if (expected === undefined) {
      assert.equal(status, 500);
      assert.match(
        text,
        /a: it (is a part of an array; send all of it|has 2 dimensions; its type has 1)\./,
      );
    } else assert.deepEqual(got, expected, attributes);
  }
});

test('an array whose items say that others are left out is refused; those in order may say so', async (t) => {
  const url = await served(t, wsdlWith('t:Texts'), { Ask: ({ a }) => a });
  const sent = (...positions: readonly number[]) => {
    const items = positions.map((at) => `<i e:position="[${at}]">${at}</i>`).join('');
    const array = `<a ${ENC} e:arrayType="xsd:string[4]">${items}</a>`;
    return soap(url, `<m:Ask xmlns:m="urn:old">${array}</m:Ask>`);
  };
  assert.match((await sent(0, 1)).body, />0<\/item><item [^>]*>1<\/item><\/r>/);
  for (const positions of [[0, 3], [1], [1, 0]]) {
    const { status, text } = await sent(...positions);
    assert.equal(status, 500);
    assert.match(text, /a: it is a part of an array; send all of it\./);
  }
});

/** An array type of the WSDL. */
const typed = (name: string, arrayType: string) =>
  `<s:complexType name="${name}"><s:complexContent><s:restriction base="soapenc:Array">
    <s:attribute ref="soapenc:arrayType" wsdl:arrayType="${arrayType}"/>
    </s:restriction></s:complexContent></s:complexType>`;
const ENC = `xmlns:e="${ENCODING['1.1']}"`;
const cells = (...values: readonly unknown[]) => values.map((each) => `<i>${each}</i>`).join('');

test('arrays of several dimensions, and of arrays, are lists of lists; in the answer and in JSON too', async (t) => {
  for (const [arrayType, sent, got, answered] of [
    [
      's:int[,]',
      `e:arrayType="xsd:int[2,3]">${cells(1, 2, 3, 4, 5, 6)}`,
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      'q1:int[2,3]',
    ],
    ['s:int[,,]', `e:arrayType="xsd:int[2,1,1]">${cells(1, 2)}`, [[[1]], [[2]]], 'q1:int[2,1,1]'],
    ['s:int[,]', 'e:arrayType="xsd:int[0,0]">', [], 'q1:int[0,0]'],
    [
      's:int[][]',
      `e:arrayType="xsd:int[][2]"><i e:arrayType="xsd:int[1]">${cells(7)}</i>
      <i e:arrayType="xsd:int[2]">${cells(8, 9)}</i>`,
      [[7], [8, 9]],
      'q1:int[][2]',
    ],
    [
      's:int[,][]',
      `e:arrayType="xsd:int[,][1]"><i e:arrayType="xsd:int[1,2]">${cells(1, 2)}</i>`,
      [[[1, 2]]],
      'q1:int[,][1]',
    ],
  ] as const) {
    const wsdl = wsdlWith('t:Grid').replace('</s:schema>', `${typed('Grid', arrayType)}$&`);
    const calls: unknown[] = [];
    const url = await served(t, wsdl, {
      Ask: ({ a }) => {
        calls.push(a);
        return a;
      },
    });
    const call = `<m:Ask xmlns:m="urn:old"><a ${ENC} ${sent}</a></m:Ask>`;
    const { body } = await soap(url, call);
    assert.deepEqual(calls, [got], arrayType);
    assert.ok(body.includes(`soapenc:arrayType="${answered}"`), body);
    // What was answered is read back as the same.
    await soap(
      url,
      body.replaceAll('AskResponse', 'Ask').replace(/<r\b/, '<a').replace('</r>', '</a>'),
    );
    assert.deepEqual(calls[1], got, arrayType);
    const served_ = await (await fetch(`${url}?WSDL`)).text();
    const [before, after] = [await readWsdlText(wsdl, 'old'), await readWsdlText(served_, 'new')];
    assert.deepEqual(compare(before.service, after.service).differences, []);
  }
});

test('rows that are not as the array says, or not of one length, are refused', async (t) => {
  const wsdl = wsdlWith('t:Grid').replace('</s:schema>', `${typed('Grid', 's:int[,]')}$&`);
  const url = await served(t, wsdl, { Ask: () => [[1, 2], [3]] });
  for (const [sent, reason] of [
    [
      `e:arrayType="xsd:int[2,2]">${cells(1, 2, 3)}`,
      /it has 3 items, and says that it is of \[2,2\]/,
    ],
    [`e:arrayType="xsd:int[,]">${cells(1, 2)}`, /it has 2 items, and says that it is of \[0,0\]/],
    [`e:arrayType="xsd:int[1000000000,0]">${cells(1)}`, /it has 1 items/],
    [`e:arrayType="xsd:int[2]">${cells(1, 2)}`, /it has 1 dimensions; its type has 2/],
    [`e:arrayType="xsd:int[1,1]">${cells(1)}`, /The reason is in the log|Internal/],
  ] as const) {
    const { status, text } = await soap(
      url,
      `<m:Ask xmlns:m="urn:old"><a ${ENC} ${sent}</a></m:Ask>`,
    );
    assert.equal(status, 500);
    assert.match(text, reason);
  }
});

test('an array of SOAP 1.2 has the items and dimensions that the WSDL says, in the notation that PHP reads', async () => {
  for (const [size, rank] of [
    ['*', undefined],
    ['* 3', 2],
    ['2 2 2', 3],
  ] as const) {
    const array = `<s:complexType name="Numbers"><s:complexContent>
      <s:restriction base="e:Array" xmlns:e="http://www.w3.org/2003/05/soap-encoding">
        <s:attribute ref="e:itemType" wsdl:itemType="s:int"/><s:attribute ref="e:arraySize" wsdl:arraySize="${size}"/>
      </s:restriction></s:complexContent></s:complexType>`;
    const wsdl = wsdlWith('t:Numbers').replace('</s:schema>', `${array}</s:schema>`);
    const { service } = await readWsdlText(wsdl, 'old.wsdl');
    const { Numbers } = service.types;
    assert.ok(Numbers?.kind === 'array' && Numbers.encoded);
    assert.deepEqual([Numbers.item.type, Numbers.rank], ['int', rank]);
  }
});

test('a text that is restricted in its place is the same in the WSDL that is served', async () => {
  const texts = `<s:complexType name="Wide"><s:simpleContent><s:extension base="s:int"/></s:simpleContent></s:complexType>
    <s:complexType name="Narrow"><s:simpleContent><s:restriction base="t:Wide"><s:attribute name="x" type="s:int"/>
    </s:restriction></s:simpleContent></s:complexType>`;
  const wsdl = wsdlWith('t:Narrow').replace('</s:schema>', `${texts}</s:schema>`);
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  await servedAlike(service);
});
