import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { any, createEndpoint, object, operation, service, string, xml } from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:free';
const PATH = '/Free.asmx';
const Open = object('Open', { name: string, any });
const contract = service('Free', {
  namespace: NS,
  operations: {
    Xml: operation({ input: { value: xml }, result: xml }),
    Any: operation({ input: { value: Open }, result: Open }),
  },
});

/** What a handler may have; and how it stands where the service's namespace is the default one. */
const VALUES: readonly (readonly [value: string, written: string])[] = [
  ['<report><row /></report>', '<report xmlns=""><row /></report>'],
  ['<report/>', '<report xmlns=""/>'],
  ['<report\n a=">"/>', '<report xmlns=""\n a=">"/>'],
  ['<report xmlns=""><row /></report>', '<report xmlns=""><row /></report>'],
  [
    '<report xmlns = \'urn:r\'><row xmlns="" /></report>',
    '<report xmlns = \'urn:r\'><row xmlns="" /></report>',
  ],
  ['<report a=" xmlns=\'urn:x\'" />', '<report xmlns="" a=" xmlns=\'urn:x\'" />'],
  ['<r xmlns="urn:r"><row /></r>', '<r xmlns="urn:r"><row /></r>'],
  [`<r xmlns="${NS}"><row /></r>`, `<r xmlns="${NS}"><row /></r>`],
  ['<p:r xmlns:p="urn:r"><p:row /></p:r>', '<p:r xmlns:p="urn:r"><p:row /></p:r>'],
  ['<p:r xmlns:p="urn:r"><row /></p:r>', '<p:r xmlns="" xmlns:p="urn:r"><row /></p:r>'],
  [
    '<a><!-- <b> --><![CDATA[<b>]]><?p <b>?><b /></a>',
    '<a xmlns=""><!-- <b> --><![CDATA[<b>]]><?p <b>?><b /></a>',
  ],
  ['<a><!-- --><b /></a><c />', '<a xmlns=""><!-- --><b /></a><c xmlns="" />'],
];

async function start(
  test: { after(close: () => unknown): void },
  value: (given: unknown) => unknown,
) {
  const handlers = {
    Xml: ({ value: given }: { value?: unknown }) => value(given),
    Any: ({ value: given }: { value?: unknown }) => value(given),
  };
  const url = `${await serve(test, createEndpoint(contract, { path: PATH, handlers: handlers as never }))}${PATH}`;
  return async (name: 'Xml' | 'Any', inside: string) => {
    const { body } = await soap(url, `<${name} xmlns="${NS}"><value>${inside}</value></${name}>`);
    return new RegExp(`<${name}Result>(.*)</${name}Result>`, 's').exec(body)?.[1] ?? body;
  };
}

describe('free XML', () => {
  it('of a handler keeps its names, in an element and beside members', async (t) => {
    let given = '';
    const xmlOf = await start(t, () => given);
    const anyOf = await start(t, () => ({ name: 'n', any: [given, '<last />'] }));
    for (const [value, written] of VALUES) {
      given = value;
      assert.equal(await xmlOf('Xml', ''), written);
      assert.equal(await anyOf('Any', ''), `<name>n</name>${written}<last xmlns="" />`);
    }
  });

  it('of a client comes back as it went, whatever its namespace', async (t) => {
    const seen: unknown[] = [];
    const call = await start(t, (given) => {
      seen.push(given);
      return given;
    });
    const elements = [
      '<a xmlns=""><b>1</b></a>',
      '<a><b>1</b></a>',
      '<a xmlns="urn:a"><b xmlns="">1</b></a>',
    ];
    for (const element of elements) {
      const named = element === elements[1] ? `<a xmlns="${NS}"><b>1</b></a>` : element;
      assert.equal(await call('Xml', element), named);
      assert.equal(await call('Any', `<name>n</name>${element}`), `<name>n</name>${named}`);
    }
    assert.equal(
      await call('Xml', '<a xmlns="urn:a" xmlns:z="urn:z"><b>z:n</b></a>'),
      '<a xmlns="urn:a"><b xmlns:z="urn:z">z:n</b></a>',
    );
    assert.equal(seen[0], '<a><b>1</b></a>');
    assert.equal(seen[2], `<a xmlns="${NS}"><b>1</b></a>`);
  });
});
