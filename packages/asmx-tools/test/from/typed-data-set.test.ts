import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served, servedAlike } from './kit/served.ts';

const ORDERS = 'http://case.example/Orders.xsd';
const WSDL = wsdlOf({
  schemas: `<s:schema id="Orders" targetNamespace="${ORDERS}" elementFormDefault="qualified" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata">
    <s:element name="Orders" msdata:IsDataSet="true"><s:complexType><s:choice minOccurs="0" maxOccurs="unbounded"><s:element name="Order"><s:complexType><s:sequence>
      <s:element name="Id" type="s:int"/></s:sequence></s:complexType></s:element></s:choice></s:complexType>
      <s:unique name="K" msdata:PrimaryKey="true"><s:selector xpath=".//t:Order"/><s:field xpath="t:Id"/></s:unique>
    </s:element></s:schema>`,
  answers: `<s:element minOccurs="0" name="AskResult"><s:complexType><s:sequence><s:any namespace="${ORDERS}"/></s:sequence></s:complexType></s:element>`,
});

/** What generators find of a typed DataSet: the import, and at its place the schema with keys and relations. */
test('its schema is served, and the WSDL says where', async (t) => {
  const { service } = await readWsdlText(WSDL, 'old.wsdl');
  const url = await served(t, WSDL, { Ask: () => undefined });
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.ok(
    wsdl.includes(`<s:import namespace="${ORDERS}" schemaLocation="${url}?schema=Orders" />`),
    wsdl,
  );
  assert.match(
    wsdl,
    /name="AskResult">\s*<s:complexType>\s*<s:sequence>\s*<s:any namespace="http:\/\/case\.example\/Orders\.xsd" \/>/,
  );
  const schema = await fetch(`${url}?schema=Orders`);
  assert.equal(schema.headers.get('content-type'), 'text/xml; charset=utf-8');
  const text = await schema.text();
  for (const said of [`targetNamespace="${ORDERS}"`, 'IsDataSet="true"', '".//t:Order"', 'urn:old'])
    assert.ok(text.includes(said), `${said}: ${text}`);
  assert.equal((await fetch(`${url}?schema=Other`)).status, 400);
  const ours = await servedAlike(service);
  const lost = { ...ours, dataSets: {} };
  assert.match(compare(service, lost).differences[0]?.subject ?? '', /^result DataSet$/);
});

test('a typed DataSet is a DataSet, whose rows are in its namespace', async (t) => {
  const { service, notes } = await readWsdlText(WSDL, 'old.wsdl');
  assert.equal(service.operations[0]?.result?.type, 'DataSet');
  assert.ok(notes.some((note) => note.includes('typed DataSet Orders') && note.includes(ORDERS)));
  const url = await served(t, WSDL, { Ask: () => ({ tables: { Order: [{ Id: 1 }] } }) });
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
