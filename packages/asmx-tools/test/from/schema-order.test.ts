import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const kind = (name: string, members = '') =>
  `<s:complexType name="${name}"><s:sequence>${members}</s:sequence></s:complexType>`;

const schema = (namespace: string, content: string) =>
  `<s:schema targetNamespace="${namespace}">${content}</s:schema>`;

const orderOf = (wsdl: string) =>
  [...wsdl.matchAll(/<s:schema [^>]*targetNamespace="([^"]*)"/g)].map(([, namespace]) => namespace);

/** Clients of zeep name types by the place of their schema: `ns0:Person`. */
test('the schemas of the served WSDL are in the order of the old one', async (t) => {
  const names = ['urn:z', 'urn:a', 'urn:m'];
  for (const [first, second, third] of [names, names.toReversed()]) {
    const schemas = [first!, second!, third!].map((each) => schema(each, kind('Part'))).join('');
    const part = (name: string, namespace: string) =>
      `<s:element minOccurs="0" name="${name}" type="p:Part" xmlns:p="${namespace}"/>`;
    const asks = part('x', third!) + part('y', first!) + part('z', second!);
    const [head, tail] = wsdlOf({ asks }).split('<wsdl:types>');
    const old = `${head}<wsdl:types>${schemas}${tail}`;
    const url = await served(t, old, { Ask: () => undefined });
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.deepEqual(orderOf(wsdl), orderOf(old));
  }
});
