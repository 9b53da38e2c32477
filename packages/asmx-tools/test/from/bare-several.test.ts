import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare } from '../../src/from/compare/compare.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const WSDL = wsdlOf({
  schema: `<s:element name="src" nillable="true" type="s:string"/><s:element name="dst" nillable="true" type="s:string"/><s:element name="v" type="s:double"/>
    <s:element name="AskResult" type="s:double"/><s:element name="note" nillable="true" type="s:string"/>`,
  messages: `<wsdl:message name="In"><wsdl:part name="src" element="t:src"/><wsdl:part name="dst" element="t:dst"/><wsdl:part name="v" element="t:v"/></wsdl:message>
    <wsdl:message name="Out"><wsdl:part name="AskResult" element="t:AskResult"/><wsdl:part name="note" element="t:note"/></wsdl:message>`,
});

test('bare parameters stand side by side in the body, and so do results', async (t) => {
  const got: unknown[] = [];
  const url = await served(t, WSDL, {
    Ask: (input) => {
      got.push({ ...input });
      return { value: 2.5, out: { note: input.src ?? null } };
    },
  });
  const call = (body: string) => soap(url, body, { action: 'urn:old/Ask' });
  const whole = await call(
    '<src xmlns="urn:old">a</src><dst xmlns="urn:old">b</dst><v xmlns="urn:old">1.5</v>',
  );
  assert.equal(
    whole.body,
    '<AskResult xmlns="urn:old">2.5</AskResult><note xmlns="urn:old">a</note>',
  );
  // The first may be nil or absent, and the order does not matter.
  const rest = await call('<v xmlns="urn:old">1.5</v><src xmlns="urn:old" xsi:nil="true" />');
  assert.equal(
    rest.body,
    '<AskResult xmlns="urn:old">2.5</AskResult><note xmlns="urn:old" xsi:nil="true" />',
  );
  assert.deepEqual(got, [
    { src: 'a', dst: 'b', v: 1.5 },
    { src: null, dst: undefined, v: 1.5 },
  ]);
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  const old = (await readWsdlText(WSDL, 'old.wsdl')).service;
  assert.deepEqual(compare(old, (await readWsdlText(wsdl, 'new.wsdl')).service).differences, []);
  assert.match(wsdl, /<wsdl:part name="dst" element="tns:dst" \/>/);
});
