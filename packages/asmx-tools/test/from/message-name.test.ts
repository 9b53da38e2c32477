import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

/** What ASP.NET writes for `[WebMethod(MessageName = "Fetch")] string Ask(string text)`. */
const NAMED = wsdlOf({
  schema: `<s:element name="Fetch"><s:complexType><s:sequence><s:element minOccurs="0" name="text" type="s:string"/></s:sequence></s:complexType></s:element>
    <s:element name="FetchResponse"><s:complexType><s:sequence><s:element minOccurs="0" name="FetchResult" type="s:string"/></s:sequence></s:complexType></s:element>
    <s:element name="string" nillable="true" type="s:string"/>`,
  messages: `<wsdl:message name="In"><wsdl:part name="parameters" element="t:Fetch"/></wsdl:message>
    <wsdl:message name="Out"><wsdl:part name="parameters" element="t:FetchResponse"/></wsdl:message>
    <wsdl:message name="GetIn"><wsdl:part name="text" type="s:string"/></wsdl:message>
    <wsdl:message name="GetOut"><wsdl:part name="Body" element="t:string"/></wsdl:message>`,
  portOperation:
    '<wsdl:operation name="Ask"><wsdl:input name="Fetch" message="t:In"/><wsdl:output name="Fetch" message="t:Out"/></wsdl:operation>',
  bound:
    '<wsdl:input name="Fetch"><soap:body use="literal"/></wsdl:input><wsdl:output name="Fetch"><soap:body use="literal"/></wsdl:output>',
  ports: `<wsdl:port name="OldSoap" binding="t:OldSoap"><soap:address location="http://old.example/Old.asmx"/></wsdl:port>
    <wsdl:port name="OldGet" binding="t:OldGet"><http:address location="http://old.example/Old.asmx"/></wsdl:port>`,
  more: `<wsdl:portType name="OldGet"><wsdl:operation name="Ask"><wsdl:input name="Fetch" message="t:GetIn"/><wsdl:output name="Fetch" message="t:GetOut"/></wsdl:operation></wsdl:portType>
    <wsdl:binding name="OldGet" type="t:OldGet"><http:binding verb="GET"/><wsdl:operation name="Ask"><http:operation location="/Fetch"/>
      <wsdl:input name="Fetch"><http:urlEncoded/></wsdl:input><wsdl:output name="Fetch"><mime:mimeXml part="Body"/></wsdl:output></wsdl:operation></wsdl:binding>`,
});

test('a method with a MessageName is called by it, over SOAP and GET, and so says the WSDL that is served', async (t) => {
  const { notes } = await readWsdlText(NAMED, 'old.wsdl');
  assert.deepEqual(notes, []);
  const url = await served(t, NAMED, { Fetch: ({ text }) => `${text}!` });
  const answer = await soap(url, '<Fetch xmlns="urn:old"><text>a</text></Fetch>', {
    action: 'urn:old/Ask',
  });
  assert.equal(
    answer.body,
    '<FetchResponse xmlns="urn:old"><FetchResult>a!</FetchResult></FetchResponse>',
  );
  const got = await fetch(`${url}/Fetch?text=a`);
  assert.match(await got.text(), />a!<\/string>/);
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.match(wsdl, /<http:operation location="\/Fetch"/);
  assert.match(wsdl, /<wsdl:operation name="Ask">\s*<wsdl:input name="Fetch"/);
});
