import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createClient } from '../../../asmx-tools/src/client/index.ts';
import { toolsOf } from '../../../asmx-tools/src/mcp/tools.ts';
import {
  array,
  createEndpoint,
  dateTime,
  type Endpoint,
  header,
  int,
  long,
  object,
  operation,
  type Reached,
  type Service,
  ServiceError,
  service,
  string,
  typedService,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { originOf } from '../kit/listen.ts';
import { serve } from '../values/kit.ts';
import { endpoint as weather } from '../values/sample.ts';

type Tree = { readonly [key: string]: Tree };

async function documentOf(endpoint: Pick<Endpoint, 'openApi'>, request?: Partial<Reached>) {
  return JSON.parse(String(endpoint.openApi(request).body)) as Tree;
}

async function assertValid(document: unknown): Promise<void> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(
    structuredClone(document) as Record<string, unknown>,
  );
  assert.ok(valid, JSON.stringify(errors, null, 1));
  validator.resolveRefs();
}

/** A schema of the document, as a check of values. */
function checker(document: Tree, schema: unknown) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.compile({ ...(schema as object), components: document.components });
}

describe('OpenAPI of a typed contract', () => {
  it('says addresses by what is known of the request for it, of node:http or of none', async (test) => {
    const Hello = service('Hello', {
      namespace: 'urn:hello',
      operations: { Greet: operation({ result: string }) },
    });
    const hello = createEndpoint(Hello, { path: '/Hello.asmx', handlers: { Greet: () => '' } });
    const serversOf = async (request?: Partial<Reached>) =>
      (await documentOf(hello, request)).servers;
    assert.deepEqual(await serversOf(), [{ url: 'http://localhost' }]);
    const headers = { host: 'shop.example' };
    const asked = { headers, encrypted: true, mountPath: '/v1' };
    assert.deepEqual(await serversOf(asked), [{ url: 'https://shop.example/v1' }]);
    const server = createServer((req, res) => {
      const { status, headers, body } = hello.openApi(req);
      res.writeHead(status, headers).end(body);
    });
    const url = await originOf(test, server);
    const answer = await fetch(url, { headers: { connection: 'close' } });
    assert.deepEqual(((await answer.json()) as Tree).servers, [{ url }]);
  });

  it('is valid, and has each type as a component with what is required', async () => {
    const document = await documentOf(weather);
    await assertValid(document);
    const { schemas } = document.components!;
    assert.deepEqual(schemas!.Forecast!.required, ['condition']);
    assert.deepEqual(schemas!.Condition, { type: 'string', enum: ['Sunny', 'Cloudy', 'Rain'] });
    assert.deepEqual(schemas!.Days, {
      type: 'array',
      items: { type: 'string', enum: ['Monday', 'Tuesday', 'Friday'] },
      uniqueItems: true,
    });
    assert.deepEqual(schemas!.GetForecastRequest!.required, ['days']);
    assert.deepEqual(document.paths!['/Weather.asmx/Notify']!.post!.responses!['202'], {
      description: 'It was taken; nothing is answered.',
    });
    // What forms cannot carry has no GET.
    assert.deepEqual(Object.keys(document.paths!['/Weather.asmx/Echo']!), ['post']);
    assert.deepEqual(Object.keys(document.paths!['/Weather.asmx/Sum']!), ['post', 'get']);
  });

  it('of each operation has the errors that it can answer', async (test) => {
    const contract = service('Orders', {
      namespace: 'urn:orders',
      operations: {
        Ping: operation({ result: string }),
        Find: operation({ input: { id: string }, result: string, errors: ['NoSuchOrder'] }),
        Cancel: operation({
          input: { id: string },
          faults: { TooLate: object('Late', { since: string }) },
          errors: [],
        }),
      },
    });
    const options = {
      path: '/Orders.asmx',
      errors: { NoSuchOrder: { status: 404, side: 'client', meaning: 'There is no such order.' } },
      handlers: {
        Ping: () => 'pong',
        Find: () => '',
        Cancel: () => {
          throw new ServiceError('TooLate', 'It was sent.', { detail: { since: 'noon' } });
        },
      },
    } as const;
    const codesOf = (document: Tree, name: string): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(document.paths![`/Orders.asmx/${name}`]!.post!.responses!).flatMap(
          ([status, { $ref }]) => {
            if (typeof $ref !== 'string') return [];
            const response =
              document.components!.responses![($ref as string).replace(/^.*\//, '')]!;
            return [[status, response.headers!['X-Error-Code']!.schema!.enum]];
          },
        ),
      );
    const usual = { 413: ['TooLarge'], 415: ['UnsupportedMediaType'], 503: ['Busy'] };
    const values = ['MissingParameter', 'InvalidParameter', 'MalformedRequest'];
    const open = createEndpoint(contract, options);
    const document = await documentOf(open);
    await assertValid(document);
    // What is not said may be any code of the table.
    const ping = {
      ...usual,
      400: ['MalformedRequest'],
      404: ['NoSuchOrder'],
      500: ['Internal'],
      501: ['NotImplemented'],
    };
    assert.deepEqual(codesOf(document, 'Ping'), ping);
    assert.deepEqual(codesOf(document, 'Find'), {
      ...usual,
      400: values,
      404: ['NoSuchOrder'],
      500: ['Internal'],
    });
    assert.deepEqual(codesOf(document, 'Cancel'), {
      ...usual,
      400: values,
      500: ['Internal', 'TooLate'],
    });
    const closed = await documentOf(
      createEndpoint(contract, { ...options, authorize: () => {} } as never),
    );
    assert.deepEqual(codesOf(closed, 'Find'), {
      ...{ ...usual, 400: values, 401: ['Unauthorized'], 403: ['Forbidden'] },
      ...{ 404: ['NoSuchOrder'], 500: ['Internal'] },
    });
    // A fault of the contract is a code without being said again.
    const url = await serve(test, open);
    const response = await fetch(`${url}/Orders.asmx/Cancel`, jsonRequest({ id: '1' }));
    assert.deepEqual([response.status, response.headers.get('x-error-code')], [500, 'TooLate']);
    assert.throws(
      () => createEndpoint(contract, { ...options, errors: {} } as never),
      /operations\.Find\.errors: NoSuchOrder is not in the option errors; give its status there\./,
    );
  });

  it('leaves out what only SOAP can call, and says so', async () => {
    const headers = { in: { Ключ: header({ user: string }, { required: true }) } };
    const operations = { Open: operation({}), Shut: operation({ headers }) };
    const Doors = service('Doors', { namespace: 'urn:doors', operations });
    const handlers = { Open: () => {}, Shut: () => {} };
    const document = await documentOf(createEndpoint(Doors, { path: '/Doors.asmx', handlers }));
    await assertValid(document);
    assert.deepEqual(Object.keys(document.paths!), ['/Doors.asmx/Open']);
    assert.match(String(document.info!.description), /whose name HTTP does not take: Shut\.$/);
    assert.deepEqual(
      toolsOf(Doors, {}).map(({ tool }) => tool.name),
      ['Open'],
    );
  });

  it('has SOAP headers as fields of HTTP, which calls without an envelope take', async (test) => {
    const Auth = header({ user: string, level: int }, { required: true });
    const Shut = operation({
      input: { door: string },
      result: string,
      headers: { in: { Auth, Trace: header({ id: string }) } },
    });
    const Doors = service('Doors', { namespace: 'urn:doors', operations: { Shut } });
    const endpoint = createEndpoint(Doors, {
      path: '/Doors.asmx',
      authorize: ({ headers }) => headers.Auth?.user !== 'eve',
      handlers: {
        Shut: ({ door }, { headers }) =>
          `${door} by ${headers.Auth?.user} ${headers.Auth?.level} ${headers.Trace?.id}`,
      },
    });
    const document = await documentOf(endpoint);
    await assertValid(document);
    const { post } = document.paths!['/Doors.asmx/Shut']!;
    const fieldsOf = ({ parameters }: Tree) =>
      (parameters as unknown as Tree[]).flatMap((each) =>
        String(each.in) === 'header' ? [`${each.name} ${each.required}`] : [],
      );
    assert.deepEqual(fieldsOf(post!), ['Soap-Auth true', 'Soap-Trace false']);

    const url = `${await serve(test, endpoint)}/Doors.asmx`;
    const ask = async (auth: string | undefined) => {
      const headers = auth === undefined ? {} : { 'Soap-Auth': auth };
      const answer = await fetch(`${url}/Shut?door=east`, { headers });
      return [
        answer.status,
        /(east by [^<]+)|(Soap-Auth[^<]*|must be there)/.exec(await answer.text())?.[0],
      ];
    };
    assert.deepEqual(await ask('{"user":"\\u00e5nn","level":3}'), [200, 'east by ånn 3 undefined']);
    assert.deepEqual(await ask('{"user":"ann","level":"x"}'), [
      400,
      'Soap-Auth: Auth.level: "x" is not a whole number; write decimal digits with an optional sign, like 20.',
    ]);
    for (const [text, wrong] of [
      ['{"user":', 'Here a JSON value must stand. Character 9.'],
      ['ann', 'Here a JSON value must stand. Character 1.'],
    ] as const)
      assert.deepEqual(await ask(text), [400, `Soap-Auth: ${wrong}`]);
    assert.deepEqual(await ask(undefined), [400, 'must be there']);
    assert.equal((await ask('{"user":"eve","level":1}'))[0], 401);

    const client = createClient(Doors, { url });
    const soapHeaders = { Auth: { user: 'ånn', level: 2 }, Trace: { id: '7' } };
    assert.equal(await client.Shut({ door: 'west' }, { soapHeaders }), 'west by ånn 2 7');
    const [tool] = toolsOf(Doors, {});
    const schema = tool!.tool.inputSchema as unknown as Tree;
    assert.deepEqual(schema.required, ['soapHeaders']);
    assert.deepEqual(schema.properties!.soapHeaders!.required, ['Auth']);
  });

  it('the typed detail of an error is in its answer by JSON, its schema and the client', async (test) => {
    const Gone = object('Gone', { id: long, since: dateTime, others: array(int) });
    const Get = operation({ input: { id: int }, result: string, faults: { Gone } });
    const Shop = service('Shop', { namespace: 'urn:gone', operations: { Get } });
    const detail = { id: 2n ** 60n, since: new Date(1_700_000_000_000), others: [1, 2] };
    const endpoint = createEndpoint(Shop, {
      path: '/Shop.asmx',
      onAnswered: () => {},
      handlers: {
        Get: ({ id }) => {
          if (id === 1) throw new ServiceError('Gone', 'It is gone.', { detail });
          throw new ServiceError('Gone', 'It is gone.', {
            detail: id === 2 ? { id: 'x' } : undefined,
          });
        },
      },
    });
    const document = await documentOf(endpoint);
    await assertValid(document);
    const { Problem } = (document as unknown as { components: { schemas: Record<string, Tree> } })
      .components.schemas;
    assert.match(JSON.stringify(Problem!.properties!.fault), /schemas\/Gone/);
    const url = `${await serve(test, endpoint)}/Shop.asmx`;
    const client = createClient(Shop, { url });
    const refusal = (id: number) =>
      client.Get({ id }).then(
        () => undefined,
        ({ code, status, fault }) => ({ code, status, fault }),
      );
    assert.deepEqual(await refusal(1), { code: 'Gone', status: 500, fault: detail });
    for (const id of [2, 3])
      assert.deepEqual(await refusal(id), { code: 'Gone', status: 500, fault: undefined });
  });

  it('requests that pass its schemas are taken, and answers pass them', async (test) => {
    const document = await documentOf(weather);
    const url = await serve(test, weather);
    const check = async (name: string, input: unknown) => {
      const { post } = document.paths![`/Weather.asmx/${name}`]!;
      const content = 'application/json';
      const asked = checker(document, post!.requestBody!.content![content]!.schema);
      assert.ok(asked(input), JSON.stringify(asked.errors));
      const response = await fetch(`${url}/Weather.asmx/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': content },
        body: JSON.stringify(input),
      });
      const answer = await response.json();
      assert.equal(response.status, 200, JSON.stringify(answer));
      const answered = checker(document, post!.responses!['200']!.content![content]!.schema);
      assert.ok(answered(answer), `${JSON.stringify(answered.errors)} ${JSON.stringify(answer)}`);
    };
    await check('GetForecast', { city: 'Rome', days: 3 });
    await check('EchoTree', { tree: { name: 'a', children: [{ name: 'b', children: [] }] } });
    await check('TryParse', { text: '1', value: 2 });
    await check('Forget', { city: 'Rome' });
    await check('Sum', { numbers: [1, 2] });
    await check('Data', { data: { tables: { T: [{ a: 1 }] } } });
    await check('Echo', {
      value: {
        text: 't',
        flag: true,
        big: 5,
        amount: 1.5,
        ratio: 'INF',
        at: '2024-02-29T12:00:00Z',
        id: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
        bytes: 'AQI=',
        days: ['Monday'],
        numbers: [1],
        maybe: [1, null],
        animals: [{ name: 'a' }, { __type: 'Dog', name: 'b', barks: true }],
        thing: 5,
      },
    });
    const wrong = checker(document, document.components!.schemas!.Forecast);
    assert.equal(wrong({ day: 'x', condition: 'Snow' }), false);
  });

  it('has the lengths and bounds of values as JSON writes them', async (t) => {
    const [simple, named] = ['simple' as const, 'T'];
    const types: NonNullable<Service['types']> = {
      Hex: { kind: simple, name: `${named}1`, base: 'hexBinary', facets: { length: 2 } },
      Bytes: { kind: simple, name: `${named}2`, base: 'base64Binary', facets: { maxLength: 4 } },
      Numbers: { kind: 'list', name: `${named}3`, item: 'int' },
      Few: {
        kind: simple,
        name: `${named}4`,
        base: { ref: 'Numbers' },
        facets: { minLength: 1, maxLength: 2 },
      },
      Positive: { kind: simple, name: `${named}5`, base: 'decimal', facets: { minExclusive: '0' } },
      Day: {
        kind: simple,
        name: `${named}6`,
        base: 'date',
        facets: { minInclusive: '2000-01-01' },
      },
    };
    const parameters = Object.keys(types).map((key) => ({
      name: key,
      type: { ref: key },
      ...{ documentation: '', sample: '' },
    }));
    const contract: Service = {
      ...{ name: 'Facets', namespace: 'urn:facets', types },
      operations: [{ name: 'Ask', documentation: '', parameters, result: 'string' }],
    };
    const endpoint = createEndpoint(
      typedService<{ Ask: { input: object; result: string } }>(contract),
      { path: '/Facets.asmx', handlers: { Ask: () => 'yes' } },
    );
    const document = await documentOf(endpoint);
    await assertValid(document);
    const url = await serve(t, endpoint);
    for (const [key, right, wrong] of [
      ['Hex', ['0A0B'], ['0A', '0A0B0C']],
      ['Bytes', ['', 'AQIDBA=='], ['AQIDBAUGBw==']],
      ['Few', [[1], [1, 2]], [[], [1, 2, 3]]],
      ['Positive', [0.5], [0, -1]],
      ['Day', ['2001-01-01'], []],
    ] as const) {
      const check = checker(document, document.components!.schemas![key]);
      for (const value of right) assert.equal(check(value), true, `${key} ${value}`);
      for (const value of wrong) assert.equal(check(value), false, `${key} ${value}`);
      for (const [values, status] of [
        [right, 200],
        [wrong, 400],
      ] as const)
        for (const value of values) {
          const answer = await fetch(`${url}/Facets.asmx/Ask`, jsonRequest({ [key]: value }));
          assert.equal(answer.status, status, `${key} ${value}`);
        }
    }
  });

  it('has the security scheme of the challenge, the bindings that are on, and names that components may have', async () => {
    const parameter = { documentation: '', sample: '' };
    const contract: Service = {
      name: 'Odd',
      namespace: 'urn:odd',
      bindings: ['soap11', 'json'],
      types: {
        Error: { kind: 'object', name: 'Error', content: [{ name: 'text', type: 'string' }] },
        Größe: {
          kind: 'simple',
          name: 'Größe',
          base: 'int',
          facets: { minInclusive: '1', maxInclusive: '9' },
        },
      },
      operations: [
        {
          name: 'Ask',
          documentation: 'Asks.',
          parameters: [{ ...parameter, name: 'größe', type: { ref: 'Größe' } }],
          result: { ref: 'Error' },
        },
      ],
    };
    const endpoint = createEndpoint(
      typedService<{ Ask: { input: object; result: undefined } }>(contract),
      {
        path: '/Odd.asmx',
        challenge: 'Bearer realm="odd"',
        handlers: { Ask: () => undefined },
      },
    );
    const document = await documentOf(endpoint);
    await assertValid(document);
    assert.deepEqual(Object.keys(document.paths!['/Odd.asmx/Ask']!), ['post']);
    assert.deepEqual(Object.keys(document.paths!['/Odd.asmx/Ask']!.post!.requestBody!.content!), [
      'application/json',
    ]);
    assert.deepEqual(document.security, [{ credentials: [] }]);
    assert.equal(document.components!.securitySchemes!.credentials!.scheme, 'bearer');
    assert.deepEqual(document.components!.schemas!.Gr_f6_dfe, {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 9,
    });
    assert.equal(document.components!.schemas!.Error_!.type, 'object');
    const open = createEndpoint(
      service('Open', {
        namespace: 'urn:open',
        operations: { Ping: operation({ result: string }) },
      }),
      { path: '/Open.asmx', handlers: { Ping: () => '' } },
    );
    assert.equal((await documentOf(open)).security, undefined);
  });
});
