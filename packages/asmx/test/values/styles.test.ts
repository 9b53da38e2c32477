import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../../src/contract/words.ts';
import { createEndpoint, type Service, typedService } from '../../src/index.ts';
import { serve, soap } from './kit.ts';
import { endpoint } from './sample.ts';

const NS = 'urn:styles';
const parameter = { documentation: '', sample: '' };
const STYLES: Service = {
  name: 'Styles',
  namespace: NS,
  types: {
    Point: {
      kind: 'object',
      name: 'Point',
      content: [
        { name: 'x', type: 'int' },
        { name: 'label', type: 'string' },
        { name: 'next', type: { ref: 'Point' } },
      ],
    },
    Points: {
      kind: 'array',
      name: 'Points',
      encoded: true,
      item: { name: 'item', type: { ref: 'Point' }, nillable: true, min: 0, max: 'unbounded' },
    },
  },
  operations: ['rpc', 'encoded', 'bare'].map((name) => ({
    name,
    documentation: '',
    style: name === 'bare' ? 'bare' : 'rpc',
    use: name === 'encoded' ? 'encoded' : 'literal',
    parameters: [
      {
        ...parameter,
        name: 'points',
        type: name === 'encoded' ? { ref: 'Points' } : { ref: 'Point' },
      },
    ],
    result: { name: 'result', type: name === 'encoded' ? { ref: 'Points' } : { ref: 'Point' } },
  })),
};
const same = ({ points }: { points?: unknown }) => points;
const styles = createEndpoint(
  typedService<{ [name: string]: { input: { points?: unknown }; result: unknown } }>(STYLES),
  { path: '/Styles.asmx', handlers: { rpc: same, encoded: same, bare: same } },
);

describe('styles of messages', () => {
  it('rpc/literal: the parts are in no namespace, what is in them is in that of its type', async (test) => {
    const url = await serve(test, styles);
    const answer = await soap(
      `${url}/Styles.asmx`,
      `<m:rpc xmlns:m="${NS}"><points><x xmlns="${NS}">1</x></points></m:rpc>`,
    );
    assert.equal(
      answer.body,
      `<m:rpcResponse xmlns:m="${NS}"><result><x xmlns="${NS}">1</x></result></m:rpcResponse>`,
    );
  });

  it('rpc/encoded: references are followed, those too deep are refused; answers say their types', async (test) => {
    const url = await serve(test, styles);
    const encoded =
      `<m:encoded xmlns:m="${NS}"><points href="#1"/></m:encoded>` +
      `<soapenc:Array xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:t="${NS}" id="1" soapenc:arrayType="t:Point[2]"><Item href="#2"/><Item href="#2"/></soapenc:Array>` +
      `<t:Point xmlns:t="${NS}" id="2" xsi:type="t:Point"><x xsi:type="xsd:int">7</x><label href="#3"/></t:Point><multiRef id="3" xsi:type="xsd:string">seven</multiRef>`;
    const answer = await soap(`${url}/Styles.asmx`, encoded);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.body, /xsi:type="soapenc:Array" soapenc:arrayType="q\d+:Point\[2\]"/);
    const point = '<x xsi:type="xsd:int">7</x><label xsi:type="xsd:string">seven</label>';
    assert.match(answer.body, /(<item href="#id1" \/>){2}/);
    assert.equal(answer.body.split(point).length, 2);
    const depth = 1_200;
    const deep = Array.from(
      { length: depth },
      (_, at) => `<a id="n${at}"><next href="#n${at + 1}"/></a>`,
    ).join('');
    const refused = await soap(
      `${url}/Styles.asmx`,
      `<m:encoded xmlns:m="${NS}"><points><item href="#n0"/></points></m:encoded>${deep}<a id="n${depth}"/>`,
    );
    assert.equal(refused.status, 400);
    assert.match(refused.body, /deeper than 1000 levels/);
    const gone = await soap(
      `${url}/Styles.asmx`,
      `<m:encoded xmlns:m="${NS}"><points href="#9"/></m:encoded>`,
    );
    assert.match(gone.body, /The body has no element with the id 9/);
  });

  it('document/literal bare: the body’s element is the parameter', async (test) => {
    const url = await serve(test, styles);
    const answer = await soap(`${url}/Styles.asmx`, `<bare xmlns="${NS}"><x>2</x></bare>`);
    assert.equal(answer.body, `<bareResponse xmlns="${NS}"><x>2</x></bareResponse>`);
  });
});

describe('pages of a service with objects', () => {
  it('are answered: list, operation, WSDL', async (test) => {
    const url = await serve(test, endpoint, styles);
    for (const path of words(
      '/Weather.asmx /Weather.asmx?op=Echo /Weather.asmx?op=Forget /Weather.asmx?WSDL',
      '/Weather.asmx?disco /Styles.asmx?WSDL',
    )) {
      const response = await fetch(url + path);
      const text = await response.text();
      assert.equal(response.status, 200, `${path}: ${text}`);
      assert.ok(
        !text.includes('[object Object]'),
        `${path}: ${text.match(/.{80}\[object Object\].{40}/s)?.[0]}`,
      );
    }
    const openApi = endpoint.openApi({
      headers: { host: 'localhost' },
      remoteAddress: '127.0.0.1',
      encrypted: false,
    } as never);
    assert.ok(
      !Buffer.from(openApi.body as Uint8Array)
        .toString()
        .includes('[object Object]'),
    );
  });
});
