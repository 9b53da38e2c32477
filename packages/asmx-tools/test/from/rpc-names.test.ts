import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const ENCODING = 'encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"';
const action = 'urn:old/Ask';

/** An rpc operation whose bodies say what is given. */
const rpc = (body: string, parts: readonly [string, string], schema = ''): Shape => ({
  style: 'rpc',
  schema,
  messages: `<wsdl:message name="In">${parts[0]}</wsdl:message><wsdl:message name="Out">${parts[1]}</wsdl:message>`,
  bound: `<wsdl:input><soap:body ${body}/></wsdl:input><wsdl:output><soap:body ${body}/></wsdl:output>`,
});

describe('rpc/encoded whose soap:body names no namespace, as NuSOAP, PHP and SOAP::Lite write it', () => {
  const NAMELESS = rpc(`use="encoded" ${ENCODING}`, [
    '<wsdl:part name="a" type="s:int"/>',
    '<wsdl:part name="r" type="s:int"/>',
  ]);

  test('answers in no namespace, without a prefix', async (t) => {
    const url = await served(t, wsdlOf(NAMELESS), { Ask: ({ a }) => Number(a) + 1 });
    const answer = await soap(url, '<Ask><a>4</a></Ask>', { action });
    assert.equal(answer.body, '<AskResponse><r xsi:type="xsd:int">5</r></AskResponse>');
    assert.equal((await soap(url, '<Ask><a>4</a></Ask>')).body, answer.body);
  });

  test('takes its element in another namespace, where the SOAPAction names the operation', async (t) => {
    const url = await served(t, wsdlOf(NAMELESS), { Ask: ({ a }) => Number(a) + 1 });
    for (const namespace of ['urn:old', 'urn:else', 'http://schemas.xmlsoap.org/soap/envelope/']) {
      const body = `<m:Ask xmlns:m="${namespace}"><a>4</a></m:Ask>`;
      assert.match((await soap(url, body, { action })).body, />5<\/r>/);
      const without = await soap(url, body);
      assert.equal(without.headers.get('x-error-code'), 'UnknownOperation');
    }
    const other = await soap(url, '<m:Tell xmlns:m="urn:old"><a>4</a></m:Tell>', { action });
    assert.equal(other.headers.get('x-error-code'), 'MalformedRequest');
    assert.match(other.text, /holds {urn:old}Tell; it should hold Ask\./);
  });

  test('says no namespace in the WSDL that is served, which is read as the old one', async (t) => {
    const url = await served(t, wsdlOf(NAMELESS), { Ask: () => 1 });
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /<soap:body use="encoded"/);
    assert.doesNotMatch(wsdl, /namespace=""/);
    const [old, own] = await Promise.all(
      [wsdlOf(NAMELESS), wsdl].map((text) => readWsdlText(text, 'a.wsdl')),
    );
    assert.deepEqual(own!.service.operations[0]!.input, old!.service.operations[0]!.input);
  });
});

describe('rpc/encoded', () => {
  const SHAPES = `
    <s:complexType name="Maker"><s:sequence><s:element minOccurs="0" name="City" type="s:string"/></s:sequence></s:complexType>
    <s:complexType name="Product"><s:sequence><s:element minOccurs="0" name="Name" type="s:string"/>
      <s:element minOccurs="0" name="Maker" type="t:Maker"/></s:sequence></s:complexType>
    <s:complexType name="Book"><s:complexContent><s:extension base="t:Product"><s:sequence>
      <s:element name="Pages" type="s:int"/></s:sequence></s:extension></s:complexContent></s:complexType>`;
  const TALLY = rpc(
    `use="encoded" namespace="urn:req" ${ENCODING}`,
    ['<wsdl:part name="product" type="t:Product"/>', '<wsdl:part name="r" type="s:string"/>'],
    SHAPES,
  );

  test('members are read qualified, as the schema says and zeep and suds send, and unqualified, as PHP does', async (t) => {
    const seen: unknown[] = [];
    const url = await served(t, wsdlOf(TALLY), {
      Ask: ({ product }) => {
        seen.push(product);
        return 'ok';
      },
    });
    for (const p of ['', 't:']) {
      const members = `<${p}Name>N</${p}Name><${p}Maker><${p}City>Rome</${p}City></${p}Maker>`;
      const parts = [
        `<product>${members}</product>`,
        `<product xsi:type="t:Book">${members}<${p}Pages>7</${p}Pages></product>`,
        `<t:product>${members}</t:product>`,
      ];
      for (const part of parts) {
        const body = `<q:Ask xmlns:q="urn:req" xmlns:t="urn:old">${part}</q:Ask>`;
        assert.equal((await soap(url, body, { action })).status, 200);
      }
    }
    const product = { $type: 'Product', Name: 'N', Maker: { City: 'Rome' } };
    const book = { ...product, $type: 'Book', Pages: 7 };
    assert.deepEqual(seen, [product, book, product, product, book, product]);
  });

  test('what is referred to is read in both forms, too', async (t) => {
    let seen: unknown;
    const url = await served(t, wsdlOf(TALLY), {
      Ask: ({ product }) => {
        seen = product;
        return 'ok';
      },
    });
    const body = `<q:Ask xmlns:q="urn:req"><product href="#1"/></q:Ask>
      <multiRef id="1" xmlns:t="urn:old"><t:Name>N</t:Name><t:Maker href="#2"/></multiRef>
      <multiRef id="2"><City>Rome</City></multiRef>`;
    assert.equal((await soap(url, body, { action })).status, 200);
    assert.deepEqual(seen, { $type: 'Product', Name: 'N', Maker: { City: 'Rome' } });
  });
});
