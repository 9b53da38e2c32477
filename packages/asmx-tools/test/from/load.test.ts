import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { originOf } from '../../../asmx/test/kit/listen.ts';
import { readWsdl } from '../../src/from/index.ts';
import { readServices } from '../../src/from/wsdl/read-wsdl.ts';
import { place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

const SCHEMA = 'xmlns:s="http://www.w3.org/2001/XMLSchema"';
const import_ = (place: string) => `<s:import namespace="urn:other" schemaLocation="${place}"/>`;
const asks = '<s:element name="p" type="u:F"/>';

/** Imports beside, below and above; an include without a namespace; a circle. */
const FILES = {
  'service.wsdl': `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:old"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:service">
    <wsdl:import namespace="urn:old" location="parts\\interface.wsdl"/></wsdl:definitions>`,
  'parts/interface.wsdl': wsdlOf({
    schemas: `<s:schema>${import_('../types/other.xsd')}</s:schema>`,
    asks,
  }),
  'types/other.xsd': `<s:schema ${SCHEMA} xmlns="urn:other" targetNamespace="urn:other"><s:include schemaLocation="adopted.xsd"/></s:schema>`,
  'types/adopted.xsd': `<s:schema ${SCHEMA}><s:include schemaLocation="other.xsd"/><s:complexType name="F"><s:sequence>
    <s:element name="inner" type="G"/></s:sequence></s:complexType><s:complexType name="G"/></s:schema>`,
};

describe('documents of a WSDL', () => {
  test('are read from files, relative to the one that names them, each once', async (t) => {
    const root = await place(t, FILES);
    const { service } = await readWsdl(join(root, 'service.wsdl'));
    assert.deepEqual(Object.keys(service.types), ['F', 'G']);
    assert.equal(service.types.F?.namespace, 'urn:other');
  });

  test('of well-known namespaces are known, without a place or with one on the network', async (t) => {
    const known = {
      xmlmime: [
        'http://www.w3.org/2005/05/xmlmime',
        'base64Binary',
        'https://www.w3.org/2005/05/xmlmime',
      ],
      addressing: ['http://www.w3.org/2005/08/addressing', 'EndpointReferenceType', ''],
      older: ['http://schemas.xmlsoap.org/ws/2004/08/addressing', 'EndpointReferenceType', ''],
      xop: ['http://www.w3.org/2004/08/xop/include', 'Include', ''],
      encoding: ['http://schemas.xmlsoap.org/soap/encoding/', 'string', ''],
      encoding12: ['http://www.w3.org/2003/05/soap-encoding', 'int', ''],
      wcf: ['http://schemas.microsoft.com/2003/10/Serialization/', 'guid', ''],
      utility: [
        'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
        'TimestampType',
        '',
      ],
    } as const;
    const entries = Object.entries(known);
    const located = (url: string) => (url === '' ? '' : ` schemaLocation="${url}"`);
    const imports = entries
      .map(([, [uri, , url]]) => `<s:import namespace="${uri}"${located(url)}/>`)
      .join('');
    const root = await place(t, {
      'old.wsdl': wsdlOf({
        schema: `${imports}<s:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/>
          <s:complexType name="Named"><s:attributeGroup ref="xml:specialAttrs"/></s:complexType>`,
        asks: `${entries.map(([name, [uri, type]]) => `<s:element name="${name}" type="k:${type}" xmlns:k="${uri}"/>`).join('')}<s:element name="named" type="t:Named"/>`,
      }),
    });
    const { service } = await readWsdl(join(root, 'old.wsdl'));
    const { types } = service;
    for (const name of [
      'EndpointReferenceType',
      'EndpointReferenceType2',
      'Include',
      'guid',
      'TimestampType',
    ])
      assert.ok(types[name], `${name} is not among ${Object.keys(types)}`);
    const mime = types.base64Binary;
    assert.ok(mime?.kind === 'object');
    assert.deepEqual(
      mime.attributes.map(({ name, namespace }) => [name, namespace]),
      [['contentType', 'http://www.w3.org/2005/05/xmlmime']],
    );
    const named = types.Named;
    assert.deepEqual(named?.kind === 'object' && named.attributes.map(({ name }) => name), [
      'base',
      'lang',
      'space',
      'id',
    ]);
  });

  test('on the network are asked for only where something of them is used', async (t) => {
    const far = import_('http://far.example/other.xsd');
    const root = await place(t, {
      'unused.wsdl': wsdlOf({ schemas: `<s:schema>${far}</s:schema>` }),
      'used.wsdl': wsdlOf({ schemas: `<s:schema>${far}</s:schema>`, asks }),
      'nowhere.wsdl': wsdlOf({ asks }),
    });
    assert.equal((await readWsdl(join(root, 'unused.wsdl'))).service.operations.length, 1);
    await assert.rejects(
      readWsdl(join(root, 'used.wsdl')),
      /used\.wsdl: import: http:\/\/far\.example\/other\.xsd is on the network; save it beside this file and name it there/,
    );
    await assert.rejects(
      readWsdl(join(root, 'nowhere.wsdl')),
      /The type F of the namespace urn:other is nowhere\. No schema of this namespace is here: save it beside the WSDL/,
    );
  });

  test('are fetched when a URL was given', async (t) => {
    const server = createServer((request, response) => {
      const file = FILES[request.url?.slice(1) as keyof typeof FILES];
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    const origin = await originOf(t, server);
    const base = origin;
    assert.deepEqual(Object.keys((await readWsdl(`${base}/service.wsdl`)).service.types), [
      'F',
      'G',
    ]);
    await assert.rejects(readWsdl(`${base}/nowhere?WSDL`), {
      message: `${base}/nowhere?WSDL: The server answered 404.`,
    });
    server.close();
    await assert.rejects(
      readWsdl('http://127.0.0.1:1/x'),
      /^WsdlError: http:\/\/127\.0\.0\.1:1\/x: It cannot be fetched: /,
    );
  });

  test('in UTF-16 and with the head of an HTTP answer', async (t) => {
    const root = await place(t, {
      'wide.wsdl': Buffer.from(`\ufeff${wsdlOf().replace('utf-8', 'utf-16')}`, 'utf16le'),
      'head.wsdl': `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n${wsdlOf()}`,
    });
    for (const name of ['wide.wsdl', 'head.wsdl']) {
      assert.equal((await readWsdl(join(root, name))).service.name, 'Old');
    }
  });

  test('a file never makes this process ask the network, nor a URL read a file', async (t) => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end(wsdlOf({ schemas: `<s:schema>${import_('file:///etc/passwd')}</s:schema>` }));
    });
    const url = `${await originOf(t, server)}/x`;
    const root = await place(t, {
      'old.wsdl': wsdlOf({ schemas: `<s:schema>${import_(url)}</s:schema>`, asks }),
    });
    await assert.rejects(readWsdl(join(root, 'old.wsdl')), (error: Error) => {
      assert.ok(
        error.message.endsWith(
          `import: ${url} is on the network; save it beside this file and name it there, or give the WSDL's URL.`,
        ),
        error.message,
      );
      return true;
    });
    assert.equal(asked, 0);
    await assert.rejects(readWsdl(url), /import: file:\/\/\/etc\/passwd cannot be read\.$/);
  });

  test('a missing file is named', async (t) => {
    const root = await place(t, {
      'old.wsdl': wsdlOf({ schemas: `<s:schema>${import_('gone.xsd')}</s:schema>`, asks }),
      'unused.wsdl': wsdlOf({ schemas: `<s:schema>${import_('gone.xsd')}</s:schema>` }),
    });
    // It counts where something of it is used.
    assert.equal((await readWsdl(join(root, 'unused.wsdl'))).service.operations.length, 1);
    await assert.rejects(readWsdl(join(root, 'old.wsdl')), {
      message: `${join(root, 'gone.xsd')}: There is no such file. ${join(root, 'old.wsdl')} imports it.`,
    });
    await assert.rejects(readWsdl(root), { message: `${root}: It is a folder; name a file.` });
  });

  test('an import that never ends, waits for ever or names another machine is refused', async (t) => {
    const places = {
      '/dev/zero': '/dev/zero: It is no file.',
      'file://elsewhere/a.xsd': 'cannot be read.',
    };
    for (const [named, refusal] of Object.entries({
      ...places,
      'a%2fb.xsd': 'cannot be read.',
      'a%00': 'cannot be read.',
    })) {
      const root = await place(t, {
        'old.wsdl': wsdlOf({ schemas: `<s:schema>${import_(named)}</s:schema>`, asks }),
      });
      await assert.rejects(
        readWsdl(join(root, 'old.wsdl')),
        (error: Error) => error.message.endsWith(refusal),
        named,
      );
    }
    await assert.rejects(
      readWsdl('/dev/zero'),
      /^WsdlError: \/dev\/zero: The document has more than \d+ bytes \(limit documentBytes\)\.$/,
    );
  });

  test('of several services one is chosen by name', async (t) => {
    const second = `<wsdl:service name="Second"><wsdl:port name="P" binding="t:OldSoap"><soap:address location="http://b/"/></wsdl:port></wsdl:service>`;
    const root = await place(t, { 'old.wsdl': wsdlOf({ more: second }) });
    const file = join(root, 'old.wsdl');
    assert.deepEqual((await readWsdl(file)).notes, ['Of 2 services Old is read; others: Second.']);
    const served = await readFile(file, 'utf8');
    const [whole = '', name = ''] = /<wsdl:service name="(Old|Second)">/.exec(served) ?? [];
    const unserved = '<wsdl:service name="Elsewhere"/>';
    await writeFile(file, served.replace(whole, `${unserved}${whole}`));
    assert.equal((await readWsdl(file)).service.name, name, 'the first that can be served');
    await assert.rejects(
      readWsdl(file, { service: 'Elsewhere' }),
      /None of its ports can be served: It has no port/,
    );
    assert.equal(
      (await readWsdl(file, { service: 'Second' })).service.ports[0]?.location,
      'http://b/',
    );
    await assert.rejects(readWsdl(file, { service: 'Third' }), {
      message: `${file}: It has no service Third; it has Elsewhere, Old, Second.`,
    });
  });

  test('a service that cannot be served refuses the WSDL with the names of the others, which --service reads alone', async (t) => {
    const bad = `<wsdl:message name="BadIn"><wsdl:part name="p" element="t:Nowhere"/></wsdl:message>
      <wsdl:portType name="Bad"><wsdl:operation name="Fail"><wsdl:input message="t:BadIn"/></wsdl:operation></wsdl:portType>
      <wsdl:binding name="Bad" type="t:Bad"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
        <wsdl:operation name="Fail"><soap:operation/><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation></wsdl:binding>`;
    const port =
      '<wsdl:port name="P" binding="t:Bad"><soap:address location="http://b/"/></wsdl:port>';
    const root = await place(t, {
      'two.wsdl': wsdlOf({ more: `${bad}<wsdl:service name="Broken">${port}</wsdl:service>` }),
      'none.wsdl': wsdlOf({ more: bad }).replace(/<wsdl:service[\s\S]*<\/wsdl:service>/, ''),
    });
    const two = join(root, 'two.wsdl');
    await assert.rejects(readServices(two), {
      message: `${two}: message BadIn/p: The element Nowhere of the namespace urn:old is nowhere. The service Broken cannot be served. The rest can be: --service Old.`,
    });
    assert.deepEqual(
      (await readServices(two, ['Old'])).contracts.map(({ service }) => service.name),
      ['Old'],
    );
    await assert.rejects(readServices(two, ['Broken']), { message: /is nowhere\.$/ });
    // Port types without a service are chosen in the same way.
    const none = join(root, 'none.wsdl');
    await assert.rejects(
      readServices(none),
      /The service Bad cannot be served\. The rest can be: --service OldSoap\.$/,
    );
    assert.equal((await readServices(none, ['OldSoap'])).contracts.length, 1);
  });
});
