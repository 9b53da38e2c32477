import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../asmx/src/index.ts';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const body =
  '<soap:body use="encoded" namespace="urn:body" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>';
/** As the WSDLs of PHP's Round 4, group H. */
const WSDL = wsdlOf({
  style: 'rpc',
  schema: `<s:complexType name="ArrayOfInt"><s:complexContent><s:restriction base="soapenc:Array">
    <s:attribute ref="soapenc:arrayType" wsdl:arrayType="s:int[]"/></s:restriction></s:complexContent></s:complexType>`,
  messages: `<wsdl:message name="In"><wsdl:part name="what" type="s:string"/></wsdl:message><wsdl:message name="Out"/>
    <wsdl:message name="Numbers"><wsdl:part name="part5" type="t:ArrayOfInt"/></wsdl:message>`,
  portOperation:
    '<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/>' +
    '<wsdl:fault name="Numbers" message="t:Numbers"/></wsdl:operation>',
  bound: `<wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output>
    <wsdl:fault name="Numbers"><soap:fault name="Numbers" use="encoded" namespace="urn:fault"
      encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></wsdl:fault>`,
});

test('a fault of an encoded operation is encoded, in the namespace of its binding', async (t) => {
  const url = await served(t, WSDL, {
    Ask: () => {
      throw new ServiceError('Numbers', 'No.', { detail: [34, 35] } as never);
    },
  });
  const { text, status } = await soap(url, '<b:Ask xmlns:b="urn:body"/>', {
    action: 'urn:old/Ask',
  });
  assert.equal(status, 500);
  const detail = /<detail>(.*)<\/detail>/.exec(text)?.[1];
  assert.match(detail ?? text, /^<part5 xmlns="urn:fault" [^>]*xsi:type="soapenc:Array"/);
  assert.match(
    detail ?? text,
    /soapenc:arrayType="q1:int\[2\]"><\w+ xmlns="" xsi:type="xsd:int">34</,
  );
  const { service } = await readWsdlText(WSDL, 'old.wsdl');
  const ours = await servedAlike(service);
  assert.deepEqual(ours.operations[0]?.faults, service.operations[0]?.faults);
});
