import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

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
      assert.match(text, /a: it is a part of an array, or has several dimensions/);
    } else assert.deepEqual(got, expected, attributes);
  }
});
