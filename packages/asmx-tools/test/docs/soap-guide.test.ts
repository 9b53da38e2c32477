import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  array,
  base64Binary,
  createEndpoint,
  header,
  int,
  object,
  operation,
  ServiceError,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { SECURITY_HEADER } from '../../../asmx/src/security/index.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { openSoapClient } from '../../src/from/index.ts';
import { createSoapClient, SoapCallError, SoapFault } from '../../src/soap/index.ts';

const Order = object('Order', { id: int, customer: string });
const Shop = service('Shop', {
  namespace: 'urn:shop',
  operations: {
    GetOrder: operation({
      input: { id: int },
      result: Order,
      headers: { in: { Session: header({ ticket: string }) } },
      faults: { NoSuchOrder: object('NoSuchOrderDetail', { id: int }) },
    }),
    ListOrders: operation({ result: array(Order) }),
    GetPicture: operation({ input: { id: int }, result: base64Binary }),
    PutPicture: operation({ input: { id: int, picture: base64Binary } }),
  },
});
const orderOf = (id: number) => ({ id, customer: `customer ${id}` });
const shop = createEndpoint(Shop, {
  path: '/Shop.asmx',
  understands: [SECURITY_HEADER],
  errors: { NoSuchOrder: { status: 404, side: 'client', meaning: 'There is no such order.' } },
  handlers: {
    GetOrder: ({ id }) => {
      if (id < 0) throw new ServiceError('NoSuchOrder', 'There is none.', { detail: { id } });
      return orderOf(id);
    },
    ListOrders: () => [orderOf(1), orderOf(2)],
    GetPicture: () => new Uint8Array(70_000),
    PutPicture: () => {},
  },
});

const AsyncFunction = (async () => {}).constructor as FunctionConstructor;

test('the snippets of the guide run as they stand there', async (t) => {
  const url = `${await serve(t, shop)}/Shop.asmx`;
  const page = await readFile(new URL('../../../../site/soap-client.md', import.meta.url), 'utf8');
  const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, each = '']) => each);
  const printed: unknown[][] = [];
  const around = {
    createShopClient: (options: object) => createSoapClient(Shop, { ...options, url }),
    openSoapClient: (source: string) =>
      openSoapClient(source.replace('http://old.example.com/Shop.asmx', url)),
    SoapCallError,
    SoapFault,
    console: { log: (...values: unknown[]) => printed.push(values) },
  };
  const values: Record<string, unknown>[] = [];
  for (const each of code) {
    const body = each.replaceAll(/^import .*\n/gm, '').replace(/\} as const;/, '};');
    const isWhole = /const shop/.test(body);
    const names = ['shop', 'order', 'bytes'].filter((name) =>
      new RegExp(`(const|let) ${name}\\b`).test(body),
    );
    const given = isWhole ? around : { ...around, shop: createSoapClient(Shop, { url }) };
    const run = new AsyncFunction(
      ...Object.keys(given),
      `${body}\nreturn { ${names.join(', ')} };`,
    );
    values.push(
      await (run(...Object.values(given)) as unknown as Promise<Record<string, unknown>>),
    );
  }
  assert.equal(code.length, 6);
  assert.deepEqual(printed, [
    ['customer 7'],
    ['customer 7', {}],
    [-1],
    ['customer 1'],
    ['customer 2'],
  ]);
  assert.deepEqual(values[2]!.order, orderOf(7));
  assert.equal(values[5]!.bytes, 70_000);
});
