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
  xml,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:ignored';
const Item = object('Item', { id: int, name: string, of: attribute(string) });
const contract = service('Ignored', {
  namespace: NS,
  operations: {
    Save: operation({ input: { item: Item, items: array(Item), markup: xml }, result: string }),
    Add: operation({ input: { id: int, name: string }, result: string }),
  },
});

const urls = new Map<TestContext, string>();

async function start(test: TestContext, strict: boolean) {
  const endpoint = createEndpoint(contract, {
    path: '/i.asmx',
    handlers: { Save: () => 'saved', Add: () => 'added' },
    strict,
    onAnswered: () => {},
  });
  const url = `${await serve(test, endpoint)}/i.asmx`;
  urls.set(test, url);
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
  ['<item>text<id>1</id></item>', 'item.#text'],
  ['text<items><Item/>&#65;<Item/><![CDATA[ ]]></items>', '#text, items.#text'],
  ['<markup>text<a/></markup>', 'markup.#text'],
  ['<item xsi:type="t:Other" xmlns:t="urn:other"><id>1</id></item>', 'item.@type'],
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
    assert.equal(
      text.includes('item stood in no namespace, not in urn:ignored.'),
      ignored === 'item',
    );
  }
});

it('so is what a form has beside its parameters, and what stands around an operation', async (test) => {
  const call = await start(test, false);
  const url = urls.get(test)!;
  const told = async (answer: Promise<Response>) =>
    (await answer).headers.get('x-warning')?.split(': ')[1];
  assert.equal(await told(fetch(`${url}/Add?id=1&NAME=n`)), undefined);
  assert.equal(await told(fetch(`${url}/Add?id=1&other=n`)), 'other.');
  const form = new URLSearchParams({ id: '1', more: '2' });
  assert.equal(await told(fetch(`${url}/Add`, { method: 'POST', body: form })), 'more.');
  const { headers } = await soap(url, `<Add xmlns="${NS}" at="1"><id>1</id></Add><Further/>`);
  assert.equal(headers.get('x-warning')?.split(': ')[1], '@at, Further.');
  assert.equal((await call('')).headers.get('x-warning'), null);
});
