import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  array,
  attribute,
  type BindingName,
  boolean,
  content,
  createEndpoint,
  dateTime,
  decimal,
  enumeration,
  extended,
  header,
  int,
  nullable,
  object,
  operation,
  optional,
  restricted,
  type Service,
  service,
  string,
  voidResult,
} from '../../src/index.ts';
import { serve } from '../values/kit.ts';

const NS = 'urn:samples';
const Status = enumeration('Status', ['Open', 'Paid', 'Lost']);
const Price = object('Price', { currency: attribute(string), value: content(decimal) });
const Line = object('Line', { article: string, count: int, price: Price });
const Node = object('Node', {
  name: string,
  get next() {
    return nullable(Node);
  },
});
const Shape = object('Shape', { id: int }, { abstract: true });
const Circle = extended(Shape, 'Circle', { radius: int });
const Code = restricted('Code', string, { patterns: ['[A-Z]{2}\\d{3}'] });
const Quantity = restricted('Quantity', int, { minInclusive: '12' });
const Order = object('Order', {
  id: int,
  code: Code,
  quantity: Quantity,
  status: Status,
  placed: dateTime,
  lines: array(Line),
  tags: array(string),
  node: Node,
  shape: Shape,
  circle: optional(Circle),
});
const Client = header({ tenant: string, level: int });
const Shop = service('Shop', {
  namespace: NS,
  operations: {
    Place: operation({
      input: { order: Order, rush: boolean },
      result: array(Order),
      out: { count: int },
      headers: { in: { Client } },
    }),
    List: operation({ input: { status: Status, ids: array(int) }, result: Order }),
    Drop: operation({ input: { id: int }, result: voidResult }),
  },
});

/** What was sent, by operation. */
async function start(
  test: TestContext,
  bindings?: readonly BindingName[],
  contract: Service = Shop,
) {
  const sent: Record<string, unknown[]> = {};
  const handlers = Object.fromEntries(
    contract.operations.map(({ name, out }) => {
      const handler = (input: object, { headers }: { headers: object }) => {
        sent[name] = [...(sent[name] ?? []), { ...input, ...headers }];
        return out === undefined ? null : { value: null, out: { count: 1 } };
      };
      return [name, handler];
    }),
  );
  const endpoint = createEndpoint(contract, {
    path: '/Shop.asmx',
    handlers: handlers as never,
    onAnswered: () => {},
    ...(bindings && { bindings }),
  });
  const url = `${await serve(test, endpoint)}/Shop.asmx`;
  const page = async (name: string) => (await fetch(`${url}?op=${name}`)).text();
  return { url, sent, page };
}

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** A sample of a page, with its placeholders or its values. */
function sampleOn(page: string, id: string, isFilled: boolean): string | undefined {
  const pre = new RegExp(`<pre id="${id}">([^]*?)</pre>`).exec(page)?.[1];
  const value = '$1';
  return (
    pre && plain(isFilled ? pre.replaceAll(/<var data-sample="([^"]*)"[^>]*>[^<]*/g, value) : pre)
  );
}

