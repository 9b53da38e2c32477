import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  attribute,
  createEndpoint,
  object,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { serve } from '../values/kit.ts';

/** An endpoint of a contract whose handler answers whatever it is given. */
function endpoint(
  fields: Parameters<typeof object>[1],
  path: `/${string}` = '/Shop.asmx',
  handlers?: object,
) {
  const Item = object('Item', fields);
  const Shop = service('Shop', {
    namespace: 'urn:shop',
    operations: { toString: operation({ input: { item: Item }, result: array(Item) }) },
  });
  const echo = { toString: ({ item }: { readonly item?: unknown }) => [item] };
  return createEndpoint(
    Shop as never,
    { path, authorize: () => undefined, handlers: handlers ?? echo } as never,
  );
}

describe('names of a contract', () => {
  it('are those of XML', () => {
    for (const name of ["a'b", 'a b', 'a:b', '1a', '', 'a\u00b2', '\ud800']) {
      const message = `${JSON.stringify(name)} cannot be the name of an element of types.Item.`;
      assert.throws(() => endpoint({ [name]: string }), { name: 'TypeError', message });
    }
    assert.throws(
      () => endpoint({ 'a"b': attribute(string) }),
      /"a\\"b" cannot be the name of an attribute of types\.Item/,
    );
    const faults = [{ name: 'Sold', element: { name: 'a b', type: 'string' } }];
    const operations = [
      { name: 'Op', documentation: '', parameters: [], result: 'string', faults },
    ];
    const shop = { name: 'Shop', namespace: 'urn:shop', operations };
    assert.throws(
      () =>
        createEndpoint(shop as never, { path: '/Shop.asmx', handlers: { Op: () => '' } } as never),
      /"a b" cannot be the name of an element of operations\.Op/,
    );
    for (const name of ['\u00e9t\u00e9', '\u05d0', 'a-b.c', '_1', 'a\u00b7b', '\u{20000}'])
      endpoint({ [name]: string });
  });

  it('are not those that every object has: where a member is absent, they would be read', () => {
    for (const name of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']) {
      const message = `types.Item: no member may have the property ${name}.`;
      assert.throws(() => endpoint(Object.fromEntries([[name, string]])), {
        name: 'TypeError',
        message,
      });
      assert.throws(() => endpoint(Object.fromEntries([[name, attribute(string)]])), {
        name: 'TypeError',
        message,
      });
    }
  });

  it('of operations are no handlers by themselves', () => {
    assert.throws(
      () => endpoint({ a: string }, '/Shop.asmx', {}),
      /handlers\.toString: there must be a function\./,
    );
  });
});

it('an endpoint answers at its path as clients send it, percent-encoded', async (test) => {
  const url = await serve(test, endpoint({ a: string }, '/My Sh\u00f6p.asmx'));
  const answer = await fetch(`${url}/My Sh\u00f6p.asmx?WSDL`);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /location="http:\/\/[^"]*\/My%20Sh%C3%B6p\.asmx"/);
});
