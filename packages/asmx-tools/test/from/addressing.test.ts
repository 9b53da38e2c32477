import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../asmx/src/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const WSAW = 'http://www.w3.org/2006/05/addressing/wsdl';
const UTILITY =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

const REQUEST = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:a="http://www.w3.org/2005/08/addressing"><s:Header>
  <a:Action s:mustUnderstand="1">urn:old/Ask</a:Action><a:MessageID>urn:uuid:1</a:MessageID><a:To s:mustUnderstand="1">http://x/</a:To>
  </s:Header><s:Body><Ask xmlns="urn:old"/></s:Body></s:Envelope>`;

const post = async (url: string) => {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '"urn:old/Ask"' };
  const answer = await fetch(url, { method: 'POST', headers, body: REQUEST });
  return [answer.status, await answer.text()] as const;
};

test('WS-Addressing is spoken where the WSDL says so, with the actions that it names', async (t) => {
  const named = wsdlOf().replace(
    '<wsdl:output message="t:Out"/>',
    `<wsdl:output message="t:Out" xmlns:w="${WSAW}" w:Action="/AskConf"/>`,
  );
  const binding = '<wsdl:binding name="OldSoap" type="t:OldSoap">';
  const policy = `<wsp:Policy xmlns:wsp="http://www.w3.org/ns/ws-policy" xmlns:u="${UTILITY}" u:Id="p"><wsp:All><m:Addressing xmlns:m="http://www.w3.org/2007/05/addressing/metadata"/></wsp:All></wsp:Policy>`;
  for (const says of [
    named.replace(binding, `${binding}<w:UsingAddressing xmlns:w="${WSAW}"/>`),
    named
      .replace(
        binding,
        `${binding}<wsp:PolicyReference xmlns:wsp="http://www.w3.org/ns/ws-policy" URI="#p"/>`,
      )
      .replace('</wsdl:definitions>', `${policy}$&`),
  ]) {
    const url = await served(t, says, { Ask: () => undefined });
    const [status, text] = await post(url);
    assert.equal(status, 200, text);
    assert.match(text, />\/AskConf<\/[\w:]*Action>/);
    assert.match(text, /RelatesTo[^>]*>urn:uuid:1</);
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /<wsaw:UsingAddressing \/>/);
    assert.match(wsdl, /<wsdl:output wsaw:Action="\/AskConf"/);
  }
  const [status] = await post(await served(t, named, { Ask: () => undefined }));
  assert.equal(status, 500);
});

test('the SOAP 1.2 binding keeps its own action', async (t) => {
  const second = `<wsdl:binding name="Old12" type="t:OldSoap"><x:binding xmlns:x="http://schemas.xmlsoap.org/wsdl/soap12/" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="Ask"><x:operation xmlns:x="http://schemas.xmlsoap.org/wsdl/soap12/" soapAction="urn:old/Ask12"/><wsdl:input><x:body xmlns:x="http://schemas.xmlsoap.org/wsdl/soap12/" use="literal"/></wsdl:input><wsdl:output><x:body xmlns:x="http://schemas.xmlsoap.org/wsdl/soap12/" use="literal"/></wsdl:output></wsdl:operation></wsdl:binding>`;
  const port = (name: string) =>
    `<wsdl:port name="${name}" binding="t:${name}"><soap:address location="http://old.example/Old.asmx"/></wsdl:port>`;
  const wsdl = wsdlOf({ ports: port('OldSoap') + port('Old12'), more: second });
  const url = await served(t, wsdl, { Ask: () => undefined });
  const text = await (await fetch(`${url}?WSDL`)).text();
  assert.match(text, /<soap:operation soapAction="urn:old\/Ask"/);
  assert.match(text, /<soap12:operation soapAction="urn:old\/Ask12"/);
});

test('a fault has the action that the WSDL names for it', async (t) => {
  const old = wsdlOf({
    schema: '<s:element name="Bad" type="s:string"/>',
    portOperation: `<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>
      <wsdl:fault name="Bad" message="t:Bad" xmlns:w="${WSAW}" w:Action="urn:old/BadFault"/></wsdl:operation>`,
    more: '<wsdl:message name="Bad"><wsdl:part name="bad" element="t:Bad"/></wsdl:message>',
  }).replace(
    '<wsdl:binding name="OldSoap" type="t:OldSoap">',
    `$&<w:UsingAddressing xmlns:w="${WSAW}"/>`,
  );
  for (const [code, action] of [
    ['Bad', 'urn:old/BadFault'],
    ['Forbidden', 'http://www.w3.org/2005/08/addressing/soap/fault'],
  ] as const) {
    const url = await served(t, old, {
      Ask: () => {
        throw new ServiceError(code, 'No.', { detail: 'why' });
      },
    });
    const [status, text] = await post(url);
    assert.equal(status, 500);
    assert.ok(text.includes(`>${action}</wsa:Action>`), text);
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /<wsdl:fault name="Bad" wsaw:Action="urn:old\/BadFault"/);
  }
});
