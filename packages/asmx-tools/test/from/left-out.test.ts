import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSoapClient, readWsdlText } from '../../src/from/index.ts';
import { readServices } from '../../src/from/wsdl/read-wsdl.ts';
import { asmx, place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

const LITERAL =
  '<wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>';

/** The usual service, with operations that cannot be served. */
const WSDL = wsdlOf({
  schema: `<s:complexType name="Base"><s:sequence/></s:complexType>
    <s:complexType name="Heir"><s:complexContent><s:extension base="t:Base"><s:sequence><s:element name="x" type="t:Gone"/></s:sequence></s:extension></s:complexContent></s:complexType>
    <s:element name="Lost"><s:complexType><s:sequence><s:element name="x" type="t:Nowhere"/></s:sequence></s:complexType></s:element>`,
  asks: '<s:element name="base" type="t:Base" minOccurs="0"/>',
  more: '<wsdl:message name="LostIn"><wsdl:part name="parameters" element="t:Lost"/></wsdl:message>',
})
  .replace(
    '</wsdl:portType>',
    `<wsdl:operation name="Lost"><wsdl:input message="t:LostIn"/><wsdl:output message="t:Out"/></wsdl:operation>
    <wsdl:operation name="Absent"><wsdl:input message="t:Absent"/><wsdl:output message="t:Out"/></wsdl:operation>
    <wsdl:operation name="Tell"><wsdl:output message="t:Out"/></wsdl:operation>$&`,
  )
  .replace(
    '</wsdl:binding>',
    `${['Lost', 'Absent', 'Tell'].map((name) => `<wsdl:operation name="${name}"><soap:operation soapAction="urn:old/${name}"/>${LITERAL}</wsdl:operation>`).join('')}$&`,
  );

test('operations that cannot be served are left out by name, with the reason', async () => {
  const { service, leftOut, notes } = await readWsdlText(WSDL, 'old.wsdl');
  assert.deepEqual(
    service.operations.map(({ name }) => name),
    ['Ask'],
  );
  assert.deepEqual(
    leftOut.map(({ operation, reason }) => [operation, reason]),
    [
      ['Lost', 'The type Nowhere of the namespace urn:old is nowhere.'],
      ['Absent', 'The message Absent is nowhere.'],
      ['Tell', 'It has no input: the server would call the client.'],
    ],
  );
  assert.ok(
    notes.includes(
      'The type {urn:old}Heir is left out: The type Gone of the namespace urn:old is nowhere.',
    ),
  );
});

/** A service with two port types at two addresses, whose operations have one name. */
const TWO = wsdlOf({
  schema: `<s:element name="Ask2"><s:complexType><s:sequence><s:element name="n" type="s:int"/></s:sequence></s:complexType></s:element>`,
  ports: ['', '2']
    .map(
      (n) =>
        `<wsdl:port name="OldSoap${n}" binding="t:OldSoap${n}"><soap:address location="http://old.example/Old${n}.asmx"/></wsdl:port>`,
    )
    .join(''),
  more: `<wsdl:message name="In2"><wsdl:part name="parameters" element="t:Ask2"/></wsdl:message>
  <wsdl:portType name="OldSoap2"><wsdl:operation name="Ask"><wsdl:input message="t:In2"/><wsdl:output message="t:Out"/></wsdl:operation></wsdl:portType>
  <wsdl:binding name="OldSoap2" type="t:OldSoap2"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><wsdl:operation name="Ask"><soap:operation soapAction="urn:old/Ask2"/>${LITERAL}</wsdl:operation></wsdl:binding>`,
});

test('port types with operations of one name are served each at its address', async (t) => {
  const file = join(await place(t, { 'old.wsdl': TWO }), 'old.wsdl');
  const { contracts } = await readServices(file);
  assert.deepEqual(
    contracts.map(({ leftOut, service: { name, operations, ports } }) => [
      ...[name, leftOut, operations.map(({ name, input }) => [name, input.name])],
      ports.map(({ location }) => location),
    ]),
    [
      ['Old', [], [['Ask', 'Ask']], ['http://old.example/Old.asmx']],
      ['Old', [], [['Ask', 'Ask2']], ['http://old.example/Old2.asmx']],
    ],
  );
  const made = await asmx('from', file, join(file, '..', 'made'));
  assert.equal(made.code, 0, made.stderr);
  assert.doesNotMatch(made.stderr, /left out/);
  // At one address nothing tells them apart.
  const one = await readWsdlText(TWO.replace('Old2.asmx', 'Old.asmx'), 'old.wsdl').catch(
    ({ reason }) => reason,
  );
  assert.match(String(one), /^Two port types/);
});

test('the served WSDL says which; with --strict nothing is written', async (t) => {
  const folder = await place(t, { 'old.wsdl': WSDL });
  const file = join(folder, 'old.wsdl');
  const strict = await asmx('from', file, join(folder, 'strict'), '--strict');
  assert.equal(strict.code, 2);
  assert.match(strict.stderr, /The type Nowhere of the namespace urn:old is nowhere/);
  const made = await asmx('from', file, join(folder, 'made'));
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /note: The operation Lost is left out: The type Nowhere of/);
  const contract = await readFile(join(folder, 'made', 'src', 'contract.ts'), 'utf8');
  assert.match(contract, /documentation:\s*'Not served: Lost\. The type Nowhere of/);
});

test('a lenient client takes any XML in the place of what is nowhere, and says so', async (t) => {
  const wsdl = WSDL.replace('element="t:Lost"', 'element="t:Unknown"');
  const file = join(await place(t, { 'old.wsdl': wsdl }), 'old.wsdl');
  const notes: string[] = [];
  let sent = '';
  const client = await openSoapClient(file, {
    url: 'http://old.example/',
    lenient: (note) => notes.push(note),
    fetch: async (_, init) => {
      sent = String(init?.body);
      throw new TypeError('nobody is there');
    },
    retries: 0,
  });
  assert.ok(
    notes.includes(
      'message LostIn/parameters: The element Unknown of the namespace urn:old is nowhere. Any XML is taken in its place.',
    ),
  );
  assert.ok(notes.includes('The operation Absent is left out: The message Absent is nowhere.'));
  const input = { Unknown: { $type: 'anyType', xml: '<a xmlns="urn:b"/>' } };
  await assert.rejects(client.$call('Lost', input), { name: 'SoapCallError' });
  assert.match(sent, /<Unknown xmlns="urn:old"><a xmlns="urn:b"( )?\/><\/Unknown>/);
  await assert.rejects(
    openSoapClient(file, { url: 'http://old.example/' }).then((each) => each.$call('Lost')),
    /no operation Lost/,
  );
});
