import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

/**
 * Parts as WS-I forbids them and WSDL 1.1 allows: types in document style (R2204), elements in
 * rpc style (R2203).
 */
const PAIR = `<s:complexType name="Pair"><s:sequence><s:element name="a" type="s:string"/></s:sequence></s:complexType>
  <s:element name="pair" type="t:Pair"/>`;
const messages = (input: string, output: string) =>
  `<wsdl:message name="AskRequest">${input}</wsdl:message><wsdl:message name="AskAnswer">${output}</wsdl:message>`;
const portOperation = `<wsdl:operation name="Ask"><wsdl:input message="t:AskRequest"/>
  <wsdl:output message="t:AskAnswer"/></wsdl:operation>`;
const rpcBody = '<soap:body use="literal" namespace="urn:old"/>';

const CASES: readonly (readonly [
  what: string,
  shape: Shape,
  sent: string,
  got: unknown,
  answered: string,
  part: RegExp,
])[] = [
  [
    'a document part that names a type is an element of its name, in no namespace',
    {
      messages: messages(
        '<wsdl:part name="what" type="t:Pair"/>',
        '<wsdl:part name="Answer" type="s:int"/>',
      ),
    },
    '<what><a xmlns="urn:old">x</a></what>',
    { what: { a: 'x' } },
    '<Answer>5</Answer>',
    /<wsdl:part name="what" type="tns:Pair" \/>[\s\S]*<wsdl:part name="Answer" type="s:int" \/>/,
  ],
  [
    'types and elements stand side by side',
    {
      messages: messages(
        '<wsdl:part name="n" type="s:int"/><wsdl:part name="p" element="t:pair"/>',
        '<wsdl:part name="Answer" type="s:int"/>',
      ),
    },
    '<n>3</n><pair xmlns="urn:old"><a>x</a></pair>',
    { n: 3, pair: { a: 'x' } },
    '<Answer>5</Answer>',
    /<wsdl:part name="n" type="s:int" \/>\s*<wsdl:part name="pair" element="tns:pair" \/>/,
  ],
  [
    'an rpc part that names an element is that element inside the wrapper',
    {
      style: 'rpc',
      messages: messages(
        '<wsdl:part name="p" element="t:pair"/>',
        '<wsdl:part name="r" type="s:int"/>',
      ),
      bound: `<wsdl:input>${rpcBody}</wsdl:input><wsdl:output>${rpcBody}</wsdl:output>`,
    },
    '<m:Ask xmlns:m="urn:old"><pair xmlns="urn:old"><a>x</a></pair></m:Ask>',
    { pair: { a: 'x' } },
    '<m:AskResponse xmlns:m="urn:old"><r>5</r></m:AskResponse>',
    /<wsdl:part name="pair" element="tns:pair" \/>/,
  ],
];

for (const [what, shape, sent, got, answered, part] of CASES) {
  test(what, async (t) => {
    const old = wsdlOf({ schema: PAIR, portOperation, ...shape });
    const calls: unknown[] = [];
    const url = await served(t, old, {
      Ask: (input) => {
        calls.push({ ...input });
        return 5;
      },
    });
    assert.equal((await soap(url, sent, { action: 'urn:old/Ask' })).body, answered);
    assert.deepEqual(calls, [got]);
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, part);
    // Messages keep their names.
    assert.match(
      wsdl,
      /<wsdl:input message="tns:AskRequest" \/>\s*<wsdl:output message="tns:AskAnswer" \/>/,
    );
    const before = await readWsdlText(old, 'old.wsdl');
    const after = await readWsdlText(wsdl, 'new.wsdl');
    assert.deepEqual(compare(before.service, after.service).differences, []);
    assert.deepEqual(after.service.operations[0]!.input.message, 'AskRequest');
  });
}

test('parts and messages keep their names, but where another message would get that of one', async (t) => {
  const old = wsdlOf({
    schema: '<s:element name="Token" type="s:string"/>',
    messages: `<wsdl:message name="AskToken"><wsdl:part name="question" element="t:Ask"/></wsdl:message>
      <wsdl:message name="Answer"><wsdl:part name="body" element="t:AskResponse"/></wsdl:message>
      <wsdl:message name="Auth"><wsdl:part name="t" element="t:Token"/></wsdl:message>`,
    portOperation:
      '<wsdl:operation name="Ask"><wsdl:input message="t:AskToken"/><wsdl:output message="t:Answer"/></wsdl:operation>',
    bound: `<wsdl:input><soap:header message="t:Auth" part="t" use="literal"/><soap:body use="literal"/></wsdl:input>
      <wsdl:output><soap:body use="literal"/></wsdl:output>`,
  });
  const url = await served(t, old, { Ask: () => undefined });
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.match(
    wsdl,
    /<wsdl:message name="AskSoapIn">\s*<wsdl:part name="question" element="tns:Ask" \/>/,
  );
  assert.match(
    wsdl,
    /<wsdl:message name="Answer">\s*<wsdl:part name="body" element="tns:AskResponse" \/>/,
  );
  assert.match(
    wsdl,
    /<wsdl:message name="AskToken">\s*<wsdl:part name="Token" element="tns:Token" \/>/,
  );
});

test('an action with percent signs is known as it is written', async (t) => {
  const action = 'http://old.example/Listing%201.php#Ask';
  const old = wsdlOf().replace('urn:old/Ask', action);
  const url = await served(t, old, { Ask: () => undefined });
  const { body } = await soap(url, '<Ask xmlns="urn:old"/>', { action });
  assert.equal(body, '<AskResponse xmlns="urn:old" />');
});
