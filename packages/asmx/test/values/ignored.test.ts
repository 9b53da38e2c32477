import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import {
  array,
  attribute,
  createEndpoint,
  int,
  object,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:ignored';
const Item = object('Item', { id: int, name: string, of: attribute(string) });
const contract = service('Ignored', {
  namespace: NS,
  operations: { Save: operation({ input: { item: Item, items: array(Item) }, result: string }) },
});

async function start(test: TestContext, strict: boolean) {
  const endpoint = createEndpoint(contract, {
    path: '/i.asmx',
    handlers: { Save: () => 'saved' },
    strict,
    onAnswered: () => {},
  });
  const url = `${await serve(test, endpoint)}/i.asmx`;
  return (content: string) => soap(url, `<Save xmlns="${NS}">${content}</Save>`);
}

const MESSAGES = [
  ['<item of="a"><id>1</id><name>n</name></item>', undefined],
  ['<item><id>1</id><secret>2</secret><id>3</id></item>', 'item.secret, item.id'],
  [
    '<item more="1" xml:lang="de" xsi:type="Item"><name lang="de">n</name></item>',
    'item.@more, item.name.@lang',
  ],
  ['<items><Item><x><y>1</y></x></Item><Item><x/></Item></items><z/>', 'items[].x, z'],
  ['<item xmlns=""><id>1</id></item>', 'item'],
] as const;

it('what the contract has no place for is told to the client', async (test) => {
  const call = await start(test, false);
  for (const [message, ignored] of MESSAGES) {
    const { status, headers } = await call(message);
    assert.equal(status, 200);
    const warning = headers.get('x-warning')?.split(': ')[1] ?? undefined;
    assert.equal(warning, ignored && `${ignored}.`, message);
  }
});

it('a strict endpoint refuses it', async (test) => {
  const call = await start(test, true);
  for (const [message, ignored] of MESSAGES) {
    const { status, text } = await call(message);
    assert.equal(status, ignored === undefined ? 200 : 500, text);
    if (ignored !== undefined) assert.ok(text.includes(`parts of the call: ${ignored}.`), text);
  }
});
