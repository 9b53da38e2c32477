import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint } from '@ws01/asmx';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
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

test('document/encoded without one is served with the elements side by side', async (t) => {
  const got: unknown[] = [];
  const parts = (...all: readonly (readonly [string, string])[]) =>
    all.map(([name, of]) => `<wsdl:part name="${name}" type="${of}"/>`).join('');
  const bare = wsdlOf({
    schema: type('Pair', element('Name', 's:string')),
    messages: `<wsdl:message name="In">${parts(['a', 's:int'], ['pair', 't:Pair'])}</wsdl:message>
      <wsdl:message name="Out">${parts(['AskResult', 't:Pair'])}</wsdl:message>`,
    bound: `<wsdl:input>${BOUND}</wsdl:input><wsdl:output>${BOUND}</wsdl:output>`,
  });
  const url = await served(t, bare, {
    Ask: (input) => {
      got.push({ ...input });
      return input.pair;
    },
  });
  // In the namespace of the body, as ASP.NET has it, or in none, as PHP has it; what is referred
  // to may come anywhere.
  for (const uri of ['urn:old', ''])
    assert.match(
      (
        await soap(
          url,
          `<a xmlns="${uri}" xsi:type="xsd:int">1</a>
          <q:Pair id="i" xmlns:q="urn:old"><Name>n</Name></q:Pair><pair xmlns="${uri}" href="#i"/>`,
          { action: 'urn:old/Ask' },
        )
      ).body,
      /^<AskResult xmlns="urn:old" [^>]*xsi:type="q1:Pair"><Name xmlns="" [^>]*>n<\/Name><\/AskResult>$/,
    );
  assert.deepEqual(got, Array(2).fill({ a: 1, pair: { Name: 'n' } }));
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.match(wsdl, /<wsdl:part name="pair" type="tns:Pair" \/>/);
  assert.match(
    wsdl,
    /style="document" \/>\s*<wsdl:input>\s*<soap:body use="encoded" namespace="urn:old" encodingStyle=/,
  );
  const old = await readWsdlText(bare, 'old.wsdl');
  const differences = compare(old.service, (await readWsdlText(wsdl, 'new.wsdl')).service);
  assert.deepEqual(differences.differences, []);
});

test('by hand, encoded messages are of the styles rpc and bare', () => {
  const contract = {
    name: 'S',
    namespace: 'urn:s',
    operations: [
      {
        name: 'Do',
        documentation: '',
        style: 'wrapped',
        use: 'encoded',
        parameters: [],
        result: 'int',
      },
    ],
  };
  const make = () =>
    createEndpoint(contract as never, { path: '/s.asmx', handlers: { Do: () => 1 } as never });
  assert.throws(make, /operations\.Do\.use: only messages of the styles rpc and bare are encoded/);
});
