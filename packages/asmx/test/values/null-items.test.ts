import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEndpoint, type Service, type Type, typedService } from '../../src/index.ts';
import { bodyOf } from '../kit/xml-equal.ts';
import { serve } from './kit.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const SOAP11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';

/** A service that gives back a list: of a type of its own, and of an element that repeats. */
function listsOf(type: Type, nillable: boolean): Service {
  const item = {
    name: 'item',
    type,
    min: 0,
    max: 'unbounded' as const,
    ...(nillable ? { nillable } : {}),
  };
  const value = { name: 'value', type: { ref: 'Lists' }, documentation: '', sample: '' };
  return {
    name: 'Lists',
    namespace: 'urn:lists',
    types: {
      Line: { kind: 'object', name: 'Line', content: [{ name: 'sku', type: 'string' }] },
      List: { kind: 'array', name: 'List', item },
      Lists: {
        kind: 'object',
        name: 'Lists',
        content: [{ name: 'list', type: { ref: 'List' } }, item],
      },
    },
    operations: [
      { name: 'Echo', documentation: '', parameters: [value], result: { ref: 'Lists' } },
    ],
  };
}

const envelope = (namespace: string, items: string) =>
  [
    `<e:Envelope xmlns:e="${namespace}" xmlns:xsi="${XSI}"><e:Body>`,
    `<Echo xmlns="urn:lists"><value><list>${items}</list>${items}</value></Echo>`,
    '</e:Body></e:Envelope>',
  ].join('');
/** The content type and the body of a call. */
const WAYS: Readonly<Record<string, (items: string) => readonly [string, string]>> = {
  'SOAP 1.1': (items: string) => ['text/xml', envelope(SOAP11, items)],
  'SOAP 1.2': (items: string) => ['application/soap+xml', envelope(SOAP12, items)],
  MTOM: (items: string) => [
    'multipart/related; type="application/xop+xml"; start="<r>"; start-info="text/xml"; boundary=edge',
    [
      '--edge',
      'Content-ID: <r>',
      'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
      '',
      envelope(SOAP11, items),
      '--edge--',
    ].join('\r\n'),
  ],
};

const NIL = '<item xsi:nil="true" />';
/**
 * By type: an item in XML and in JSON; what a null is to the handler and in the answer where the
 * schema allows none.
 */
const KINDS: readonly [type: Type, xml: string, json: unknown, read: unknown, written: string][] = [
  ['string', 'a', 'a', null, NIL],
  ['int', '7', 7, 0, '<item>0</item>'],
  [
    'dateTime',
    '2031-12-25T00:00:00Z',
    '2031-12-25T00:00:00Z',
    null,
    '<item>0001-01-01T00:00:00</item>',
  ],
  ['base64Binary', 'AQ==', 'AQ==', null, NIL],
  [{ ref: 'Line' }, '<sku>s</sku>', { sku: 's' }, null, NIL],
];

describe('a null among the items of a list is null, to the handler and in the answer', () => {
  for (const [type, xml, json, read, written] of KINDS) {
    for (const nillable of [true, false]) {
      const name = typeof type === 'string' ? type : type.ref;
      it(`${name}, ${nillable ? 'nillable' : 'not nillable'}`, async (test) => {
        let got: unknown;
        const Echo = ({ value }: { value: unknown }) => {
          got = value;
          return value;
        };
        const contract = typedService<never>(listsOf(type, nillable));
        const endpoint = createEndpoint(contract, {
          path: '/L.asmx',
          handlers: { Echo } as never,
        });
        const url = `${await serve(test, endpoint)}/L.asmx`;
        const ask = async (at: string, contentType: string, body: string) => {
          const headers = { 'Content-Type': contentType };
          const response = await fetch(at, { method: 'POST', headers, body });
          const { list, item } = got as Readonly<Record<'list' | 'item', readonly unknown[]>>;
          for (const { 1: second, length } of [list, item]) {
            assert.equal(second, nillable ? null : read);
            assert.equal(length, 3);
          }
          return response.text();
        };
        for (const way of Object.values(WAYS)) {
          const one = `<item>${xml}</item>`;
          const answer = await ask(url, ...way(`${one}<item xsi:nil="true"/>${one}`));
          const [message = ''] = /<\w+:Envelope.*<\/\w+:Envelope>/s.exec(answer) ?? [];
          // libxml2 refuses prefixes that nothing declares.
          assert.equal(bodyOf(message).length, 1);
          const items = message.match(/<item(?: [^>]*\/>|>.*?<\/item>)/g) ?? [];
          assert.equal(items.length, 6, message);
          for (const at of [1, 4]) assert.equal(items[at], nillable ? NIL : written);
        }
        const sent = { value: { list: [json, null, json], item: [json, null, json] } };
        const { d } = JSON.parse(
          await ask(`${url}/Echo`, 'application/json', JSON.stringify(sent)),
        );
        for (const list of [d.list, d.item]) assert.equal(list[1], nillable ? null : read);
      });
    }
  }
});
