import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWsdlText } from '../../../asmx-tools/src/from/index.ts';
import {
  array,
  attribute,
  createEndpoint,
  header,
  object,
  operation,
  qname,
  type Service,
  service,
  string,
  typedService,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:names';
const Port = object('Port', { kind: attribute(qname), name: qname, other: string });
const Names = service('Names', {
  namespace: NS,
  operations: {
    One: operation({
      input: { value: qname },
      result: qname,
      headers: { in: { Of: header({ type: qname }) } },
    }),
    All: operation({ input: { value: array(qname) }, result: array(qname) }),
    Ports: operation({ input: { value: Port }, result: Port }),
  },
});
const VALUE = { name: 'value', documentation: '', sample: '' } as const;
/** What no builder says: texts with attributes, lists, and SOAP encoding. */
const OTHER = {
  name: 'Other',
  namespace: NS,
  types: {
    Text: {
      kind: 'object',
      name: 'Text',
      text: 'QName',
      attributes: [{ name: 'kind', type: 'QName' }],
    },
    List: { kind: 'list', name: 'List', item: 'QName' },
    Kind: {
      kind: 'enumeration',
      name: 'Kind',
      base: 'QName',
      values: ['{urn:policy}Required', '{urn:policy}Optional', 'Plain'],
    },
    Kinds: { kind: 'list', name: 'Kinds', item: { ref: 'Kind' } },
    Either: { kind: 'union', name: 'Either', members: ['int', { ref: 'Kinds' }] },
    Usage: { kind: 'object', name: 'Usage', attributes: [{ name: 'kind', type: { ref: 'Kind' } }] },
    Listed: {
      kind: 'object',
      name: 'Listed',
      attributes: [{ name: 'kinds', type: { ref: 'List' } }],
      content: [{ name: 'free', type: 'xml' }],
    },
  },
  operations: [
    {
      name: 'Text',
      documentation: '',
      parameters: [{ ...VALUE, type: { ref: 'Text' } }],
      result: { ref: 'Text' },
    },
    {
      name: 'List',
      documentation: '',
      parameters: [{ ...VALUE, type: { ref: 'List' } }],
      result: { ref: 'List' },
    },
    ...(['Kind', 'Kinds', 'Either', 'Usage'] as const).map((ref) => ({
      ...{ name: ref, documentation: '' },
      ...{ parameters: [{ ...VALUE, type: { ref } }], result: { ref } },
    })),
    {
      name: 'Encoded',
      documentation: '',
      style: 'rpc',
      use: 'encoded',
      parameters: [{ ...VALUE, type: 'QName' }],
      result: 'QName',
    },
    {
      name: 'EncodedList',
      documentation: '',
      style: 'rpc',
      use: 'encoded',
      parameters: [{ ...VALUE, type: { ref: 'Listed' } }],
      result: { ref: 'Listed' },
    },
  ],
} satisfies Service;

const seen: unknown[] = [];
const same = ({ value }: { readonly value?: unknown }, call: { readonly headers?: object }) => {
  seen.push(value, ...Object.values(call.headers ?? {}));
  return value as never;
};

/** A call that must be let in has its texts read after that, when their elements are gone. */
const LETS_IN = { authorize: () => undefined };

async function start(
  test: { after(close: () => unknown): void },
  access: Partial<typeof LETS_IN> = {},
) {
  const url = await serve(
    test,
    createEndpoint(Names, {
      path: '/Names.asmx',
      ...access,
      handlers: { One: same, All: same, Ports: same },
    }),
    createEndpoint(typedService<never>(OTHER) as never, {
      path: '/Other.asmx',
      ...access,
      handlers: Object.fromEntries(OTHER.operations.map(({ name }) => [name, same])) as never,
    }),
  );
  seen.length = 0;
  return {
    url,
    /** Sends an element. @returns what the handler got, and what stands in the answer. */
    async send(operationName: string, element: string, parts: { readonly header?: string } = {}) {
      const place = Names.operations.some(({ name }) => name === operationName) ? 'Names' : 'Other';
      const answer = await soap(
        `${url}/${place}.asmx`,
        `<${operationName} xmlns="${NS}" xmlns:o="urn:outer">${element}</${operationName}>`,
        parts,
      );
      const [value] = seen.splice(0, 1);
      return {
        value,
        answer: /<\w+Response[^>]*>(.*)<\/\w+Response>/s.exec(answer.body)?.[1] ?? answer.body,
      };
    },
  };
}

describe('QName', () => {
  it('keeps its namespace, whatever its prefix; answers declare one, as XmlSerializer does', async (test) => {
    const { send } = await start(test);
    const named = (xml: string) => send('One', xml);
    assert.deepEqual(await named('<value xmlns:a="urn:a">a:x</value>'), {
      value: '{urn:a}x',
      answer: '<OneResult xmlns:q1="urn:a">q1:x</OneResult>',
    });
    assert.equal(
      (await named('<value> o:x\n</value>')).value,
      '{urn:outer}x',
      'a prefix of an outer element',
    );
    assert.equal((await named('<value>x</value>')).value, `{${NS}}x`, 'the default namespace');
    const none = await send('One', '<n:value xmlns:n="urn:names" xmlns="">x</n:value>');
    assert.deepEqual(none, {
      value: 'x',
      answer: '<q1:OneResult xmlns:q1="urn:names" xmlns="">x</q1:OneResult>',
    });
    const schema = await named('<value xmlns:s="http://www.w3.org/2001/XMLSchema">s:int</value>');
    assert.equal(schema.answer, '<OneResult>xsd:int</OneResult>');
  });

  it('of a prefix that is not declared is refused', async (test) => {
    const { send } = await start(test);
    const { answer } = await send('One', '<value>zz:x</value>');
    assert.match(answer, /InvalidParameter/);
    assert.match(answer, /the prefix of "zz:x" is not declared/);
  });

  for (const [read, access] of Object.entries({
    'at once': {},
    'once the call is let in': LETS_IN,
  }))
    it(`keeps its namespace in lists, attributes, texts with attributes, headers and SOAP encoding, read ${read}`, async (test) => {
      const { send } = await start(test, access);
      const all = await send(
        'All',
        '<value><QName xmlns:a="urn:a">a:x</QName><QName xmlns:a="urn:b">a:x</QName></value>',
      );
      assert.deepEqual(all.value, ['{urn:a}x', '{urn:b}x']);
      assert.match(
        all.answer,
        /<QName xmlns:q1="urn:a">q1:x<\/QName><QName xmlns:q2="urn:b">q2:x<\/QName>/,
      );
      const port = '<value kind="o:k" xmlns:a="urn:a"><name>a:n</name><other>a:n</other></value>';
      const ports = await send('Ports', port);
      assert.deepEqual(ports.value, { kind: '{urn:outer}k', name: '{urn:a}n', other: 'a:n' });
      assert.equal(
        ports.answer,
        '<PortsResult kind="q1:k" xmlns:q1="urn:outer"><name xmlns:q2="urn:a">q2:n</name><other>a:n</other></PortsResult>',
      );
      const text = await send('Text', '<value kind="o:k" xmlns:a="urn:a">a:t</value>');
      assert.deepEqual(text.value, { kind: '{urn:outer}k', value: '{urn:a}t' });
      const again = text.answer.replaceAll('TextResult', 'value');
      assert.deepEqual((await send('Text', again)).value, text.value, 'the answer means the same');
      const list = await send('List', '<value xmlns:a="urn:a">a:x o:y a:z</value>');
      assert.deepEqual(list.value, ['{urn:a}x', '{urn:outer}y', '{urn:a}z']);
      assert.match(list.answer, /xmlns:q1="urn:a" xmlns:q2="urn:outer">q1:x q2:y q1:z</);
      const encoded = await send('Encoded', '<value xmlns="" xmlns:a="urn:a">a:x</value>');
      assert.equal(encoded.value, '{urn:a}x');
      assert.match(encoded.answer, /xmlns:(q\d)="urn:a">\1:x</);
      const head = `<Of xmlns="${NS}" xmlns:h="urn:h"><type>h:t</type></Of>`;
      await send('One', '<value>x</value>', { header: head });
      assert.deepEqual(seen, [{ type: '{urn:h}t' }]);
    });

  it('keeps its namespace in enumerations: of elements, attributes, lists and unions', async (test) => {
    const { url, send } = await start(test);
    const at = 'xmlns:p="urn:policy"';
    for (const [operation, element, value, answer] of [
      ['Kind', `<value ${at}>p:Required</value>`, '{urn:policy}Required', />q1:Required</],
      [
        'Usage',
        `<value kind="p:Optional" ${at}/>`,
        { kind: '{urn:policy}Optional' },
        /kind="q1:Optional" xmlns:q1="urn:policy"/,
      ],
      [
        'Kinds',
        `<value ${at}>p:Optional p:Required</value>`,
        ['{urn:policy}Optional', '{urn:policy}Required'],
        />q1:Optional q1:Required</,
      ],
      [
        'Either',
        `<value ${at}>p:Optional p:Required</value>`,
        '{urn:policy}Optional {urn:policy}Required',
        /xmlns:q1="urn:policy">q1:Optional q1:Required</,
      ],
      ['Either', '<value>12</value>', '12', />12</],
    ] as const) {
      const got = await send(operation, element);
      assert.deepEqual(got.value, value, element);
      assert.match(got.answer, answer);
    }
    const refused = await send('Kind', '<value xmlns:p="urn:other">p:Required</value>');
    assert.match(refused.answer, /is none of/);
    const wsdl = await (await fetch(`${url}/Other.asmx?WSDL`)).text();
    const [, prefix] = /<s:enumeration value="(\w+):Required"/.exec(wsdl) ?? [];
    assert.ok(wsdl.includes(`xmlns:${prefix}="urn:policy"`), wsdl);
    const { service } = await readWsdlText(wsdl, 'ours');
    assert.deepEqual((service.types.Kind as { values?: unknown }).values, OTHER.types.Kind.values);
  });

  it('keeps each namespace in lists and in free XML of SOAP encoding, of any prefix', async (test) => {
    const { url } = await start(test);
    const declared = 'xmlns:a="urn:a" xmlns:b.c="urn:b" xmlns:ü="urn:u" xmlns:d="urn:d"';
    const attribute = 'kinds="a:x b.c:y ü:z"';
    const free = '<free><x at="a:1 ü:2">b.c:3<y/>see ü:4, a:5<z>&lt;d:6</z>&amp;d:7</x></free>';
    const call = (inside: string) =>
      `<m:EncodedList xmlns:m="${NS}" ${declared}>${inside}</m:EncodedList>`;
    for (const body of [
      call(`<value ${attribute}>${free}</value>`),
      `${call('<value href="#v"/>')}<v id="v" ${attribute} ${declared}>${free}</v>`,
    ]) {
      await soap(`${url}/Other.asmx`, body);
      assert.deepEqual(seen.splice(0), [
        {
          kinds: ['{urn:a}x', '{urn:b}y', '{urn:u}z'],
          free:
            '<x at="a:1 ü:2" xmlns:a="urn:a" xmlns:ü="urn:u" xmlns:b.c="urn:b" xmlns:d="urn:d">b.c:3<y />' +
            'see ü:4, a:5<z xmlns:d="urn:d">&lt;d:6</z>&amp;d:7</x>',
        },
      ]);
    }
  });

  it('is written in Clark’s notation in JSON and forms, where there are no prefixes', async (test) => {
    const { url } = await start(test);
    const json = async (value: string) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/Names.asmx/One`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ value }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    assert.deepEqual(await json('{urn:a}x'), { status: 200, text: '{"d":"{urn:a}x"}' });
    assert.deepEqual(await json('x'), { status: 200, text: '{"d":"x"}' });
    const { status, text } = await json('a:x');
    assert.equal(status, 400);
    assert.match(text, /write \{namespace\}name/);
    const form = await fetch(`${url}/Names.asmx/One?value=${encodeURIComponent('{urn:a}x')}`);
    assert.match(await form.text(), /xmlns:q1="urn:a"[^>]*>q1:x</);
  });
});
