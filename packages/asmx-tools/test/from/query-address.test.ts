import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint, type Endpoint } from '../../../asmx/src/index.ts';
import { serve, soap } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { servedPaths } from '../../src/from/emit/paths.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';

const at = (address: string) =>
  wsdlOf({
    asks: '<s:element name="a" type="s:string"/>',
    answers: '<s:element name="AskResult" type="s:string"/>',
    ports: `<wsdl:port name="OldSoap" binding="t:OldSoap"><soap:address location="${address}"/></wsdl:port>`,
  });

test('services at one path are told apart by the query of their addresses', async (t) => {
  const addresses = ['service=Foo', 'service=Bar&amp;v=1%2F2', ''].map(
    (query) => `http://old.example/soap/index.php${query && `?${query}`}`,
  );
  const taken = new Set<string>();
  const endpoints: Endpoint[] = [];
  for (const [index, address] of addresses.entries()) {
    const { service } = await readWsdlText(at(address), 'old.wsdl');
    const { paths, notes } = servedPaths(service, taken);
    assert.deepEqual([paths, notes], [[address.slice(18).replace('&amp;', '&')], []]);
    taken.add(paths[0].toLowerCase());
    const handlers = { Ask: () => `from ${index}` } as never;
    endpoints.push(createEndpoint(engineService(service), { path: paths[0], handlers }));
  }
  const url = `${await serve(t, ...endpoints)}/soap/index.php`;
  for (const [query, answer] of [
    ['?service=Foo', 'from 0'],
    ['?v=1/2&x&service=%42ar', 'from 1'],
    ['?service=bar', 'from 2'],
    ['', 'from 2'],
  ] as const) {
    const { body } = await soap(`${url}${query}`, '<Ask xmlns="urn:old"><a>x</a></Ask>');
    assert.match(body, new RegExp(`<AskResult>${answer}</AskResult>`), query);
  }
  // WSDL and pages keep the query.
  const wsdl = await (await fetch(`${url}?service=Bar&v=1/2&WSDL`)).text();
  assert.match(
    wsdl,
    /<soap:address location="[^"]*\/soap\/index\.php\?service=Bar&amp;v=1%2F2" \/>/,
  );
  const page = await (await fetch(`${url}?service=Foo`)).text();
  assert.match(page, /href="index\.php\?service=Foo&amp;WSDL"/);
  assert.match(page, /href="index\.php\?service=Foo&amp;op=Ask"/);
  assert.match(
    await (await fetch(`${url}?service=Foo&op=Ask`)).text(),
    /POST \/soap\/index\.php\?service=Foo HTTP/,
  );
});

test('what asks for a description belongs to no address', async () => {
  for (const [location, path] of [
    ['/Old.asmx?WSDL', '/Old.asmx'],
    ['/Old.asmx?wsdl=x&amp;a=b', '/Old.asmx?a=b'],
    ['/?route=api', '/Old.asmx'],
  ]) {
    const { service } = await readWsdlText(at(`http://old.example${location}`), 'old.wsdl');
    assert.deepEqual(servedPaths(service).paths, [path]);
  }
});
