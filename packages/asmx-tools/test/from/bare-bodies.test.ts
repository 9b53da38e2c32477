import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const TYPES = `
  <s:complexType name="Base"><s:sequence><s:element minOccurs="0" name="a" type="s:string"/><s:element name="n" type="s:int"/></s:sequence></s:complexType>
  <s:complexType name="More"><s:complexContent><s:extension base="t:Base"><s:sequence>
    <s:element minOccurs="0" name="secret" type="s:string"/></s:sequence></s:extension></s:complexContent></s:complexType>
  <s:complexType name="Most"><s:complexContent><s:extension base="t:More"><s:sequence>
    <s:element name="at" type="s:dateTime"/></s:sequence></s:extension></s:complexContent></s:complexType>`;

/** An operation whose body elements are given: the request's and the answer's, with the name of the request's part. */
const shape = (
  elements: string,
  [asks, answers]: readonly [string, string],
  part = 'body',
): Shape => ({
  schema: TYPES + elements,
  messages: `<wsdl:message name="In"><wsdl:part name="${part}" element="t:${asks}"/></wsdl:message>
    <wsdl:message name="Out"><wsdl:part name="${part}" element="t:${answers}"/></wsdl:message>`,
});

const styleOf = async (given: Shape) =>
  (await readWsdlText(wsdlOf(given), 'old.wsdl')).service.operations[0]!.style;

describe('a body element of a class that others extend', () => {
  const ORDER = shape(
    '<s:element name="order" type="t:Base"/><s:element name="answer" type="t:Base"/>',
    ['order', 'answer'],
  );
  const action = 'urn:old/Ask';

  test('is one value: each derived class arrives whole, and is answered whole', async (t) => {
    const seen: unknown[] = [];
    const echo = (value: unknown) => {
      seen.push(value);
      return value;
    };
    const url = await served(t, wsdlOf(ORDER), { Ask: ({ order }) => echo(order) });
    const at = '2024-02-29T12:00:00Z';
    const members = {
      Base: '',
      More: '<secret>2</secret>',
      Most: `<secret>2</secret><at>${at}</at>`,
    };
    for (const [type, more] of Object.entries(members)) {
      const said = type === 'Base' ? '' : ` xsi:type="${type}"`;
      const inside = `<a>1</a><n>7</n>${more}`;
      const answer = await soap(url, `<order xmlns="urn:old"${said}>${inside}</order>`, { action });
      assert.equal(answer.body, `<answer xmlns="urn:old"${said}>${inside}</answer>`);
    }
    assert.deepEqual(seen[0], { $type: 'Base', a: '1', n: 7 });
    assert.deepEqual(seen[2], { $type: 'Most', a: '1', n: 7, secret: '2', at: new Date(at) });
  });

  test('is null when the body is empty, and null is answered by an empty body', async (t) => {
    const seen: unknown[] = [];
    const url = await served(t, wsdlOf(ORDER), {
      Ask: ({ order }) => {
        seen.push(order);
        return null;
      },
    });
    const answer = await soap(url, '', { action });
    assert.equal(answer.status, 200);
    assert.match(answer.text, /<soap:Body \/>|<soap:Body><\/soap:Body>/);
    assert.ok(seen[0] === undefined || seen[0] === null);
  });

  test('keeps its type and those that extend it in the WSDL that is served', async (t) => {
    const url = await served(t, wsdlOf(ORDER), { Ask: () => null });
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /<s:element name="order" [^>]*type="tns:Base"/);
    for (const type of ['Base', 'More', 'Most'])
      assert.match(wsdl, new RegExp(`<s:complexType name="${type}">`));
  });
});

describe('a request is wrapped', () => {
  const anonymous = (name: string) =>
    `<s:element name="${name}"><s:complexType><s:sequence><s:element name="n" type="s:int"/></s:sequence></s:complexType></s:element>`;

  test('only when its element is called as the operation', async () => {
    assert.equal(await styleOf(shape('', ['Ask', 'AskResponse'])), 'wrapped');
    assert.equal(
      await styleOf(shape(anonymous('AskRequest'), ['AskRequest', 'AskResponse'])),
      'bare',
    );
    assert.equal(await styleOf(shape(anonymous('ask'), ['ask', 'AskResponse'])), 'bare');
    assert.equal(await styleOf(shape(anonymous('Told'), ['Ask', 'Told'])), 'wrapped');
  });

  test("or as ASP.NET calls the message of an overloaded method, whose part is 'parameters'", async () => {
    const named = (part: string) => ({
      ...shape(anonymous('AskAgain'), ['AskAgain', 'AskResponse'], part),
      portOperation:
        '<wsdl:operation name="Ask"><wsdl:input name="AskAgain" message="t:In"/><wsdl:output message="t:Out"/></wsdl:operation>',
      bound:
        '<wsdl:input name="AskAgain"><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>',
    });
    assert.equal(await styleOf(named('parameters')), 'wrapped');
    assert.equal(await styleOf(named('body')), 'bare');
  });

  test('and only when no type extends either element’s type', async () => {
    const other = (type: string) => `<s:element name="Told" type="t:${type}"/>`;
    const plain =
      '<s:complexType name="Plain"><s:sequence><s:element name="n" type="s:int"/></s:sequence></s:complexType>';
    assert.equal(await styleOf(shape(other('Base'), ['Ask', 'Told'])), 'bare');
    assert.equal(await styleOf(shape(other('Most'), ['Ask', 'Told'])), 'bare');
    assert.equal(await styleOf(shape(plain + other('Plain'), ['Ask', 'Told'])), 'wrapped');
    const ofBase = wsdlOf(shape(other('Plain') + plain, ['Ask', 'Told'])).replace(
      /<s:element name="Ask">.*?<\/s:element>/,
      '<s:element name="Ask" type="t:Base"/>',
    );
    assert.equal((await readWsdlText(ofBase, 'old.wsdl')).service.operations[0]!.style, 'bare');
  });
});
