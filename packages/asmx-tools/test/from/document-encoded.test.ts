import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint } from '@ws01/asmx';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const BOUND =
  '<soap:body use="encoded" namespace="urn:old" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';
const element = (name: string, type: string) =>
  `<s:element minOccurs="0" form="unqualified" name="${name}" type="${type}"/>`;
const type = (name: string, content: string) =>
  `<s:complexType name="${name}"><s:sequence>${content}</s:sequence></s:complexType>`;

const wsdl = (input: string) =>
  wsdlOf({
    schema:
      type('Ask', element('pair', 't:Pair')) +
      type('Pair', element('Name', 's:string') + element('Rate', 's:double')) +
      type('AskResponse', element('AskResult', 't:Pair')),
    messages: `<wsdl:message name="In"><wsdl:part name="parameters" type="${input}"/></wsdl:message><wsdl:message name="Out"><wsdl:part name="parameters" type="t:AskResponse"/></wsdl:message>`,
    bound: `<wsdl:input>${BOUND}</wsdl:input><wsdl:output>${BOUND}</wsdl:output>`,
  });

test('document/encoded with a wrapper is served as ASP.NET writes it', async (t) => {
  const url = await served(t, wsdl('t:Ask'), { Ask: ({ pair }) => pair });
  const { body } = await soap(
    url,
    '<q1:Ask xmlns:q1="urn:old"><pair href="#id1"/></q1:Ask><q2:Pair id="id1" xsi:type="q2:Pair" xmlns:q2="urn:old"><Name xsi:type="xsd:string">n</Name><Rate xsi:type="xsd:double">2.5</Rate></q2:Pair>',
  );
  assert.match(
    body,
    /^<m:AskResponse xmlns:m="urn:old"><AskResult [^>]*xsi:type="q1:Pair"><Name xsi:type="xsd:string">n<\/Name><Rate xsi:type="xsd:double">2\.5<\/Rate><\/AskResult><\/m:AskResponse>$/,
  );
});

test('document/encoded without one is refused, by hand too', async () => {
  await assert.rejects(
    readWsdlText(wsdl('s:int'), 'old.wsdl'),
    /document\/encoded without a wrapper/,
  );
  for (const style of ['wrapped', 'bare'] as const) {
    const operation = {
      name: 'Do',
      documentation: '',
      style,
      use: 'encoded',
      parameters: [],
      result: 'int',
    };
    const contract = { name: 'S', namespace: 'urn:s', operations: [operation] };
    const make = () =>
      createEndpoint(contract as never, { path: '/s.asmx', handlers: { Do: () => 1 } as never });
    assert.throws(make, /operations\.Do\.use: only messages of the style rpc are encoded/);
  }
});
