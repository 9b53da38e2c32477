import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';

test('WS-Notification, with its messages and faults, needs no document', async () => {
  const { service, leftOut } = await readWsdlText(
    wsdlOf({
      portOperation: `<wsdl:operation name="Ask"><wsdl:input message="n:SubscribeRequest"/>
        <wsdl:output message="n:SubscribeResponse"/>
        <wsdl:fault name="Unknown" message="r:ResourceUnknownFault"/></wsdl:operation>`,
      more: `<wsdl:import namespace="http://docs.oasis-open.org/wsn/bw-2"
        location="http://docs.oasis-open.org/wsn/bw-2.wsdl"/>
        <wsdl:import namespace="http://docs.oasis-open.org/wsrf/rw-2"
          location="http://docs.oasis-open.org/wsrf/rw-2.wsdl"/>`,
    }).replace(
      '<wsdl:definitions',
      '$& xmlns:n="http://docs.oasis-open.org/wsn/bw-2" xmlns:r="http://docs.oasis-open.org/wsrf/rw-2"',
    ),
    'old.wsdl',
  );
  assert.deepEqual(leftOut, []);
  const [operation] = service.operations;
  assert.equal(operation!.input.name, 'Subscribe');
  assert.equal(operation!.input.namespace, 'http://docs.oasis-open.org/wsn/b-2');
  assert.deepEqual(
    operation!.faults.map(({ element }) => element.name),
    ['ResourceUnknownFault'],
  );
  for (const type of [
    'EndpointReferenceType',
    'FilterType',
    'BaseFaultType',
    'ResourceUnknownFaultType',
  ])
    assert.ok(service.types[type] !== undefined, type);
});

test('nor do attributes of XLink, and the faults of both SOAP versions', async () => {
  const { service } = await readWsdlText(
    wsdlOf({
      schema: `<s:complexType name="Link" xmlns:x="http://www.w3.org/1999/xlink">
        <s:attributeGroup ref="x:simpleLink"/></s:complexType>
        <s:complexType name="Own" xmlns:x="http://www.w3.org/1999/xlink">
          <s:attribute ref="x:href" use="required"/></s:complexType>`,
      asks: `<s:element name="link" type="t:Link"/><s:element name="own" type="t:Own"/>
        <s:element ref="e:Fault" xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"/>
        <s:element name="second" xmlns:e="http://www.w3.org/2003/05/soap-envelope" type="e:Fault"/>`,
    }),
    'old.wsdl',
  );
  const { Link, Own, Fault } = service.types;
  assert.ok(Link?.kind === 'object' && Own?.kind === 'object' && Fault?.kind === 'object');
  assert.equal(Link.attributes.length, 7);
  assert.deepEqual(
    Own.attributes.map(({ name, required }) => [name, required]),
    [['href', true]],
  );
  assert.deepEqual(
    Fault.content.map((each) => 'name' in each && `${each.name} ${each.namespace}`),
    ['faultcode ', 'faultstring ', 'faultactor ', 'detail '],
  );
});

test('of what is of any type, all types of the documents are read', async () => {
  const wsdl = wsdlOf({
    schema: `<s:complexType name="Alone"><s:sequence><s:element name="b" type="t:Beside"/></s:sequence>
      </s:complexType><s:complexType name="Beside"/>`,
    asks: '<s:element name="m"/>',
  });
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  assert.deepEqual(Object.keys(service.types), ['Alone', 'Beside']);
});

test("nor do Axis's maps", async () => {
  const { service } = await readWsdlText(
    wsdlOf({ asks: '<s:element name="m" type="a:Map" xmlns:a="http://xml.apache.org/xml-soap"/>' }),
    'old.wsdl',
  );
  assert.deepEqual(Object.keys(service.types), ['Map', 'mapItem']);
});
