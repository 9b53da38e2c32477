import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createEndpoint, type Service, ServiceError } from '../../src/index.ts';
import { Random, runs } from '../kit/random.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:graph';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const ENCODING12 = 'http://www.w3.org/2003/05/soap-encoding';

/** Nodes of a graph, each with a list of others. */
const GRAPH: Service = {
  name: 'Graph',
  namespace: NS,
  errors: { Broken: { side: 'client', status: 422 } },
  types: {
    Node: {
      kind: 'object',
      name: 'Node',
      content: [
        { name: 'name', type: 'string' },
        { name: 'next', type: { ref: 'Node' }, nillable: true, min: 1 },
        { name: 'others', type: { ref: 'Nodes' } },
        { name: 'thing', type: 'anyType' },
      ],
    },
    Big: { kind: 'object', name: 'Big', extends: 'Node', content: [{ name: 'size', type: 'int' }] },
    Nodes: {
      kind: 'array',
      name: 'Nodes',
      encoded: true,
      item: { name: 'Item', type: { ref: 'Node' }, nillable: true, min: 0, max: 'unbounded' },
    },
  },
  operations: [
    {
      name: 'Echo',
      style: 'rpc',
      use: 'encoded',
      documentation: '',
      parameters: [
        { name: 'one', type: { ref: 'Node' } },
        { name: 'two', type: { ref: 'Node' } },
      ],
      result: { name: 'one', type: { ref: 'Node' } },
      out: [{ name: 'two', type: { ref: 'Node' } }],
      headers: {
        in: [{ name: 'Token', type: { ref: 'Node' } }],
        out: [{ name: 'Token', type: { ref: 'Node' } }],
      },
      faults: [{ name: 'Broken', element: { name: 'part', type: { ref: 'Node' } } }],
    },
  ],
} as never;

interface Node {
  $type?: string;
  name?: string;
  next?: Node | null;
  others?: (Node | null)[];
  thing?: unknown;
  size?: number;
}
type Pair = { one?: Node; two?: Node };

async function start(test: TestContext, handle?: (input: Pair) => unknown) {
  const got: { input?: Pair; headers?: { Token?: Node } } = {};
  const endpoint = createEndpoint(GRAPH as never, {
    path: '/g.asmx',
    strict: true,
    handlers: {
      Echo: (input: Pair, call: { headers: object; reply: { headers: object } }) => {
        Object.assign(got, { input, headers: call.headers });
        Object.assign(call.reply.headers, call.headers);
        return handle?.(input) ?? { value: input.one, out: { two: input.two } };
      },
    } as never,
  });
  const url = `${await serve(test, endpoint)}/g.asmx`;
  const call = (body: string, version: '1.1' | '1.2' = '1.1', header?: string) =>
    soap(url, body, { version, action: `${NS}/Echo`, ...(header ? { header } : {}) });
  return { call, got };
}

const asked = (content: string) => `<m:Echo xmlns:m="${NS}" xmlns:t="${NS}">${content}</m:Echo>`;
const node = (attributes: string, content: string) =>
  `<multiRef xmlns:t="${NS}" ${attributes}>${content}</multiRef>`;

it('what two parameters refer to is one object, in the answer too; a cycle stays one', async (test) => {
  const { call, got } = await start(test);
  const first = await call(
    asked('<one href="#a"/><two href="#a"/>') +
      node('id="a" xsi:type="t:Big"', '<name>a</name><next href="#b"/><size>5</size>') +
      node('id="b" xsi:type="t:Node"', '<name>b</name><next href="#a"/><thing href="#a"/>'),
  );
  assert.equal(first.status, 200, first.text);
  let answer = first.body;
  // The answer, read as a request, says the same.
  for (let round = 0; round < 2; round++) {
    const { one, two } = got.input!;
    assert.equal(one, two);
    assert.equal(one?.size, 5);
    assert.equal(one?.$type, 'Big');
    assert.equal(one?.next?.name, 'b');
    assert.equal(one?.next?.next, one);
    assert.equal(one?.next?.thing, one);
    assert.equal(answer.match(/<multiRef /g)?.length, 1);
    assert.equal(answer.match(/ href="#id1"/g)?.length, 4);
    const again = await call(answer.replaceAll('EchoResponse', 'Echo'));
    assert.equal(again.status, 200, again.text);
    answer = again.body;
  }
});

it('SOAP 1.2 refers by enc:ref and enc:id, and says its encoding on the wrapper', async (test) => {
  const { call, got } = await start(test);
  const { status, text, body } = await call(
    asked(`<one xmlns:e="${ENCODING12}" e:ref="a"/><two xmlns:e="${ENCODING12}" e:ref="a"/>`) +
      node(`xmlns:e="${ENCODING12}" e:id="a"`, '<name>a</name>'),
    '1.2',
  );
  assert.equal(status, 200, text);
  assert.equal(got.input!.one, got.input!.two);
  assert.match(text, /<soap:Body><m:EchoResponse [^>]*soap:encodingStyle="[^"]*soap-encoding">/);
  assert.match(body, /<two xmlns:enc="[^"]*" enc:ref="id1" \/>.*<multiRef [^>]*enc:id="id1"/);
});

