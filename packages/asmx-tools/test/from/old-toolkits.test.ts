import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const body = `<soap:body use="encoded" namespace="urn:b" encodingStyle="${ENCODING}"/>`;

/** An rpc/encoded operation that gives back its part. */
const encoded = (type: string) =>
  wsdlOf({
    style: 'rpc',
    messages: ['In', 'Out']
      .map(
        (name) =>
          `<wsdl:message name="${name}"><wsdl:part name="a" type="${type}"/></wsdl:message>`,
      )
      .join(''),
    bound: `<wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output>`,
  });

/** What a handler that echoes got, and what it answered. */
async function echoed(
  t: { after(close: () => unknown): void },
  wsdl: string,
  call: string,
): Promise<{ readonly got: unknown; readonly answer: Awaited<ReturnType<typeof soap>> }> {
  const seen: unknown[] = [];
  const url = await served(t, wsdl, {
    Ask: ({ a }) => {
      seen.push(a);
      return a;
    },
  });
  const answer = await soap(url, call, { action: 'urn:old/Ask' });
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  await servedAlike(service);
  return { got: seen.pop(), answer };
}

test('a scalar of SOAP encoding may be null, as Axis’s java.lang.Integer', async (t) => {
  const call = (inside: string) => `<m:Ask xmlns:m="urn:b">${inside}</m:Ask>`;
  const nil = await echoed(t, encoded('soapenc:int'), call('<a xsi:nil="true"/>'));
  assert.equal(nil.got, null);
  assert.match(nil.answer.body, /<a xsi:nil="true" \/>/);
  const plain = await echoed(t, encoded('s:int'), call('<a xsi:nil="true"/>'));
  assert.equal(plain.got, 0);
});

test('an array of any type says what is in it, as PHP’s', async (t) => {
  const items = '<item xsi:type="xsd:int">1</item>';
  const call = `<m:Ask xmlns:m="urn:b" xmlns:e="${ENCODING}"><a xsi:type="e:Array" e:arrayType="xsd:int[1]">${items}</a></m:Ask>`;
  const { got, answer } = await echoed(t, encoded('s:anyType'), call);
  assert.equal((got as { readonly $type: string }).$type, `{${ENCODING}}Array`);
  assert.match(answer.body, /xsi:type="q1:Array" xmlns:q2="[^"]*" q2:arrayType="xsd:int\[1\]">/);
});

test('any elements in two places come in both', async (t) => {
  const member = '<s:element name="a" type="t:A"/>';
  const any = (namespace: string, max = '1') =>
    `<s:any namespace="${namespace}" minOccurs="0" maxOccurs="${max}" processContents="lax"/>`;
  const wsdl = wsdlOf({
    schema: `<s:complexType name="A"><s:sequence>${any('urn:x')}<s:element name="m" type="s:int"/>
      ${any('##targetNamespace urn:y', 'unbounded')}</s:sequence></s:complexType>`,
    asks: member,
    answers: member,
  });
  for (const first of ['<p xmlns="urn:x">1</p>', '']) {
    const inside = `<a>${first}<m>2</m><q xmlns="urn:y">3</q><r xmlns="urn:old">4</r></a>`;
    const { got, answer } = await echoed(t, wsdl, `<Ask xmlns="urn:old">${inside}</Ask>`);
    const { any: one, any2: more } = got as { readonly any?: string; readonly any2?: string[] };
    assert.equal(one ?? '', first);
    assert.deepEqual(more, ['<q xmlns="urn:y">3</q>', '<r xmlns="urn:old">4</r>']);
    assert.equal(answer.headers.get('x-warning'), null);
    assert.ok(answer.body.includes(first) && answer.body.includes('<q xmlns="urn:y">3</q>'));
  }
});

test('attributes of what is nil are told', async (t) => {
  const member = '<s:element name="a" type="t:A" nillable="true"/>';
  const wsdl = wsdlOf({
    schema: '<s:complexType name="A"><s:attribute name="n" type="s:int"/></s:complexType>',
    asks: member,
    answers: member,
  });
  const { got, answer } = await echoed(
    t,
    wsdl,
    '<Ask xmlns="urn:old"><a n="5" xsi:nil="1"/></Ask>',
  );
  assert.equal(got, null);
  assert.match(answer.headers.get('x-warning') ?? '', /a\.@n/);
});
