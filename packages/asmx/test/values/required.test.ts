import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  createEndpoint,
  int,
  nullable,
  object,
  operation,
  required,
  service,
  string,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:required';
const Line = object('Line', { sku: required(string), count: required(int), note: string });
const Order = object('Order', { lines: array(Line), total: required(nullable(int)) });
const Shop = service('Shop', {
  namespace: NS,
  operations: {
    Pay: operation({
      input: { account: required(string), cents: required(int), rate: int },
      result: string,
    }),
    Put: operation({ input: { order: required(Order) }, result: Line }),
  },
});
let answered: { sku: string; count: number } = { sku: 'a', count: 1 };
const endpoint = createEndpoint(Shop, {
  path: '/Shop.asmx',
  onAnswered: () => {},
  handlers: {
    Pay: ({ account, cents }) => account.toUpperCase() + cents.toFixed(),
    Put: ({ order }) => (order.total === 0 ? null : answered),
  },
});

describe('what is required', () => {
  it('is asked for in every binding, by its path, before the handler runs', async (test) => {
    const url = `${await serve(test, endpoint)}/Shop.asmx`;
    const json = (name: string, body: object) =>
      fetch(`${url}/${name}`, jsonRequest(body)).then((answer) => answer.text());
    const get = (query: string) => fetch(`${url}/Pay?${query}`).then((answer) => answer.text());
    const put = async (order: string) =>
      (await soap(url, `<Put xmlns="${NS}">${order}</Put>`)).text;
    const lines = (inside: string) =>
      put(`<order><lines><Line>${inside}</Line></lines><total>1</total></order>`);
    for (const [answer, parameter] of [
      [await get('account=a'), 'cents'],
      [await get('account=a&cents='), 'cents'],
      [await get('cents=1'), 'account'],
      [await json('Pay', { account: 'a' }), 'cents'],
      [await json('Pay', { account: null, cents: 1 }), 'account'],
      [(await soap(url, `<Pay xmlns="${NS}"><account>a</account></Pay>`)).text, 'cents'],
      [await put(''), 'order'],
      [await put('<order/>'), 'order.total'],
      [await lines('<sku>a</sku>'), 'order.lines[0].count'],
      [await lines('<count>1</count>'), 'order.lines[0].sku'],
      [await json('Put', { order: { lines: [{ sku: 'a' }], total: 1 } }), 'order.lines[0].count'],
    ] as const) {
      assert.match(answer, /MissingParameter/);
      assert.ok(answer.includes(`${parameter}: it must be there.`), answer);
    }
    assert.match(await get('account=&cents=0'), />0</);
    assert.match(await lines('<sku /><count>0</count>'), /<sku>a<\/sku>/);
    const nil = '<total xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>';
    assert.match(await put(`<order>${nil}</order>`), /<sku>a<\/sku>/);
  });

  it('of a list is each of its items, which are then not null, in calls and in results', async (test) => {
    const Sum = operation({
      input: { lines: array(required(Line)), flat: array(required(Line), { flat: true }) },
      result: array(required(string)),
    });
    const Loose = operation({ input: { notes: array(string, { name: 'Notes' }) }, result: int });
    let texts: (string | null)[] = [];
    const lists = createEndpoint(service('Lists', { namespace: NS, operations: { Sum, Loose } }), {
      path: '/Lists.asmx',
      onAnswered: () => {},
      handlers: {
        Sum: ({ lines = [], flat = [] }) =>
          lines.length + flat.length > 0 ? (texts as string[]) : null,
        Loose: ({ notes = [] }) => notes.filter((each) => each === null).length,
      },
    });
    const url = `${await serve(test, lists)}/Lists.asmx`;
    const json = async (name: string, body: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${url}/${name}`, init)).text();
    };
    const line = { sku: 'a', count: 1 };
    const I = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
    const xml = '<Line><sku>a</sku><count>1</count></Line>';
    const nil = `<Sum xmlns="${NS}"><lines>${xml}<Line ${I} i:nil="true"/></lines><flat><sku/><count>1</count></flat></Sum>`;
    for (const [answer, path] of [
      [await json('Sum', { lines: [line, null], flat: [line] }), 'lines[1]'],
      [await json('Sum', { flat: [null] }), 'flat[0]'],
      [await json('Sum', { lines: [line] }), 'flat'],
      [(await soap(url, nil)).text, 'lines[1]'],
    ] as const)
      assert.ok(answer.includes(`${path}: it must be there.`), answer);
    texts = ['a', 'b'];
    assert.equal(await json('Sum', { flat: [line] }), '{"d":["a","b"]}');
    texts = ['a', null];
    assert.match(await json('Sum', { flat: [line] }), /"code":"Internal"/);
    assert.equal(await json('Loose', { notes: ['a', null] }), '{"d":1}');
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /name="Line" type="tns:Line"/);
  });

  it('is asked of a result, and said in the WSDL and in OpenAPI', async (test) => {
    const url = `${await serve(test, endpoint)}/Shop.asmx`;
    answered = { count: 1 } as typeof answered;
    const order = '<Put xmlns="urn:required"><order><total>1</total></order></Put>';
    assert.match((await soap(url, order)).text, /<code>Internal</);
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    assert.match(wsdl, /minOccurs="1" maxOccurs="1" name="account" type="s:string"/);
    const { components, paths } = JSON.parse(String(endpoint.openApi().body));
    assert.deepEqual(components.schemas.Line.required, ['sku', 'count']);
    assert.deepEqual(components.schemas.Line.properties.sku.type, 'string');
    const pay = paths['/Shop.asmx/Pay'];
    const { parameters } = pay.get as { parameters: { name: string; required?: boolean }[] };
    const needed = parameters.filter((each) => each.required).map(({ name }) => name);
    assert.deepEqual(needed, ['account', 'cents']);
    assert.equal(parameters.length, 3);
    assert.deepEqual(components.schemas.PayRequest.required, needed);
    assert.equal(pay.post.requestBody.required, true);
  });
});
