import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const port = (name: string) =>
  `<wsdl:port name="${name}" binding="t:OldSoap"><soap:address location="http://old.example/Old.asmx"/></wsdl:port>`;

test('ports keep their names, by which clients choose them from the WSDL that is served', async (t) => {
  for (const [ports, expected] of [
    [port('BasicHttpBinding_IFoo'), ['BasicHttpBinding_IFoo']],
    [port('Foo.Port-1') + port('Second'), ['Foo.Port-1']],
    [port('OldSoap'), ['OldSoap']],
  ] as const) {
    const url = await served(t, wsdlOf({ ports }), { Ask: () => undefined });
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    const names = [...wsdl.matchAll(/<wsdl:port name="([^"]*)" binding="tns:([^"]*)"/g)];
    assert.deepEqual(
      names.map(([, name]) => name),
      expected,
    );
    for (const [, , binding] of names) assert.ok(wsdl.includes(`<wsdl:binding name="${binding}"`));
  }
});

test('bindings and the port type keep their names, too, as WCF gives three', async (t) => {
  const old = wsdlOf({ ports: port('BasicHttpBinding_IFoo') })
    .replaceAll('t:OldSoap"', 't:IFoo"')
    .replace('portType name="OldSoap"', 'portType name="IFoo"')
    .replace('binding name="OldSoap"', 'binding name="FooBinding"')
    .replace('binding="t:IFoo"', 'binding="t:FooBinding"');
  const url = await served(t, old, { Ask: () => undefined });
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  assert.match(wsdl, /<wsdl:portType name="IFoo">/);
  assert.match(wsdl, /<wsdl:binding name="FooBinding" type="tns:IFoo">/);
  assert.match(wsdl, /<wsdl:port name="BasicHttpBinding_IFoo" binding="tns:FooBinding">/);
  assert.match(await (await fetch(`${url}?disco`)).text(), /binding="q1:FooBinding"/);
});
