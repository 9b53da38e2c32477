import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { typescriptOf } from '../../../asmx/src/index.ts';
import { bodyOf, difference } from '../../../asmx/test/kit/xml-equal.ts';
import { soap } from '../../../asmx/test/values/kit.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { compare, readWsdlText } from '../../src/from/index.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const element = (name: string, type = 's:string', more = '') =>
  `<s:element name="${name}" type="${type}" ${more}/>`;

/** A WSDL whose operation takes and answers an object of this content. */
const wsdlWith = (content: string) =>
  wsdlOf({
    schema: `<s:complexType name="Thing">${content}</s:complexType>`,
    asks: element('thing', 't:Thing', 'minOccurs="0"'),
    answers: element('AskResult', 't:Thing', 'minOccurs="0"'),
  });

/** Sends each content, and demands it back; what the handler got. */
async function echoed(t: TestContext, content: string, sent: readonly string[]) {
  const got: unknown[] = [];
  const url = await served(t, wsdlWith(content), {
    Ask: ({ thing }) => {
      got.push(thing);
      return thing;
    },
  });
  for (const inside of sent) {
    const request = `<Ask xmlns="urn:old"><thing>${inside}</thing></Ask>`;
    const { text, status } = await soap(url, request);
    assert.equal(status, 200, `${inside}: ${text}`);
    const envelope = `<e xmlns="urn:e"><Body>${request}</Body></e>`;
    const [before] = bodyOf(envelope)[0]!.children;
    assert.equal(difference(before!, bodyOf(text)[0]!.children[0]!), undefined, inside);
  }
  return got;
}

test('a choice that repeats is one list in its order', async (t) => {
  const content = `<s:sequence>${element('id', 's:int')}<s:choice minOccurs="0" maxOccurs="unbounded">${element('circle', 's:int')}${element('square', 's:dateTime')}<s:sequence>${element('x', 's:int')}${element('y', 's:int', 'minOccurs="0"')}</s:sequence></s:choice>${element('items')}</s:sequence>`;
  const got = await echoed(t, content, [
    '<id>1</id><square>2024-01-01T00:00:00</square><circle>1</circle><square>2024-01-02T00:00:00Z</square><items>i</items>',
    '<id>2</id><x>1</x><y>2</y><x>3</x><circle>5</circle><x>4</x><y>6</y><circle>7</circle><circle>8</circle><items>i</items>',
    '<id>3</id><items>i</items>',
  ]);
  assert.deepEqual(got[1], {
    id: 2,
    items: [{ x: 1, y: 2 }, { x: 3 }, { circle: 5 }, { x: 4, y: 6 }, { circle: 7 }, { circle: 8 }],
    items2: 'i',
  });
  const { service } = await readWsdlText(wsdlWith(content), 'old.wsdl');
  assert.match(
    typescriptOf(engineService(service)),
    /readonly items\?: readonly \(\{ readonly circle: number \} \| \{ readonly square: Date \} \| \{ readonly x: number; readonly y\?: number \| undefined; \}\)\[\] \| undefined;/,
  );
});

test('a sequence that repeats is a list of rounds; one of one element is that element repeated', async (t) => {
  const rounds = `<s:sequence maxOccurs="unbounded">${element('key')}${element('value', 's:int', 'minOccurs="0" maxOccurs="2"')}<s:choice maxOccurs="unbounded" minOccurs="0">${element('a')}${element('b')}</s:choice></s:sequence>`;
  const got = await echoed(t, rounds, [
    '<key>k</key><value>1</value><value>2</value><key>l</key><b>1</b><a>2</a><b>3</b><key>m</key>',
  ]);
  assert.deepEqual(got[0], {
    items: [
      { key: 'k', value: [1, 2] },
      { key: 'l', items: [{ b: '1' }, { a: '2' }, { b: '3' }] },
      { key: 'm' },
    ],
  });
  const one = `<s:sequence maxOccurs="unbounded">${element('key')}</s:sequence>`;
  assert.deepEqual(await echoed(t, one, ['<key>1</key><key>2</key>']), [{ key: ['1', '2'] }]);
});

test('one element is that element, in whatever groups it repeats; the WSDL served says the same', async (t) => {
  const one = `<s:group name="One"><s:sequence>${element('p')}</s:sequence></s:group>`;
  const many = 'maxOccurs="unbounded"';
  for (const content of [
    `<s:group ref="t:One" ${many}/>`,
    `<s:choice ${many}><s:group ref="t:One"/></s:choice>`,
    `<s:choice><s:choice ${many}><s:sequence>${element('p')}</s:sequence></s:choice>${element('z')}</s:choice>`,
  ]) {
    const wsdl = wsdlWith(content).replace('<s:complexType name="Thing">', `${one}$&`);
    const url = await served(t, wsdl, { Ask: ({ thing }) => thing });
    const { body } = await soap(url, '<Ask xmlns="urn:old"><thing><p>1</p><p>2</p></thing></Ask>');
    assert.match(body, /<AskResult><p>1<\/p><p>2<\/p><\/AskResult>/);
    const own = await (await fetch(`${url}?WSDL`)).text();
    const [old, ours] = await Promise.all(
      [wsdl, own].map((text) => readWsdlText(text, 'old.wsdl')),
    );
    assert.deepEqual(compare(old!.service, ours!.service).differences, []);
  }
});

