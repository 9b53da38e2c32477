import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createEndpoint,
  int,
  object,
  operation,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { made } from './kit/command.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

const at = (location: string): Shape => ({
  ports: `<wsdl:port name="OldSoap" binding="t:OldSoap"><soap:address location="http://old.example/${location}"/></wsdl:port>`,
});

describe('a WSDL that means harm', () => {
  test('its path is no command in the README, and no character of it leaves its line', async (t) => {
    const { code, read, stderr } = await made(t, wsdlOf(at("$(touch%20x)`id`%22;'.asmx")));
    assert.equal(code, 0, stderr);
    const readme = await read('README.md');
    assert.match(
      readme,
      /compare -- OLD "http:\/\/127\.0\.0\.1:8080\/%24%28touch%20x%29%60id%60%22%3B%27\.asmx\?WSDL"/,
    );
    assert.ok(!readme.includes('$('), readme);
    const control = await made(t, wsdlOf(at('a%1B%5B31m%0Ab')));
    assert.equal(control.code, 0, control.stderr);
    assert.match(await control.read('src/contract.ts'), /PATHS = \['\/a%1B%5B31m%0Ab'\]/);
  });

  for (const [pattern, note] of [
    [
      '(a+)+(a{1000000}){1000000}',
      /without its pattern "\(a\+\)\+.*: it has more than 30000 states/,
    ],
    [
      '(a{40}|(a+)+)(?=b)',
      /without its pattern .*: there is a "\?" that means nothing at character 15/,
    ],
    ['[', /without its pattern "\[".*: it ends too early/],
    ['(', /without its pattern "\(".*: it ends too early/],
    ['a\\', /without its pattern .*: it ends too early/],
    ['\\p{Lu', /without its pattern .*: it ends too early/],
    ['[a-z-[aeiou]]', undefined],
    ['(a|aa)+(b+c?)+', undefined],
  ] as const) {
    test(`a pattern is served and checked, or left out with a word: ${pattern}`, async (t) => {
      const restriction = `<s:restriction base="s:string"><s:maxLength value="9"/><s:pattern value="${pattern}"/><s:pattern value="b"/></s:restriction>`;
      const asks = `<s:element name="x"><s:simpleType>${restriction}</s:simpleType></s:element>`;
      const { code, stdout, stderr, read } = await made(t, wsdlOf({ asks }));
      assert.equal(code, 0, stderr);
      const contract = await read('src/contract.ts');
      assert.match(contract, /maxLength: 9/);
      assert.equal(contract.includes('patterns'), note === undefined, contract);
      if (note === undefined) assert.doesNotMatch(stdout + stderr, /pattern/);
      else assert.match(stdout + stderr, note);
    });
  }

  test('a default that its type has not is left out, with a note', async (t) => {
    const attribute =
      '<s:complexType name="T"><s:attribute name="a" type="s:int" default="x"/></s:complexType>';
    for (const [shape, member] of [
      [{ asks: '<s:element name="p" type="s:int" default="x" minOccurs="0"/>' }, 'Ask/p'],
      [{ schema: attribute, asks: '<s:element name="p" type="t:T"/>' }, 'T/a'],
    ] as const) {
      const { code, stderr } = await made(t, wsdlOf(shape));
      assert.equal(code, 0, stderr);
      assert.ok(
        stderr.includes(`note: ${member} is served without its default, which its type forbids.`),
        stderr,
      );
    }
  });
});

test('simple types that are made of each other are refused', async (t) => {
  for (const b of [
    '<s:restriction base="t:A"/>',
    '<s:list itemType="t:A"/>',
    '<s:union memberTypes="s:int t:A"/>',
    '<s:list><s:simpleType><s:restriction base="t:A"/></s:simpleType></s:list>',
  ]) {
    const schema = `<s:simpleType name="A"><s:restriction base="t:B"/></s:simpleType><s:simpleType name="B">${b}</s:simpleType>`;
    const { code, stderr } = await made(
      t,
      wsdlOf({ asks: '<s:element name="x" type="t:A"/>', schema }),
    );
    assert.equal(code, 2, b);
    assert.match(stderr, /The simple type A is made of itself\.\n$/, b);
  }
});

test('groups that hold others twice are refused before they fill the memory; a thousand groups are read', async (t) => {
  const twice = (levels: number): Shape => {
    const group = (level: number) => `<s:group ref="t:G${level}"/>`;
    const names = Array.from({ length: levels }, (_, level) => level);
    const content = (level: number) =>
      level === levels - 1 ? '<s:element name="e" type="s:string"/>' : group(level + 1).repeat(2);
    const groups = names.map(
      (level) => `<s:group name="G${level}"><s:sequence>${content(level)}</s:sequence></s:group>`,
    );
    return { asks: group(0), schema: groups.join('') };
  };
  const bomb = await made(t, wsdlOf(twice(30)));
  assert.equal(bomb.code, 2);
  assert.match(bomb.stderr, /A type holds more than 1000 groups\.\n$/);
  const many = {
    asks: '<s:group ref="t:One"/>'.repeat(1_000),
    schema: '<s:group name="One"><s:sequence/></s:group>',
  };
  assert.equal((await made(t, wsdlOf(many))).code, 0);
});

test('a service without operations is refused in one line, and nothing is written', async (t) => {
  const empty = wsdlOf({ portOperation: '' }).replace(
    /<wsdl:operation name="Ask"><soap:operation[\s\S]*?<\/wsdl:operation>/,
    '',
  );
  const { code, stderr, read } = await made(t, empty);
  assert.equal(code, 2);
  assert.match(stderr, /^asmx: .*old\.wsdl: service Old: It has no operation\.\n$/);
  await assert.rejects(read('package.json'), { code: 'ENOENT' });
});

test('a member that would hide the type of an object is refused with its path', () => {
  const Item = object('Item', { $type: string, n: int });
  const Shop = service('Shop', {
    namespace: 'urn:shop',
    operations: { Put: operation({ input: { item: Item } }) },
  });
  assert.throws(
    () =>
      createEndpoint(Shop, {
        path: '/Shop.asmx',
        authorize: () => undefined,
        handlers: { Put: () => undefined },
      } as never),
    { name: 'TypeError', message: 'types.Item: no member may have the property $type.' },
  );
});
