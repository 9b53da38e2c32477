import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  any,
  array,
  attribute,
  createEndpoint,
  dataTable,
  decimal,
  int,
  object,
  operation,
  optional,
  restricted,
  type Service,
  service,
  string,
  typedService,
  xml,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:shapes';
const Either = object(
  'Either',
  { before: string, left: optional(int), right: string, after: string },
  { choices: [['left', 'right']] },
);
const Text = object('Text', { lang: attribute(string) }, { mixed: true });
const Open = object('Open', { name: string, any });
const Shapes = service('Shapes', {
  namespace: NS,
  operations: {
    Either: operation({ input: { value: Either }, result: Either }),
    Text: operation({ input: { value: Text }, result: Text }),
    Open: operation({ input: { value: Open }, result: Open }),
    Table: operation({ input: { value: dataTable }, result: dataTable }),
    Eithers: operation({ input: { value: array(Either) }, result: array(Either) }),
  },
});
const VALUE = { name: 'value', type: { ref: 'Usual' }, documentation: '', sample: '' } as const;
const same = ({ value }: { readonly value?: unknown }) => value as never;
const endpoint = createEndpoint(Shapes, {
  path: '/Shapes.asmx',
  handlers: { Either: same, Text: same, Open: same, Table: same, Eithers: same },
});

async function start(test: { after(close: () => unknown): void }) {
  const url = `${await serve(test, endpoint)}/Shapes.asmx`;
  return {
    /** What comes back of an element, as it stands in the answer. */
    async xml(operationName: string, content: string, attributes = '') {
      const body = `<${operationName} xmlns="${NS}"><value${attributes}>${content}</value></${operationName}>`;
      const answer = await soap(url, body);
      return (
        new RegExp(`<${operationName}Result([^>]*)>(.*)</${operationName}Result>`, 's')
          .exec(answer.body)
          ?.slice(1) ?? [answer.body]
      );
    },
    async json(operationName: string, value: unknown) {
      const answer = await fetch(`${url}/${operationName}`, jsonRequest({ value }));
      return ((await answer.json()) as { d: unknown }).d;
    },
  };
}

