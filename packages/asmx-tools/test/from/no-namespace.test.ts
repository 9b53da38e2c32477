import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const action = 'urn:old/Ask';

/** A schema without a targetNamespace beside that of `urn:old`; each refers to the other. */
const NAMELESS = wsdlOf({
  schemas: `<s:schema>
    <s:import namespace="urn:old"/>
    <s:element name="Ask"><s:complexType><s:sequence><s:element name="a" type="Base"/></s:sequence></s:complexType></s:element>
    <s:element name="AskResponse"><s:complexType><s:sequence><s:element name="r" type="Base"/></s:sequence></s:complexType></s:element>
    <s:complexType name="Base"><s:sequence><s:element name="n" type="s:int"/></s:sequence></s:complexType>
    <s:complexType name="More"><s:complexContent><s:extension base="Base">
      <s:sequence><s:element name="in" type="t:Around"/></s:sequence>
    </s:extension></s:complexContent></s:complexType>
  </s:schema>`,
  schema: `<s:import/>
    <s:complexType name="Around"><s:sequence><s:element name="base" type="Base"/></s:sequence></s:complexType>`,
  messages: `<wsdl:message name="In"><wsdl:part name="parameters" element="Ask"/></wsdl:message>
    <wsdl:message name="Out"><wsdl:part name="parameters" element="AskResponse"/></wsdl:message>`,
});

describe('a schema without a targetNamespace', () => {
  test('stands in the WSDL that is served, which is read as the old one', async (t) => {
    const url = await served(t, NAMELESS, { Ask: () => undefined });
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.doesNotMatch(wsdl, /=""/);
    // Proxies of .NET would put qualified elements into the namespace of the message.
    assert.match(wsdl, /<s:schema>\s*<s:import namespace="urn:old" \/>/);
    const [old, own] = await Promise.all(
      [NAMELESS, wsdl].map((text) => readWsdlText(text, 'a.wsdl')),
    );
    assert.deepEqual(compare(old!.service, own!.service).differences, []);
  });

  test('has derived types, which are named where another namespace is the default', async (t) => {
    const url = await served(t, NAMELESS, { Ask: ({ a }) => a });
    const inner = '<n>2</n><in><t:base><n>3</n></t:base></in>';
    const given = `<a xsi:type="More"><n>1</n><in><t:base xsi:type="More">${inner}</t:base></in></a>`;
    const sent = `<Ask ${XSI} xmlns:t="urn:old">${given}</Ask>`;
    assert.equal(
      (await soap(url, sent, { action })).body,
      '<AskResponse xmlns=""><r xsi:type="More"><n>1</n><in>' +
        '<q1:base xmlns:q1="urn:old" xmlns="" xsi:type="More"><n>2</n>' +
        '<in><base xmlns="urn:old"><n xmlns="">3</n></base></in></q1:base></in></r></AskResponse>',
    );
  });
});
