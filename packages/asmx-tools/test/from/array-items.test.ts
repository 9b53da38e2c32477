import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { made } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const KIND =
  '<s:simpleType name="Kind"><s:restriction base="s:string"><s:enumeration value="A"/></s:restriction></s:simpleType>';
const TYPES = ['s:int', 's:boolean', 's:dateTime', 't:Kind', 's:string', 's:base64Binary'];

test('a type called ArrayOf… is imported and described with the least number of items that it had', async (t) => {
  for (const type of TYPES) {
    for (const least of [0, 1, 2]) {
      for (const nillable of ['', ' nillable="true"']) {
        const said = least === 1 ? '' : ` minOccurs="${least}"`;
        const wsdl = wsdlOf({
          schema: `${KIND}<s:complexType name="ArrayOfItem"><s:sequence>
            <s:element${said} maxOccurs="unbounded" name="Item"${nillable} type="${type}"/></s:sequence></s:complexType>`,
          asks: '<s:element name="items" type="t:ArrayOfItem"/>',
        });
        const { code, stderr } = await made(t, wsdl);
        assert.equal(code, 0, `${type} ${least}${nillable}: ${stderr}`);
        const url = await served(t, wsdl, { Ask: () => undefined });
        const [item = ''] =
          /<s:element [^>]*name="Item"[^>]*>/.exec(await (await fetch(`${url}?WSDL`)).text()) ?? [];
        assert.equal(/minOccurs="(\d)"/.exec(item)?.[1] ?? '1', String(least), item);
      }
    }
  }
});

test('items of a list that must have some are read and answered', async (t) => {
  const wsdl = wsdlOf({
    schema: `<s:complexType name="ArrayOfItem"><s:sequence>
      <s:element maxOccurs="unbounded" name="Item" type="s:int"/></s:sequence></s:complexType>`,
    asks: '<s:element name="items" type="t:ArrayOfItem"/>',
    answers: '<s:element name="AskResult" type="t:ArrayOfItem"/>',
  });
  const url = await served(t, wsdl, { Ask: ({ items }) => items });
  for (const items of ['<Item>1</Item>', '<Item>1</Item><Item>0</Item><Item>-1</Item>']) {
    const answer = await soap(url, `<Ask xmlns="urn:old"><items>${items}</items></Ask>`, {
      action: 'urn:old/Ask',
    });
    assert.equal(
      answer.body,
      `<AskResponse xmlns="urn:old"><AskResult>${items}</AskResult></AskResponse>`,
    );
  }
});

test('a null among texts of which the schema says nothing comes back as null', async (t) => {
  // SoapCore writes nil there, but does not say so.
  const wsdl = wsdlOf({
    schema: `<s:complexType name="ArrayOfString"><s:sequence>
      <s:element minOccurs="0" maxOccurs="unbounded" name="string" type="s:string"/></s:sequence></s:complexType>`,
    asks: '<s:element minOccurs="0" name="tags" type="t:ArrayOfString"/>',
    answers: '<s:element minOccurs="0" name="AskResult" type="t:ArrayOfString"/>',
  });
  const url = await served(t, wsdl, {
    Ask: ({ tags }) => {
      assert.deepEqual(tags, ['a', null, '']);
      return tags;
    },
  });
  const tags = '<string>a</string><string xsi:nil="true" /><string />';
  const answer = await soap(url, `<Ask xmlns="urn:old"><tags>${tags}</tags></Ask>`, {
    action: 'urn:old/Ask',
  });
  assert.equal(
    answer.body,
    `<AskResponse xmlns="urn:old"><AskResult>${tags}</AskResult></AskResponse>`,
  );
});
