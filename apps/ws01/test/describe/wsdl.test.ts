import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { XmlDocument, type XmlElement, XsdValidator } from 'libxml2-wasm';
import { xmlRegisterFsInputProviders } from 'libxml2-wasm/lib/nodejs.mjs';
import type { Service } from '../../../../packages/asmx/src/contract/service.ts';
import { samplesOf } from '../../../../packages/asmx/src/describe/samples/messages.ts';
import { filledText } from '../../../../packages/asmx/src/describe/samples/parts.ts';
import type { ServiceAddress } from '../../../../packages/asmx/src/describe/service-address.ts';
import { wsdl } from '../../../../packages/asmx/src/describe/wsdl/wsdl.ts';
import { WS01 } from '../../src/contract/service.ts';
import { canonicalXml, differences } from './kit/canonical-xml.ts';
import { goldenBody } from './kit/golden.ts';

/** Where the recorded server stood. */
const GOLDEN_PLACE: ServiceAddress = {
  namespace: 'http://tempuri.org/ws01',
  baseUrl: 'http://127.0.0.1:18080',
  path: '/WS01.asmx',
};

/** Prefixes of the XPath expressions below. */
const NAMES = {
  wsdl: 'http://schemas.xmlsoap.org/wsdl/',
  s: 'http://www.w3.org/2001/XMLSchema',
};

/** How the WSDL departs from ASP.NET's, place by place, and why. */
const EXPLAINED = new Map([
  [
    '/definitions/documentation',
    'This contract describes its service; the recorded one had no description.',
  ],
  [
    '/definitions/service[WS01]/documentation',
    'The same description, which ASP.NET writes in both places.',
  ],
  [
    '/definitions/types/schema#2',
    'ASP.NET needs a schema for its array of strings, which stops wsimport and gSOAP; nothing refers to it here.',
  ],
  [
    '/definitions/message[InsertArticleImageFileHttpGetIn]/part[FileImg]/@type',
    'The file is base64 text over GET, not an array of numbers (ASP.NET: StringArray).',
  ],
  [
    '/definitions/message[InsertArticleImageFileHttpPostIn]/part[FileImg]/@type',
    'The file is base64 text over POST, not an array of numbers (ASP.NET: StringArray).',
  ],
]);