describe('shapes of objects', () => {
  it('choice: the branch that is set is written, in the place of the choice', async (test) => {
    const { xml, json } = await start(test);
    const left = '<before>b</before><left>1</left><after>a</after>';
    const right = '<before>b</before><right>r</right><after>a</after>';
    assert.deepEqual(await xml('Either', left), ['', left]);
    assert.deepEqual(await xml('Either', right), ['', right]);
    // A value has one branch: of two, one would be lost.
    const [fault = ''] = await xml('Either', '<right>r</right><left>1</left>');
    assert.match(fault, /soap:Server/);
    assert.deepEqual(await xml('Either', '<after>a</after>'), ['', '<after>a</after>']);
    assert.deepEqual(await xml('Eithers', `<Either>${left}</Either><Either>${right}</Either>`), [
      '',
      `<Either>${left}</Either><Either>${right}</Either>`,
    ]);
    assert.deepEqual(await json('Either', { before: 'b', left: 1 }), {
      before: 'b',
      left: 1,
      right: null,
      after: null,
    });
  });

  it('JSON: members in any case, as JavaScriptSerializer takes them; unknown ones are told with their path', async (test) => {
    const url = `${await serve(test, endpoint)}/Shapes.asmx`;
    const call = async (operationName: string, args: unknown) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/${operationName}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(args),
      });
      const { d } = (await answer.json()) as { d: unknown };
      return { d, warning: answer.headers.get('x-warning') };
    };
    const { d, warning } = await call('Either', {
      Value: { BEFORE: 'b', Left: 1, AFTER: 'x', after: 'a', zzz: 2 },
      y: 3,
    });
    assert.deepEqual(d, { before: 'b', left: 1, right: null, after: 'a' });
    assert.match(warning ?? '', /ignored: y, value\.zzz\.$/);
    assert.deepEqual((await call('Text', { value: { LANG: 'en', Xml: 'x' } })).d, {
      lang: 'en',
      xml: 'x',
    });
    const list = await call('Eithers', { value: [{ befor: 1 }, { befor: 2 }, { before: 'b' }] });
    assert.match(list.warning ?? '', /ignored: value\[\]\.befor\.$/);
    assert.equal((await call('Either', { value: { before: 'b' } })).warning, null);
  });

  it('mixed: text and elements come back as they stood', async (test) => {
    const { xml, json } = await start(test);
    const text = 'one <b xmlns="urn:html">two</b> &lt;three&gt;';
    assert.deepEqual(await xml('Text', text, ' lang="en"'), [' lang="en"', text]);
    assert.deepEqual(await json('Text', { lang: 'en', xml: text }), { lang: 'en', xml: text });
  });

  it('any: elements of other names are kept beside those of the contract', async (test) => {
    const { xml, json } = await start(test);
    const more = '<x xmlns="urn:x" y="1"><z /></x><q:w xmlns:q="urn:q">1</q:w>';
    assert.deepEqual(await xml('Open', `<name>n</name>${more}`), ['', `<name>n</name>${more}`]);
    assert.deepEqual(await json('Open', { name: 'n', any: ['<x xmlns="urn:x" />'] }), {
      name: 'n',
      any: ['<x xmlns="urn:x" />'],
    });
  });

  it('DataTable: rows go there and back, in XML with the schema that ASMX writes', async (test) => {
    const { xml, json } = await start(test);
    const table = {
      tables: {
        Books: [
          { Title: 'A & B', Pages: 3 },
          { Title: 'C', Pages: 4 },
        ],
      },
    };
    assert.deepEqual(await json('Table', table), table);
    const schema =
      '<xs:schema id="NewDataSet" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"><xs:element name="NewDataSet" msdata:IsDataSet="true" msdata:MainDataTable="Books"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="Books"><xs:complexType><xs:sequence><xs:element name="Title" type="xs:string" minOccurs="0"/><xs:element name="Pages" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType></xs:element></xs:choice></xs:complexType></xs:element></xs:schema>';
    const [, written = ''] = await xml(
      'Table',
      `${schema}<d:diffgram xmlns:d="urn:schemas-microsoft-com:xml-diffgram-v1"><DocumentElement xmlns=""><Books d:id="Books1"><Title>A &amp; B</Title><Pages>3</Pages></Books></DocumentElement></d:diffgram>`,
    );
    assert.match(written, /msdata:MainDataTable="Books"/);
    assert.match(written, /<Title>A &amp; B<\/Title><Pages>3<\/Pages>/);
    assert.match(written, /name="Pages" type="xs:int"/);
    const none = `${schema}<d:diffgram xmlns:d="urn:schemas-microsoft-com:xml-diffgram-v1"/>`;
    const [, empty = ''] = await xml('Table', none);
    assert.match(
      empty,
      /msdata:MainDataTable="Books".*name="Pages" type="xs:int"/,
      'A table without rows keeps its columns.',
    );
  });

  it('a group that repeats is written round by round', async (test) => {
    const contract: Service = {
      name: 'Rounds',
      namespace: NS,
      types: {
        Pairs: {
          kind: 'object',
          name: 'Pairs',
          content: [
            {
              kind: 'sequence',
              max: 'unbounded',
              content: [
                { name: 'key', type: 'string' },
                { name: 'value', type: 'int' },
              ],
            },
          ],
        },
      },
      operations: [
        {
          name: 'Echo',
          documentation: '',
          parameters: [{ name: 'pairs', type: { ref: 'Pairs' }, documentation: '', sample: '' }],
          result: { ref: 'Pairs' },
        },
      ],
    };
    type Pairs = { readonly key?: readonly string[]; readonly value?: readonly number[] };
    const rounds = createEndpoint(
      typedService<{ Echo: { input: { pairs?: Pairs }; result: Pairs | undefined } }>(contract),
      { path: '/Rounds.asmx', handlers: { Echo: ({ pairs }) => pairs } },
    );
    const pairs = '<key>a</key><value>1</value><key>b</key><value>2</value>';
    const answer = await soap(
      `${await serve(test, rounds)}/Rounds.asmx`,
      `<Echo xmlns="${NS}"><pairs>${pairs}</pairs></Echo>`,
    );
    assert.match(answer.body, new RegExp(`<EchoResult>${pairs}</EchoResult>`));
  });

  it('lists and unions of named types; one that is made of itself is refused', async (test) => {
    const parameter = { name: 'value', type: { ref: 'Colours' }, documentation: '', sample: '' };
    const contract: Service = {
      name: 'Named',
      namespace: NS,
      types: {
        Colour: { kind: 'enumeration', name: 'Colour', values: ['red', 'green'] },
        Short: {
          kind: 'simple',
          name: 'Short',
          base: 'string',
          facets: { maxLength: 2, patterns: ['[a-m]+', '[x-z]+'] },
        },
        Either: { kind: 'union', name: 'Either', members: [{ ref: 'Colour' }, { ref: 'Short' }] },
        Colours: { kind: 'list', name: 'Colours', item: { ref: 'Either' } },
      },
      operations: [
        { name: 'Echo', documentation: '', parameters: [parameter], result: parameter.type },
      ],
    };
    const endpointOf = (types: Service['types']) =>
      createEndpoint(
        typedService<{ Echo: { input: { value?: unknown }; result: unknown } }>({
          ...contract,
          types: types!,
        }),
        { path: '/Named.asmx', handlers: { Echo: ({ value }) => value } },
      );
    const url = `${await serve(test, endpointOf(contract.types))}/Named.asmx`;
    const echo = (text: string) => soap(url, `<Echo xmlns="${NS}"><value>${text}</value></Echo>`);
    assert.match((await echo('green x red')).body, /<EchoResult>green x red<\/EchoResult>/);
    assert.equal((await echo('green long')).status, 500);
    // Of several patterns one must match.
    assert.match((await echo('ab x')).body, /<EchoResult>ab x<\/EchoResult>/);
    assert.equal((await echo('ax')).status, 500);
    const itself = { kind: 'union', name: 'Either', members: [{ ref: 'Colours' }] } as const;
    assert.throws(
      () => endpointOf({ ...contract.types, Either: itself }),
      /the type \w+ is made of itself/,
    );
  });

  it('digits of a number are counted on both sides of the point, without zeros that say nothing', async (test) => {
    const Price = restricted('Price', decimal, { totalDigits: 3, fractionDigits: 2 });
    const contract = service('Prices', {
      namespace: NS,
      operations: { Echo: operation({ input: { value: Price }, result: Price }) },
    });
    const made = createEndpoint(contract, {
      path: '/Prices.asmx',
      handlers: { Echo: ({ value }) => value },
    });
    const url = `${await serve(test, made)}/Prices.asmx`;
    const echo = async (text: string) =>
      (await soap(url, `<Echo xmlns="${NS}"><value>${text}</value></Echo>`)).body;
    for (const text of ['123', '12.3', '1.23', '-1.23', '1.2300'])
      assert.match(await echo(text), />-?[0-9.]+<\/EchoResult>/);
    for (const text of ['1234', '12.34', '0123.4'])
      assert.match(await echo(text), /has more than 3 digits\./, text);
    assert.match(await echo('.123'), /has more than 2 digits behind the point/);
  });

  it('a handler that returns what its type forbids is answered as Internal, with a line in the log', async (test) => {
    const lines: string[] = [];
    const wrong: Record<string, unknown> = {};
    const contract = service('Wrong', {
      namespace: NS,
      operations: {
        Text: operation({ input: { which: string }, result: string }),
        Number: operation({ input: { which: string }, result: int }),
        Object: operation({ input: { which: string }, result: Either }),
        List: operation({ input: { which: string }, result: array(int) }),
      },
    });
    const answer = ({ which = '' }) => wrong[which] as never;
    const wrongly = createEndpoint(contract, {
      path: '/Wrong.asmx',
      handlers: { Text: answer, Number: answer, Object: answer, List: answer },
      onAnswered: ({ error }) => {
        if (error?.code === 'Internal') lines.push(String(error.cause));
      },
    });
    const url = `${await serve(test, wrongly)}/Wrong.asmx`;
    Object.assign(wrong, {
      object: { a: 1 },
      undefined: undefined,
      half: 1.5,
      text: 'text',
      symbol: Symbol('s'),
      function: () => 1,
      control: 'a\u0000b',
    });
    for (const [operationName, which] of [
      ['Text', 'object'],
      ['Text', 'symbol'],
      ['Text', 'control'],
      ['Number', 'undefined'],
      ['Number', 'half'],
      ['Number', 'text'],
      ['Object', 'text'],
      ['Object', 'function'],
      ['List', 'object'],
    ] as const) {
      const before = lines.length;
      const fault = await soap(
        url,
        `<${operationName} xmlns="${NS}"><which>${which}</which></${operationName}>`,
      );
      assert.equal(
        fault.headers.get('x-error-code'),
        'Internal',
        `${operationName} ${which}: ${fault.text}`,
      );
      assert.equal(lines.length, before + 1);
      const json = await fetch(`${url}/${operationName}`, jsonRequest({ which }));
      if (which !== 'control')
        assert.equal(json.status, 500, `${operationName} ${which}: ${await json.text()}`);
    }
  });

  it('defaults and flags: a value that is the default is left out, flags are in the order of their type', async (test) => {
    const contract: Service = {
      name: 'Usual',
      namespace: NS,
      operations: [
        { name: 'Echo', documentation: '', parameters: [VALUE], result: { ref: 'Usual' } },
      ],
      types: {
        Usual: {
          kind: 'object',
          name: 'Usual',
          content: [
            { name: 'seven', type: 'int', min: 0, default: '7' },
            { name: 'days', type: { ref: 'Days' }, min: 0 },
            {
              kind: 'choice',
              min: 0,
              content: [
                { name: 'nine', type: 'int', min: 0, default: '9' },
                { name: 'ten', type: 'int', min: 0, default: '10' },
              ],
            },
          ],
          attributes: [{ name: 'unit', type: 'string', default: 'm' }],
        },
        Days: { kind: 'enumeration', name: 'Days', values: ['Mon', 'Tue', 'Wed'], flags: true },
      },
    };
    const url = `${await serve(test, createEndpoint(typedService<never>(contract), { path: '/U.asmx', handlers: { Echo: same } as never }))}/U.asmx`;
    const echo = async (value: string) =>
      (await soap(url, `<Echo xmlns="${NS}">${value}</Echo>`)).body.replace(
        /^<EchoResponse[^>]*>|<\/EchoResponse>$/g,
        '',
      );
    assert.equal(await echo('<value/>'), '<EchoResult />');
    assert.equal(
      await echo('<value unit="m"><seven>7</seven><days>Wed Mon Wed</days></value>'),
      '<EchoResult><days>Mon Wed</days></EchoResult>',
    );
    assert.equal(
      await echo('<value unit="k"><seven>8</seven></value>'),
      '<EchoResult unit="k"><seven>8</seven></EchoResult>',
    );
    // In a group what is absent has no value, and nothing would say which branch was chosen.
    assert.equal(
      await echo('<value><ten>10</ten></value>'),
      '<EchoResult><ten>10</ten></EchoResult>',
    );
  });

  it('defaults of parameters: absent is the default, nil is null', async (test) => {
    const contract: Service = {
      name: 'Usual',
      namespace: NS,
      operations: [
        {
          name: 'Ask',
          documentation: '',
          parameters: [
            {
              name: 'seven',
              documentation: '',
              sample: '7',
              type: 'int',
              min: 0,
              nillable: true,
              default: '7',
            },
          ],
          result: 'string',
        },
      ],
    };
    const handlers = { Ask: (given: unknown) => JSON.stringify(given) } as never;
    const url = `${await serve(test, createEndpoint(typedService<never>(contract), { path: '/U.asmx', handlers }))}/U.asmx`;
    const ask = async (seven: string) =>
      /<AskResult>(.*)<\/AskResult>/.exec(
        (await soap(url, `<Ask xmlns="${NS}">${seven}</Ask>`)).body,
      )?.[1];
    assert.equal(await ask(''), '{"seven":7}');
    assert.equal(await ask('<seven>8</seven>'), '{"seven":8}');
    assert.equal(
      await ask('<seven xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'),
      '{"seven":null}',
    );
  });

  it('GET: objects are indented, as XmlTextWriter does, but not where there is text', async (test) => {
    const People = service('People', {
      namespace: NS,
      operations: {
        All: operation({
          result: array(object('Person', { name: string, note: optional(xml), ids: array(int) })),
        }),
      },
    });
    const people = [
      { name: 'a > b', note: '<p at=">">x <b>y</b></p><!-- > -->', ids: [] },
      { name: '', ids: [1] },
    ];
    const url = await serve(
      test,
      createEndpoint(People, { path: '/P.asmx', handlers: { All: () => people } }),
    );
    const answer = await (await fetch(`${url}/P.asmx/All`)).text();
    assert.deepEqual(answer.split('\r\n'), [
      '<?xml version="1.0" encoding="utf-8"?>',
      `<ArrayOfPerson xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="${NS}">`,
      '  <Person>',
      '    <name>a &gt; b</name>',
      '    <note>',
      '      <p xmlns="" at=">">x <b>y</b></p>',
      '      <!-- > -->',
      '    </note>',
      '    <ids />',
      '  </Person>',
      '  <Person>',
      '    <name />',
      '    <ids>',
      '      <int>1</int>',
      '    </ids>',
      '  </Person>',
      '</ArrayOfPerson>',
    ]);
  });
});
