import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import {
  anyType,
  createEndpoint,
  DateTime,
  dateTime,
  operation,
  service,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:typed';

async function echo(test: TestContext, field: typeof anyType | typeof dateTime) {
  const seen: unknown[] = [];
  const contract = service('Typed', {
    namespace: NS,
    operations: { Echo: operation({ input: { v: field as typeof anyType }, result: field }) },
  });
  const endpoint = createEndpoint(contract, {
    path: '/t.asmx',
    handlers: {
      Echo: ({ v }) => {
        seen.push(v);
        return v as never;
      },
    },
  });
  const url = `${await serve(test, endpoint)}/t.asmx`;
  const call = async (v: string) => {
    const { body } = await soap(url, `<Echo xmlns="${NS}">${v}</Echo>`);
    return body
      .replace(/.*?<EchoResponse [^>]*>|<\/EchoResponse>/g, '')
      .replaceAll('EchoResult', 'v');
  };
  return { seen, call };
}

it('a value of any type says its type where it does not say so itself', async (test) => {
  const { seen, call } = await echo(test, anyType);
  for (const [sent, got] of [
    ['<v xsi:type="xsd:int">5</v>', 5],
    ['<v xsi:type="xsd:short">5</v>', { $type: 'short', value: 5 }],
    ['<v xsi:type="xsd:double">5</v>', { $type: 'double', value: 5 }],
    ['<v xsi:type="xsd:double">2.5</v>', 2.5],
    ['<v xsi:type="xsd:long">5</v>', 5n],
    ['<v xsi:type="xsd:unsignedLong">5</v>', { $type: 'unsignedLong', value: 5n }],
    ['<v xsi:type="xsd:decimal">1.50</v>', { $type: 'decimal', value: '1.50' }],
    [
      '<v xmlns:q1="http://microsoft.com/wsdl/types/" xsi:type="q1:TimeSpan">PT5M</v>',
      { $type: '{http://microsoft.com/wsdl/types/}TimeSpan', xml: 'PT5M' },
    ],
    ['<v />', { $type: 'anyType', xml: '' }],
    ['<v><a xmlns="urn:a">1</a>&lt;</v>', { $type: 'anyType', xml: '<a xmlns="urn:a">1</a>&lt;' }],
  ] as const) {
    assert.equal(await call(sent), sent);
    assert.deepEqual(seen.pop(), got);
  }
  await call('<v>a &lt; b</v>');
  assert.equal(seen.pop(), 'a < b');
});

it('a date is written as it was read, until it is set', async (test) => {
  const { seen, call } = await echo(test, dateTime);
  for (const text of [
    '2024-12-31T23:59:59.9999999',
    '2024-12-31T00:00:00',
    '2024-07-01T01:02:03+02:00',
    '0001-01-01T00:00:00',
    '2024-12-31T23:59:59.5Z',
  ]) {
    const answer = await call(`<v>${text}</v>`);
    assert.equal(
      answer,
      `<v>${text === '2024-12-31T23:59:59.5Z' ? '2024-12-31T23:59:59.500Z' : text}</v>`,
    );
  }
  const [first, , zoned, , utc] = seen as Date[];
  assert.ok(first instanceof DateTime && zoned instanceof DateTime && !(utc instanceof DateTime));
  assert.equal(zoned.getTime(), Date.UTC(2024, 5, 30, 23, 2, 3));
  zoned.setUTCFullYear(2025);
  assert.equal(zoned.exact, undefined);
  assert.equal(new DateTime('2024-12-31T00:00:00').getTime(), Date.UTC(2024, 11, 31));
  assert.throws(() => new DateTime('yesterday'), TypeError);
});

it('a value of an unknown type keeps its attributes, and what prefixes in it mean', async (test) => {
  const { seen, call } = await echo(test, anyType);
  for (const [sent, got, written] of [
    [
      '<v xmlns:x="urn:x" xsi:type="x:T" n="1" x:of="x:y http://z"><a xmlns="urn:a">2</a></v>',
      {
        ...{ $type: '{urn:x}T', xml: '<a xmlns="urn:a">2</a>' },
        attributes: { n: '1', '{urn:x}of': 'x:y http://z', 'xmlns:x': 'urn:x' },
      },
      /xmlns:(q\d)="urn:x" xsi:type="\1:T" n="1" xmlns:(q\d)="urn:x" \2:of="(q\d):y http:\/\/z" xmlns:\3="urn:x"><a /,
    ],
    [
      '<v xmlns:x="urn:x" xmlns:q1="urn:q" xsi:type="x:Name">q1:y</v>',
      { $type: '{urn:x}Name', xml: 'q1:y', attributes: { 'xmlns:q1': 'urn:q' } },
      /xmlns:(q\d)="urn:x" xsi:type="\1:Name" xmlns:(q\d)="urn:q">\2:y</,
    ],
    ['<v at="1">t</v>', { $type: 'anyType', xml: 't', attributes: { at: '1' } }, /<v at="1">t</],
    ['<v>q1:plain</v>', 'q1:plain', />q1:plain</],
  ] as const) {
    assert.match(await call(sent), written);
    assert.deepEqual(seen.pop(), got);
  }
});