/** Sends a sample as it stands on the page. */
async function send(url: string, sample: string): Promise<Response> {
  const at = sample.indexOf('\n\n');
  const [first = '', ...lines] = (at < 0 ? sample : sample.slice(0, at)).split('\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const own = headers.filter(([name]) => !/^(host|content-length)$/i.test(name));
  const body = at < 0 ? null : sample.slice(at + 2);
  const length = headers.find(([name]) => name === 'Content-Length')?.[1];
  if (body !== null) assert.equal(Number(length), Buffer.byteLength(body));
  return fetch(new URL(target, url), { method, headers: own, body });
}

const ORDER = {
  id: 1,
  // Within the bounds of their types.
  code: 'AA111',
  quantity: 12,
  status: 'Open',
  placed: new Date('2024-02-29T12:00:00Z'),
  tags: ['string', 'string'],
  shape: { $type: 'Circle', id: 1, radius: 1 },
  circle: { $type: 'Circle', id: 1, radius: 1 },
};
interface Placed {
  readonly order: { readonly lines: unknown; readonly node: unknown };
  readonly rush: boolean;
  readonly Client: object;
}

const LINE = { article: 'string', count: 1, price: { currency: 'string', value: '12.50' } };

describe('the samples of a page', () => {
  it('show each member of an object, as ASP.NET does, and SOAP headers', async (test) => {
    const { page } = await start(test);
    const shown = sampleOn(await page('Place'), 'soap11-request', false)!;
    for (const line of [
      '  <soap:Header>\n    <Client xmlns="urn:samples">\n      <tenant>string</tenant>\n',
      '        <status>Open or Paid or Lost</status>\n',
      '          <Line>\n            <article>string</article>\n            <count>int</count>\n',
      '            <price currency="string">decimal</price>\n',
      '          <string>string</string>\n          <string>string</string>\n',
      'xsi:type="Circle">\n          <id>int</id>\n          <radius>int</radius>\n        </shape>\n',
      'xsi:nil="true" />\n        </node>\n',
      '      <rush>boolean</rush>\n    </Place>\n  </soap:Body>\n</soap:Envelope>',
    ])
      assert.ok(shown.includes(line), `${line} is not in ${shown}`);
    const answer = sampleOn(await page('Place'), 'soap12-response', false)!;
    assert.match(answer, /<PlaceResult>\n {8}<Order>\n {10}<id>int<\/id>/);
    assert.match(answer, /<\/PlaceResult>\n {6}<count>int<\/count>\n/);
    const json = sampleOn(await page('Place'), 'json-response', true)!;
    const { d } = JSON.parse(json.slice(json.indexOf('\n\n')));
    assert.deepEqual(Object.keys(d), ['PlaceResult', 'count']);
    assert.equal(d.PlaceResult[0].lines[0].price.value, 12.5);
  });

  it('are taken by the service as they stand there, in every binding of theirs', async (test) => {
    const { url, sent, page } = await start(test);
    const asked = await page('Place');
    for (const id of ['soap11-request', 'soap12-request', 'json-request'])
      assert.equal((await send(url, sampleOn(asked, id, true)!)).status, 200, id);
    const list = await page('List');
    for (const id of ['http-get-request', 'http-post-request', 'soap11-request', 'json-request']) {
      assert.equal((await send(url, sampleOn(list, id, true)!)).status, 200, id);
      const { status, ids } = sent.List!.pop() as { status: string; ids: number[] };
      assert.deepEqual([status, ids], ['Open', id === 'json-request' ? [1] : [1, 1]], id);
    }
    for (const [index, given] of (sent.Place as Placed[]).entries()) {
      const isJson = index === 2;
      const { order, rush, Client: own } = given;
      const { lines, node, ...rest } = order;
      assert.deepEqual(rest, isJson ? { ...ORDER, tags: ['string'] } : ORDER);
      assert.deepEqual(lines, isJson ? [LINE] : [LINE, LINE]);
      assert.deepEqual(node, { name: 'string', next: null });
      assert.deepEqual([rush, own], [true, { tenant: 'string', level: 1 }]);
    }
    assert.equal(sent.Place?.length, 3);
  });

  it('and the form are of the bindings that can call the operation', async (test) => {
    const { page } = await start(test);
    const idsOf = (text: string) =>
      [...text.matchAll(/<(?:h3|label) id="([\w-]+)"/g)].map(([, id]) => id);
    const place = await page('Place');
    assert.deepEqual(idsOf(place), ['program', 'curl', 'json', 'soap11', 'soap12']);
    assert.doesNotMatch(place, /<form|id="http-get"|id="csharp"/);
    assert.match(place, /only available for methods with primitive types/);
    assert.match(sampleOn(place, 'curl-command', true)!, /application\/json[\s\S]*"id": 1,/);
    assert.match(await page('List'), /<form id="call"/);
    const soapAlone = await start(test, ['soap12']);
    const drop = await soapAlone.page('Drop');
    assert.deepEqual(idsOf(drop), ['soap12']);
    assert.doesNotMatch(drop, /<form|#curl/);
    assert.match(
      sampleOn(drop, 'soap12-response', false)!,
      /<DropResponse xmlns="urn:samples" \/>/,
    );
  });

  it('follow the styles of a contract, which are those of an old WSDL', async (test) => {
    const Item = { kind: 'object', name: 'Item', content: [{ name: 'id', type: 'int' }] } as const;
    const parameter = { documentation: '', sample: '' } as const;
    const item = { ...parameter, name: 'item', type: { ref: 'Item' } } as const;
    const styles: Service = {
      name: 'Shop',
      namespace: NS,
      types: { Item },
      forms: { [NS]: { elements: 'unqualified' } },
      operations: [
        {
          name: 'Bare',
          documentation: '',
          style: 'bare',
          parameters: [item],
          input: { name: 'Ask' },
        },
        { name: 'Rpc', documentation: '', style: 'rpc', parameters: [item], action: 'urn:go' },
      ],
    };
    const { url, sent, page } = await start(test, undefined, styles);
    for (const name of ['Bare', 'Rpc']) {
      const sample = sampleOn(await page(name), 'soap11-request', true)!;
      const answer = await send(url, sample);
      assert.equal(answer.status, 200, `${sample}\n${await answer.text()}`);
      assert.deepEqual(sent[name], [{ item: { id: 1 } }], sample);
    }
  });
});
