import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anyType,
  array,
  attribute,
  base64Binary,
  boolean,
  byte,
  char,
  createEndpoint,
  dataSet,
  date,
  dateTime,
  decimal,
  double,
  duration,
  enumeration,
  extended,
  type Field,
  float,
  guid,
  header,
  hexBinary,
  instant,
  int,
  long,
  nullable,
  object,
  oneOf,
  operation,
  qname,
  restricted,
  ServiceError,
  service,
  short,
  string,
  time,
  unsignedByte,
  unsignedInt,
  unsignedLong,
  unsignedShort,
  wallClock,
  xml,
} from '../../src/index.ts';
import { ask } from '../kit/ask.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:language';
// biome-ignore lint/suspicious/noExplicitAny: any field, whatever its value
type AnyField = Field<any, any>;

/** Of each type values that it forbids. */
const FORBIDDEN: Readonly<Record<string, readonly [AnyField, ...unknown[]]>> = {
  string: [string, 5, {}, 'a\u0001b'],
  'string of a length': [restricted('Short', string, { maxLength: 2 }), 'abc'],
  boolean: [boolean, 'yes', 1],
  byte: [byte, 128, 1.5],
  short: [short, -32769],
  int: [int, 2 ** 31, '7', 7n, Number.NaN],
  long: [long, 1.5, 2 ** 60, 2n ** 63n],
  unsignedByte: [unsignedByte, -1, 256],
  unsignedShort: [unsignedShort, 65536],
  unsignedInt: [unsignedInt, -1, 2 ** 32],
  unsignedLong: [unsignedLong, -1n, 2n ** 64n],
  float: [float, '1.5'],
  double: [double, 1n],
  decimal: [decimal, 1.5, '1e5', '1,5'],
  dateTime: [dateTime, '2024-02-29', new Date(Number.NaN)],
  instant: [instant, Number.NaN, new Date(0)],
  wallClock: [wallClock, 'noon'],
  date: [date, '2024-02-30', new Date(0)],
  time: [time, '25:00:00'],
  duration: [duration, '1 day'],
  guid: [guid, '6f9619ff'],
  char: [char, 'ab'],
  base64Binary: [base64Binary, 'AQID', [1, 2]],
  hexBinary: [hexBinary, '0102'],
  qname: [qname, 'a b'],
  xml: [xml, '<a>'],
  anyType: [anyType, () => 1],
  dataSet: [dataSet, { tables: 'Books' }],
  enumeration: [enumeration('Sky', ['Sun', 'Rain']), 'Snow', 0],
  flags: [enumeration('Days', ['Mon', 'Tue'], { flags: true }), 'Mon', ['Wed']],
  list: [array(int), 5, [1, 'x'], [null]],
  object: [
    object('One', { n: int, of: attribute(int) }),
    'text',
    { n: 'x', of: 1 },
    { n: 1, of: 'x' },
  ],
  attribute: [object('One', { of: attribute(string) }), { of: 'a\u0001b' }],
  'a text with a largest length': [string.max(3), 'abcd', '\u{1F600}'.repeat(4)],
  'a text of one line': [string.line(), 'a\nb', 'a\tb', 'a\r'],
  'texts with a largest length': [array(string.max(3)), ['abc', 'abcd']],
  'cell of a table': [dataSet, { tables: { Books: [{ Title: 'a\u0001b' }] } }],
};

