import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { compile } from '../../../asmx/test/kit/compile.ts';
import { linkModules, writeStrictProject } from '../../../asmx/test/kit/programs.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { asmx, place } from '../from/kit/command.ts';

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

test('the programs and commands of the guide run as they stand there', async (t) => {
  const url = `${await serve(t, shop)}/Shop.asmx`;
  const folder = await place(t);
  const text = await readFile(new URL('../../../../site/soap-client.md', import.meta.url), 'utf8');
  const page = text.replaceAll('http://old.example.com/Shop.asmx', url);
  const commands = [...page.matchAll(/^npx asmx (.*)$/gm)].map(([, command = '']) =>
    command.replaceAll('"', '').replace('shop-client.ts', `${folder}/$&`).split(' '),
  );
  const ended = [];
  for (const command of commands) ended.push(await asmx(...command));
  assert.deepEqual(
    ended.map(({ code, stderr }) => [code, stderr]),
    commands.map(() => [0, '']),
  );
  assert.deepEqual(JSON.parse(ended[1]!.stdout), orderOf(7));

  await linkModules(folder);
  await writeStrictProject(folder);
  const programs = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, each = '']) => each);
  const files = programs.map((_, index) => join(folder, `${index}.ts`));
  for (const [index, program] of programs.entries()) await writeFile(files[index]!, program);
  assert.equal((await compile(folder)).stdout, '');

  const printed: unknown[][] = [];
  t.mock.method(console, 'log', (...values: unknown[]) => printed.push(values));
  for (const file of files) await import(file);
  assert.deepEqual(printed, [
    ['customer 7'],
    ['customer 7', {}],
    ['customer 7'],
    [-1],
    ['customer 7'],
    [70_000],
    ['customer 1'],
    ['customer 2'],
  ]);
});
