import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEndpoint } from '../../../asmx/src/index.ts';
import { serve, soap } from '../../../asmx/test/values/kit.ts';
import { answerValidator } from '../../../asmx/test/values/schema-kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { readWsdl } from '../../src/from/index.ts';
import { place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';
import { servedAlike } from './kit/served.ts';

const SCHEMA =
  'xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:old" targetNamespace="urn:old" elementFormDefault="qualified"';

/** What is redefined: by its name everything else means the new definition. */
const BASE = `<s:schema ${SCHEMA}>
  <s:complexType name="Person"><s:sequence><s:element name="name" type="s:string"/></s:sequence></s:complexType>
  <s:complexType name="Team"><s:sequence><s:element name="lead" type="t:Person"/>
    <s:element name="more" type="t:Person" minOccurs="0" maxOccurs="unbounded"/></s:sequence></s:complexType>
  <s:simpleType name="Size"><s:restriction base="s:int"><s:maxInclusive value="99"/></s:restriction></s:simpleType>
  <s:group name="Where"><s:sequence><s:element name="city" type="s:string"/></s:sequence></s:group>
  <s:attributeGroup name="Facts"><s:attribute name="lang" type="s:string"/></s:attributeGroup>
  <s:complexType name="Shop"><s:sequence><s:element name="size" type="t:Size"/><s:group ref="t:Where"/>
    </s:sequence><s:attributeGroup ref="t:Facts"/></s:complexType></s:schema>`;
const FIRST = `<s:schema ${SCHEMA}><s:redefine schemaLocation="base.xsd">
  <s:complexType name="Person"><s:complexContent><s:extension base="t:Person"><s:sequence>
    <s:element name="age" type="s:int"/></s:sequence></s:extension></s:complexContent></s:complexType>
  <s:simpleType name="Size"><s:restriction base="t:Size"><s:minInclusive value="1"/></s:restriction></s:simpleType>
  <s:group name="Where"><s:sequence><s:group ref="t:Where"/><s:element name="street" type="s:string"/></s:sequence></s:group>
  <s:attributeGroup name="Facts"><s:attributeGroup ref="t:Facts"/><s:attribute name="code" type="s:int"/></s:attributeGroup>
  </s:redefine></s:schema>`;
/** A redefinition of a redefinition. */
const SECOND = `<s:redefine schemaLocation="first.xsd">
  <s:complexType name="Person"><s:complexContent><s:extension base="t:Person"><s:sequence>
    <s:element name="boss" type="t:Person" minOccurs="0"/></s:sequence></s:extension></s:complexContent></s:complexType>
  </s:redefine>`;

test('xs:redefine: what is redefined has its new members everywhere, and the WSDL is valid', async (t) => {
  const members = '<s:element name="team" type="t:Team"/><s:element name="shop" type="t:Shop"/>';
  const files = {
    'base.xsd': BASE,
    'first.xsd': FIRST,
    'old.wsdl': wsdlOf({ schema: SECOND, asks: members, answers: members }).replace(
      // A redefinition stands before all else in a schema.
      /(<s:schema [^>]*>)(.*)(<s:redefine.*<\/s:redefine>)/s,
      '$1$3$2',
    ),
  };
  const { service } = await readWsdl(join(await place(t, files), 'old.wsdl'));
  const contract = engineService(service);
  const seen: unknown[] = [];
  const endpoint = createEndpoint(contract, {
    path: '/Old.asmx',
    handlers: {
      Ask: (input: { team?: unknown; shop?: unknown }) => {
        seen.push(input);
        return { value: input.team, out: { shop: input.shop } };
      },
    } as never,
  });
  const url = `${await serve(t, endpoint)}/Old.asmx`;
  const boss = '<boss><name>b</name><age>60</age></boss>';
  const team = `<team><lead><name>a</name><age>40</age>${boss}</lead><more><name>c</name><age>20</age></more></team>`;
  const shop = (size: number) =>
    `<shop lang="de" code="5"><size>${size}</size><city>x</city><street>y</street></shop>`;
  const ask = (content: string) =>
    soap(url, `<Ask xmlns="urn:old">${content}</Ask>`, { action: 'urn:old/Ask' });
  const answer = await ask(team + shop(9));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get('x-warning'), null);
  const person = { $type: 'Person' };
  assert.deepEqual(seen.pop(), {
    team: {
      lead: { ...person, name: 'a', age: 40, boss: { ...person, name: 'b', age: 60 } },
      more: [{ ...person, name: 'c', age: 20 }],
    },
    shop: { lang: 'de', code: 5, size: 9, city: 'x', street: 'y' },
  });
  assert.equal(answer.body, `<AskResponse xmlns="urn:old">${team}${shop(9)}</AskResponse>`);
  for (const size of [0, 100])
    assert.match((await ask(team + shop(size))).text, /out of range/, `${size}`);
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.deepEqual(answerValidator(wsdl)(answer.body), []);
  await servedAlike(service);
});