suite('WSDL', () => {
  before(() => xmlRegisterFsInputProviders());

  test("is ASP.NET's but for the explained differences", () => {
    const ours = canonicalXml(wsdl(WS01, GOLDEN_PLACE));
    const theirs = canonicalXml(goldenBody('meta/wsdl'));
    const found = differences(ours, theirs).map(({ at }) => at);
    assert.deepEqual(found.toSorted(), [...EXPLAINED.keys()].toSorted());
  });

  test('is the recorded document to the letter once what is explained is taken out of both', () => {
    const { documentation: _, ...undescribed } = WS01;
    const withoutDeclarations = (text: string) =>
      text.replaceAll('\r\n', '\n').replace(/<wsdl:definitions [^>]*>/, '');
    const theirs = goldenBody('meta/wsdl')
      .replace(/ {4}<s:schema targetNamespace="[^"]*AbstractTypes">.*?<\/s:schema>\n/s, '')
      .replaceAll('s1:StringArray', 's:string');
    assert.equal(withoutDeclarations(wsdl(undescribed, GOLDEN_PLACE)), withoutDeclarations(theirs));
  });

  test('is valid against the WSDL 1.1 schema and those of its bindings', () => {
    const schema = fileURLToPath(new URL('../schemas/wsdl/wsdl.xsd', import.meta.url));
    using xsd = XmlDocument.fromBuffer(readFileSync(schema), { url: schema });
    using validator = XsdValidator.fromDoc(xsd);
    using document = XmlDocument.fromString(wsdl(WS01, GOLDEN_PLACE));
    validator.validate(document);
    // The schema is not so lax that it takes anything.
    const wrong = wsdl(WS01, GOLDEN_PLACE).replace('use="literal"', 'use="liberal"');
    using wrongDocument = XmlDocument.fromString(wrong);
    assert.throws(() => validator.validate(wrongDocument), /liberal/);
  });

  test('has types that are valid XSD and accept every filled sample', () => {
    using validator = typesOf(wsdl(WS01, GOLDEN_PLACE));
    for (const operation of WS01.operations) {
      const sample = samplesOf({ service: WS01, place: GOLDEN_PLACE, operation }).find(
        ({ id }) => id === 'soap11',
      )!;
      for (const message of [sample.request, sample.response]) {
        const text = filledText(message);
        using envelope = XmlDocument.fromString(text.slice(text.indexOf('<?xml')));
        const body = envelope.get('/*/*/*') as XmlElement;
        using standalone = XmlDocument.fromString(body.canonicalizeToString());
        validator.validate(standalone);
      }
    }
  });

  test('refers to nothing that is not there', () => {
    using document = XmlDocument.fromString(wsdl(WS01, GOLDEN_PLACE));
    const names = (path: string) =>
      new Set(document.find(path, NAMES).map(({ content }) => content));
    const references = (path: string) =>
      [...names(path)].map((value) => value.replace(/^tns:/, ''));
    const expectKnown = (path: string, known: ReadonlySet<string>) => {
      const used = references(path);
      assert.ok(used.length > 0, path);
      assert.deepEqual(
        used.filter((name) => !known.has(name)),
        [],
        path,
      );
    };
    expectKnown('//wsdl:part/@element', names('//s:schema/s:element/@name'));
    expectKnown(
      '//wsdl:portType/wsdl:operation/*/@message',
      names('/wsdl:definitions/wsdl:message/@name'),
    );
    expectKnown('//wsdl:binding/@type', names('//wsdl:portType/@name'));
    expectKnown('//wsdl:port/@binding', names('//wsdl:binding/@name'));
  });

  test('writes addresses from the base URL', () => {
    using document = XmlDocument.fromString(
      wsdl(WS01, {
        namespace: 'urn:ws01',
        baseUrl: 'https://api.example.com/old',
        path: '/WS01.asmx',
      }),
    );
    const addresses = document.find('//wsdl:port/*/@location', NAMES).map(({ content }) => content);
    assert.deepEqual(addresses, Array(4).fill('https://api.example.com/old/WS01.asmx'));
  });

  test('writes soapAction with one slash whether the namespace ends in one or not', () => {
    for (const namespace of ['http://old.example/api', 'http://old.example/api/']) {
      using document = XmlDocument.fromString(wsdl(WS01, { ...GOLDEN_PLACE, namespace }));
      const action = '//wsdl:binding/wsdl:operation[@name="countIpPosted"]/*/@soapAction';
      const actions = document.find(action, NAMES).map(({ content }) => content);
      assert.deepEqual(actions, Array(2).fill('http://old.example/api/countIpPosted'));
      assert.equal(document.get('/*/@targetNamespace')?.content, namespace);
    }
  });

  test('escapes what a contract says of itself, and takes operations without parameters', () => {
    const documentation = `说 <tag> & "quotes" 'too' 🎉`;
    const service: Service = {
      name: 'Tiny',
      documentation,
      operations: [{ name: 'Ping', documentation, parameters: [], result: 'boolean' }],
    };
    const text = wsdl(service, {
      namespace: "urn:a&b'c",
      baseUrl: 'http://localhost',
      path: '/Tiny.asmx',
    });
    using document = XmlDocument.fromString(text);
    assert.equal(document.get('/*/@targetNamespace')?.content, "urn:a&b'c");
    const texts = document.find('//wsdl:documentation', NAMES).map(({ content }) => content);
    assert.deepEqual(texts, Array(5).fill(documentation));
    assert.match(text, /<s:element name="Ping">\r\n {8}<s:complexType \/>/);
    assert.doesNotMatch(text, /name="string"/, 'no operation returns a string');
  });
});

/** A validator of the schema inside a WSDL. @throws when the schema is not valid itself. */
function typesOf(text: string): XsdValidator {
  using document = XmlDocument.fromString(text);
  const schema = document.get('//s:schema', NAMES) as XmlElement;
  using standalone = XmlDocument.fromString(schema.canonicalizeToString());
  return XsdValidator.fromDoc(standalone);
}