it('every graph of objects comes back as it was', async (test) => {
  let made: Node[] = [];
  const { call, got } = await start(test, () => ({ value: made[0], out: { two: made.at(-1) } }));
  const first = Number(process.env.TEST_SEED ?? 1);
  for (let seed = first; seed < first + runs(60); seed++) {
    const random = new Random(seed);
    const nodes: Node[] = Array.from({ length: 1 + random.below(6) }, (_, at) =>
      random.below(2) === 0
        ? { $type: 'Node', name: `n${at}` }
        : { $type: 'Big', name: `n${at}`, size: at },
    );
    for (const each of nodes) {
      if (random.below(3) > 0) each.next = random.below(4) === 0 ? null : random.of(nodes);
      if (random.below(2) > 0)
        each.others = Array.from({ length: random.below(4) }, () =>
          random.below(5) === 0 ? null : random.of(nodes),
        );
      if (random.below(4) === 0) each.thing = random.of(nodes);
    }
    made = nodes;
    const answer = await call(asked(''));
    assert.equal(answer.status, 200, `TEST_SEED=${seed} ${answer.text}`);
    const again = await call(answer.body.replaceAll('EchoResponse', 'Echo'));
    assert.equal(again.status, 200, `TEST_SEED=${seed} ${answer.text}\n${again.text}`);
    const { one, two } = got.input!;
    assert.deepEqual(shape(one!, two!), shape(nodes[0]!, nodes.at(-1)!), `TEST_SEED=${seed}`);
  }
});

/** A graph as a list: each object with its members, by the places of others. */
function shape(...roots: Node[]): unknown[] {
  const known = [...new Set(roots)];
  const places = roots.map((root) => known.indexOf(root));
  const place = (of: unknown) => {
    if (typeof of !== 'object' || of === null) return of ?? null;
    if (!known.includes(of as Node)) known.push(of as Node);
    return known.indexOf(of as Node);
  };
  const found: unknown[] = [places];
  for (const each of known) {
    const { $type, name, size, next, others, thing } = each;
    found.push([$type, name, size, place(next), others?.map(place), place(thing)]);
  }
  return found;
}

it('typed faults and headers are encoded, as the WSDL says', async (test) => {
  const { call, got } = await start(test, () => {
    throw new ServiceError('Broken', 'It broke.', {
      detail: { $type: 'Big', name: 'n', size: 3, others: [{ $type: 'Node', name: 'o' }] },
    } as never);
  });
  const header = `<t:Token xmlns:t="${NS}" xsi:type="t:Node"><t:name>h</t:name></t:Token>`;
  const { status, text } = await call(asked(''), '1.1', header);
  assert.equal(status, 500);
  assert.deepEqual(got.headers?.Token, { $type: 'Node', name: 'h' });
  const typed = `<part xmlns="${NS}" xmlns:q1="${NS}" xsi:type="q1:Big"><name xmlns="" xsi:type="xsd:string">n</name>`;
  assert.ok(text.includes(`<detail>${typed}`), text);
  assert.match(text, /soapenc:arrayType="q\d:Node\[1\]"/);
  assert.ok(text.includes(`<soap:Body soap:encodingStyle="${ENCODING}">`), text);
  const plain = await start(test);
  const answer = await plain.call(asked('<one/>'), '1.1', header);
  assert.match(
    answer.header ?? '',
    /^<Token xmlns="urn:graph" xmlns:q1="urn:graph" xsi:type="q1:Node"><name xmlns="" /,
  );
  assert.ok(answer.text.includes(`<soap:Body soap:encodingStyle="${ENCODING}">`), answer.text);
});

it('null is written as null, in a fault, too, whether or not the WSDL says that it may be', async (test) => {
  const { call } = await start(test, () => {
    throw new ServiceError('Broken', 'It broke.', { detail: null });
  });
  const { text } = await call(asked(''), '1.1');
  assert.ok(text.includes(`<detail><part xmlns="${NS}" xsi:nil="true" /></detail>`), text);
  const other = await start(test, () => ({ value: { name: 'a', others: null }, out: {} }));
  const answer = await other.call(asked(''), '1.1');
  assert.ok(answer.text.includes('<others xsi:nil="true" />'), answer.text);
});

it('references that repeat far more than there is are refused', async (test) => {
  const { call } = await start(test);
  // Markup of any type is kept as a copy, each time that it is referred to.
  const doubled = Array.from({ length: 40 }, (_, at) =>
    node(`id="x${at}"`, `<a href="#x${at + 1}"/><b href="#x${at + 1}"/>`),
  ).join('');
  const { status, text } = await call(
    `${asked('<one><thing href="#x0"/></one>')}${doubled}${node('id="x40"', 'end')}`,
  );
  assert.equal(status, 400);
  assert.match(text, /repeat too much of it/);
  const chain = await call(asked('<one href="#a"/>') + node('id="a" href="#a"', ''));
  assert.match(chain.text, /More than 10 elements of the body refer to each other/);
});

it('a reader tells what nothing refers to', async (test) => {
  const { call } = await start(test);
  const { text } = await call(asked('<one><name>a</name>text</one>') + node('id="z"', ''));
  assert.match(text, /parts of the call: one\.#text, multiRef\./);
});