describe('the contract language', () => {
  it('what a type forbids is answered as Internal, with one line in the log, as a result, inside, out and in a header', async (test) => {
    for (const [name, [field, ...values]] of Object.entries(FORBIDDEN)) {
      const failures: unknown[] = [];
      const state: { answer: unknown } = { answer: undefined };
      const answer = () => state.answer as never;
      const Inside = object('Inside', { value: field });
      const contract = service('Wrong', {
        namespace: NS,
        operations: {
          Result: operation({ result: field }),
          Inside: operation({ result: array(Inside) }),
          Out: operation({ out: { value: field } }),
          Header: operation({ headers: { out: { Trace: header({ value: field }) } } }),
        },
      });
      const endpoint = createEndpoint(contract, {
        path: '/Wrong.asmx',
        handlers: {
          Result: answer,
          Inside: () => [{ value: answer() }] as never,
          Out: () => ({ out: { value: answer() } }) as never,
          Header: (_, { reply }) => {
            (reply.headers as Record<string, unknown>).Trace = { value: answer() };
          },
        },
        onAnswered: ({ error }) => {
          if (error !== undefined) failures.push(error.cause ?? error);
        },
      });
      const url = await serve(test, endpoint);
      for (const value of values) {
        state.answer = value;
        for (const [place, path] of [
          ['Result', 'ResultResult|U\\+0001'],
          ['Inside', 'value'],
          ['Out', 'value'],
          ['Header', 'Trace'],
        ] as const) {
          failures.length = 0;
          const what = `${name} ${place} ${typeof value === 'bigint' ? value : JSON.stringify(value)}`;
          const { status, headers, text } = await soap(
            `${url}/Wrong.asmx`,
            `<${place} xmlns="${NS}"/>`,
          );
          assert.deepEqual(
            [status, headers.get('x-error-code')],
            [500, 'Internal'],
            `${what}: ${text}`,
          );
          assert.equal(failures.length, 1, what);
          assert.match(String(failures[0]), new RegExp(path), what);
          assert.ok(!text.includes('forbids'), text);
        }
      }
    }
  });

  it('the bounds of a text hold for results in each binding, and what is within them is answered', async (test) => {
    const given: { text: string | undefined } = { text: undefined };
    const contract = service('Bounds', {
      namespace: NS,
      operations: { Short: operation({ result: string.max(3).line() }) },
    });
    const endpoint = createEndpoint(contract, {
      path: '/Bounds.asmx',
      handlers: { Short: () => given.text },
      onAnswered: () => {},
    });
    const url = `${await serve(test, endpoint)}/Bounds.asmx`;
    const json = () => fetch(`${url}/Short`, jsonRequest({}));
    const answers = async () => [
      (await soap(url, `<Short xmlns="${NS}"/>`)).status,
      (await fetch(`${url}/Short`)).status,
      (await json()).status,
    ];
    for (const text of ['', 'abc', '\u{1F600}'.repeat(3)]) {
      given.text = text;
      assert.deepEqual(await answers(), [200, 200, 200], text);
    }
    for (const text of ['abcd', '\u{1F600}'.repeat(4), 'a\nb']) {
      given.text = text;
      assert.deepEqual(await answers(), [500, 500, 500], JSON.stringify(text));
    }
  });

  it('a result of an abstract type must say which it is, in XML and in JSON', async () => {
    const Shape = object('Shape', { id: int }, { abstract: true });
    const Circle = extended(Shape, 'Circle', { radius: int });
    const given: { shape: object } = { shape: {} };
    const contract = service('Shapes', {
      namespace: NS,
      operations: { Get: operation({ result: oneOf(Shape, Circle) }) },
    });
    const endpoint = createEndpoint(contract, {
      path: '/Shapes.asmx',
      handlers: { Get: () => given.shape as never },
      onAnswered: () => {},
    });
    const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Get xmlns="${NS}"/></s:Body></s:Envelope>`;
    for (const [shape, status] of [
      [{ $type: 'Circle', id: 1, radius: 2 }, 200],
      [{ id: 1 }, 500],
      [{ $type: 'Shape', id: 1 }, 500],
      [{ $type: 'Square', id: 1 }, 500],
    ] as const) {
      given.shape = shape;
      for (const asked of [
        { target: '/Shapes.asmx', headers: { 'content-type': 'text/xml' }, body },
        { target: '/Shapes.asmx/Get', headers: { 'content-type': 'application/json' }, body: '{}' },
      ]) {
        const answer = await ask(endpoint, asked);
        assert.equal(answer.status, status, `${asked.target} ${JSON.stringify(shape)}`);
      }
    }
  });

  it('each binding is switched off alone: its calls are refused, and the WSDL is without it', async (test) => {
    const Ping = operation({ result: string });
    const all = ['soap11', 'soap12', 'get', 'post', 'json'] as const;
    const ping = `<Ping xmlns="${NS}"/>`;
    const calls = {
      soap11: (url: string) => soap(url, ping),
      soap12: (url: string) => soap(url, ping, { version: '1.2' }),
      get: (url: string) => fetch(`${url}/Ping`),
      post: (url: string) => form(url, 'application/x-www-form-urlencoded', ''),
      json: (url: string) => form(url, 'application/json', '{}'),
    } as const;
    const form = (url: string, type: string, body: string) =>
      fetch(`${url}/Ping`, { method: 'POST', headers: { 'Content-Type': type }, body });
    const ports = {
      soap11: 'PSoap"',
      soap12: 'PSoap12"',
      get: 'PHttpGet"',
      post: 'PHttpPost"',
      json: undefined,
    };
    for (const off of all) {
      const contract = service('P', { namespace: NS, operations: { Ping } });
      const bindings = all.filter((each) => each !== off);
      const url = `${await serve(test, createEndpoint(contract, { path: '/P.asmx', bindings, handlers: { Ping: () => 'pong' } }))}/P.asmx`;
      const wsdl = await (await fetch(`${url}?WSDL`)).text();
      for (const name of all) {
        const { status } = await calls[name](url);
        assert.equal(status === 200, name !== off, `${name} without ${off}: ${status}`);
        const port = ports[name];
        if (port !== undefined)
          assert.equal(wsdl.includes(`port name="${port}`), name !== off, `${name}: ${wsdl}`);
      }
    }
  });

  it('authorize sees SOAP headers, and what it returns is the caller', async (test) => {
    const Auth = header({ user: string, tries: int });
    const contract = service('Who', {
      namespace: NS,
      operations: { Who: operation({ result: string, headers: { in: { Auth } } }) },
    });
    const endpoint = createEndpoint(contract, {
      path: '/Who.asmx',
      authorize: ({ headers }) => {
        const auth = headers.Auth as { readonly user?: string; readonly tries: number } | undefined;
        if (auth?.user === undefined) throw new ServiceError('Unauthorized', 'Who are you?');
        return `${auth.user} ${auth.tries}`;
      },
      handlers: { Who: (_, { caller }) => caller },
    });
    const url = `${await serve(test, endpoint)}/Who.asmx`;
    for (const version of ['1.1', '1.2'] as const) {
      const given = `<Auth xmlns="${NS}" soap:mustUnderstand="1"><user>eve</user><tries>2</tries></Auth>`;
      const answer = await soap(url, `<Who xmlns="${NS}"/>`, { version, header: given });
      assert.match(answer.body, />eve 2</);
      const refused = await soap(url, `<Who xmlns="${NS}"/>`, { version });
      assert.equal(refused.headers.get('x-error-code'), 'Unauthorized', refused.text);
      const wrong = await soap(url, `<Who xmlns="${NS}"/>`, {
        version,
        header: given.replace('>2<', '>many<'),
      });
      assert.equal(wrong.headers.get('x-error-code'), 'InvalidParameter', wrong.text);
      assert.match(wrong.text, /tries/);
      const unknown = await soap(url, `<Who xmlns="${NS}"/>`, {
        version,
        header: `${given}<Other xmlns="urn:other" soap:mustUnderstand="1"/>`,
      });
      assert.match(unknown.body, /(faultcode|Value)>soap:MustUnderstand</);
      assert.equal(unknown.status, 500);
    }
  });

  it('lists without a wrapper are parameters and results themselves', async (test) => {
    const Point = object('Point', { x: int });
    const contract = service('Flat', {
      namespace: NS,
      operations: {
        Numbers: operation({
          input: { n: array(int, { flat: true }) },
          result: array(int, { flat: true }),
        }),
        Points: operation({
          input: { p: array(Point, { flat: true }) },
          result: array(Point, { flat: true }),
        }),
      },
    });
    const handlers = {
      Numbers: ({ n }: { n?: unknown }) => n,
      Points: ({ p }: { p?: unknown }) => p,
    };
    const url = `${await serve(test, createEndpoint(contract, { path: '/Flat.asmx', handlers: handlers as never }))}/Flat.asmx`;
    for (const [name, sent, element] of [
      ['Numbers', '<n>1</n><n>2</n>', 'n'],
      ['Points', '<p><x>1</x></p><p><x>2</x></p>', 'p'],
    ] as const) {
      const answer = await soap(url, `<${name} xmlns="${NS}">${sent}</${name}>`);
      const got = sent.replaceAll(new RegExp(`(</?)${element}>`, 'g'), `$1${name}Result>`);
      assert.equal(answer.body, `<${name}Response xmlns="${NS}">${got}</${name}Response>`);
      const none = await soap(url, `<${name} xmlns="${NS}"/>`);
      assert.equal(none.body, `<${name}Response xmlns="${NS}" />`);
    }
    const json = await fetch(`${url}/Points`, jsonRequest({ p: [{ x: 1 }, { x: 2 }] }));
    assert.equal(await json.text(), '{"d":[{"x":1},{"x":2}]}');
  });

  it('a type of several operations stands in the WSDL once, and the script proxy has every operation', async (test) => {
    const Point = object('Point', { x: int, low: nullable(int) });
    const contract = service('Shared', {
      namespace: NS,
      operations: {
        Give: operation({ result: Point }),
        Take: operation({ input: { point: Point } }),
        All: operation({ input: { points: array(Point) }, result: array(Point) }),
      },
    });
    const handlers = { Give: () => undefined, Take: () => {}, All: () => [] };
    const url = `${await serve(test, createEndpoint(contract, { path: '/S.asmx', handlers }))}/S.asmx`;
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    for (const name of ['Point', 'ArrayOfPoint'])
      assert.equal(wsdl.split(`<s:complexType name="${name}">`).length - 1, 1, `${name}: ${wsdl}`);
    const script = await (await fetch(`${url}/js`)).text();
    for (const line of ['"Give": []', '"Take": ["point"]', '"All": ["points"]'])
      assert.ok(script.includes(line), script);
  });

  it('the typed detail of an error is in the fault of both versions of SOAP', async (test) => {
    const Broken = object('BrokenDetail', { part: string, times: array(int) });
    const contract = service('Faults', {
      namespace: NS,
      operations: { Fail: operation({ result: int, faults: { Broken } }) },
    });
    const endpoint = createEndpoint(contract, {
      path: '/Faults.asmx',
      handlers: {
        Fail: () => {
          throw new ServiceError('Broken', 'It broke.', {
            detail: { part: '<wheel>', times: [1, 2] },
          });
        },
      },
    });
    const url = `${await serve(test, endpoint)}/Faults.asmx`;
    const detail = `<BrokenDetail xmlns="${NS}"><part>&lt;wheel&gt;</part><times><int>1</int><int>2</int></times></BrokenDetail>`;
    for (const [version, element] of [
      ['1.1', 'detail'],
      ['1.2', 'soap:Detail'],
    ] as const) {
      const answer = await soap(url, `<Fail xmlns="${NS}"/>`, { version });
      assert.ok(answer.body.includes(`<${element}>${detail}</${element}>`), answer.body);
      assert.equal(answer.headers.get('x-error-code'), 'Broken');
    }
  });
});
