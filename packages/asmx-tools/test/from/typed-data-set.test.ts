import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const ORDERS = 'http://case.example/Orders.xsd';
const WSDL = wsdlOf({
  schemas: `<s:schema id="Orders" targetNamespace="${ORDERS}" elementFormDefault="qualified" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata">
    <s:element name="Orders" msdata:IsDataSet="true"><s:complexType><s:choice minOccurs="0" maxOccurs="unbounded"><s:element name="Order"><s:complexType><s:sequence>
      <s:element name="Id" type="s:int"/></s:sequence></s:complexType></s:element></s:choice></s:complexType></s:element></s:schema>`,
  answers: `<s:element minOccurs="0" name="AskResult"><s:complexType><s:sequence><s:any namespace="${ORDERS}"/></s:sequence></s:complexType></s:element>`,
});

test('a typed DataSet is a DataSet, whose rows are in its namespace', async (t) => {
  const { service, notes } = await readWsdlText(WSDL, 'old.wsdl');
  assert.equal(service.operations[0]?.result?.type, 'DataSet');
  assert.ok(notes.some((note) => note.includes('typed DataSet Orders') && note.includes(ORDERS)));
  const url = await served(t, WSDL, {
    Ask: () => ({ name: 'Orders', namespace: ORDERS, tables: { Order: [{ Id: 1 }] } }),
  });
  const { body } = await soap(url, '<Ask xmlns="urn:old"/>');
  assert.match(
    body,
    /<xs:schema id="Orders" targetNamespace="http:\/\/case\.example\/Orders\.xsd"/,
  );
  assert.match(
    body,
    /<Orders xmlns="http:\/\/case\.example\/Orders\.xsd"><Order [^>]*><Id>1<\/Id><\/Order><\/Orders>/,
  );
});