test('what stands in several places keeps its place', async (t) => {
  const twice = `<s:sequence>${element('a', 's:int')}${element('b')}${element('a', 's:int')}</s:sequence>`;
  assert.deepEqual(await echoed(t, twice, ['<a>1</a><b>x</b><a>2</a>']), [{ a: 1, b: 'x', a2: 2 }]);
  const branches = `<s:choice><s:sequence>${element('a')}${element('b')}</s:sequence><s:sequence>${element('a')}${element('c')}</s:sequence></s:choice>`;
  assert.deepEqual(await echoed(t, branches, ['<a>1</a><c>2</c>', '<a>1</a><b>2</b>']), [
    { a: '1', c: '2' },
    { a: '1', b: '2' },
  ]);
});

test('of several places of one name the one is meant that may follow what came', async (t) => {
  const many = 'minOccurs="0" maxOccurs="unbounded"';
  const cases = [
    // A branch has it once, another several times.
    [
      `<s:choice>${element('a')}<s:sequence>${element('c')}${element('a', 's:string', many)}</s:sequence></s:choice>`,
      ['<c>1</c><a>2</a><a>3</a>', '<a>1</a>'],
      [{ c: '1', a2: ['2', '3'] }, { a: '1' }],
    ],
    // What came before is no text.
    [
      `<s:choice>${element('a')}<s:sequence>${element('c', 't:Thing')}${element('a', 's:string', many)}</s:sequence></s:choice>`,
      ['<c><a>1</a></c><a>2</a>'],
      [{ c: { a: '1' }, a2: ['2'] }],
    ],
    // The first place was left out.
    [
      `<s:sequence>${element('a', 's:int', many)}${element('b')}${element('a', 's:int', many)}</s:sequence>`,
      ['<b>x</b><a>1</a>', '<a>1</a><b>x</b><a>2</a><a>3</a>'],
      [
        { b: 'x', a2: [1] },
        { a: [1], b: 'x', a2: [2, 3] },
      ],
    ],
    // Two groups that repeat have it.
    [
      `<s:sequence><s:choice ${many}>${element('a')}${element('b')}</s:choice>${element('c')}<s:choice ${many}>${element('a')}${element('d')}</s:choice></s:sequence>`,
      ['<a>1</a><c>2</c><a>3</a><d>4</d>', '<c>1</c><a>2</a>'],
      [
        { items: [{ a: '1' }], c: '2', items2: [{ a: '3' }, { d: '4' }] },
        { c: '1', items2: [{ a: '2' }] },
      ],
    ],
    // A group that repeats has it twice.
    [
      `<s:sequence ${many}>${element('a')}${element('b')}${element('a')}</s:sequence>`,
      ['<a>1</a><b>2</b><a>3</a><a>4</a><b>5</b><a>6</a>'],
      [
        {
          items: [
            { a: '1', b: '2', a2: '3' },
            { a: '4', b: '5', a2: '6' },
          ],
        },
      ],
    ],
    // A choice within a group that repeats has one member a round.
    [
      `<s:sequence ${many}><s:choice>${element('a')}${element('b')}</s:choice>${element('c', 's:string', 'minOccurs="0"')}</s:sequence>`,
      ['<a>1</a><b>2</b><c>3</c>'],
      [{ items: [{ a: '1' }, { b: '2', c: '3' }] }],
    ],
  ] as const;
  for (const [content, sent, got] of cases) assert.deepEqual(await echoed(t, content, sent), got);
});

test('a member that branches of a choice share stands once in the types, which compile only so', async () => {
  const branches = `<s:choice><s:sequence>${element('b')}${element('a')}</s:sequence><s:sequence>${element('c')}${element('a', 's:string', 'nillable="true"')}</s:sequence></s:choice>`;
  const { service } = await readWsdlText(wsdlWith(branches), 'old.wsdl');
  const thing = /interface Thing \{[^}]*\}/.exec(typescriptOf(engineService(service)))?.[0];
  const members = ['b?: string', 'a?: string | null', 'c?: string'];
  const lines = members.map((member) => `  readonly ${member} | undefined;\n`);
  assert.equal(thing, `interface Thing {\n${lines.join('')}}`);
});

test('of a choice one branch may be set', async (t) => {
  const content = `<s:choice>${element('a', 's:int', 'default="5"')}${element('b', 's:int')}</s:choice>`;
  assert.deepEqual(await echoed(t, content, ['<b>1</b>']), [{ b: 1 }]);
  const url = await served(t, wsdlWith(content), { Ask: () => ({ a: 1, b: 2 }) });
  const { status } = await soap(url, '<Ask xmlns="urn:old"/>');
  assert.equal(status, 500);
});
