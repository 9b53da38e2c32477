import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { ErrorTable } from '../../../../packages/asmx/src/contract/errors.ts';
import type { Service } from '../../../../packages/asmx/src/contract/service.ts';
import { openApi } from '../../../../packages/asmx/src/describe/openapi/document.ts';
import { servedService } from '../../src/app/served-service.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { WS01 } from '../../src/contract/service.ts';
import { listenAndEcho } from './kit/echo-listener.ts';

const PLACE = { namespace: 'urn:ws01', baseUrl: 'https://api.example.com/old', path: '/WS01.asmx' };

/** A value inside a JSON value, by its keys. */
function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

suite('OpenAPI', () => {
  test('the served document is valid OpenAPI 3.1, its references resolved', async (context) => {
    const listener = await listenAndEcho();
    context.after(() => listener.close());
    const { origin } = listener;
    const answer = await fetch(`${origin}/openapi.json`);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    const document = (await answer.json()) as Record<string, unknown>;
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
    validator.resolveRefs();
    assert.deepEqual(at(document, 'servers'), [{ url: origin }]);
  });

  test('an operation says in plain words what it does, beside what the contract calls it', () => {
    const document = openApi(servedService(loadConfig({})), ERRORS, PLACE);
    for (const { name, documentation, help } of WS01.operations) {
      const { purpose } = help!;
      for (const method of ['post', 'get']) {
        const of = (field: string) =>
          at(document, 'paths', `/WS01.asmx/${name}`, method, field) as string;
        assert.ok(
          purpose.startsWith(of('summary').slice(0, -1)) && of('summary').endsWith('.'),
          of('summary'),
        );
        assert.equal(of('description'), `${purpose}\n\nIn the WSDL: ${documentation}.`);
      }
    }
  });

  test('every operation has a POST and a GET, in the order of the contract', () => {
    const document = openApi(WS01, ERRORS, PLACE);
    const paths = at(document, 'paths') as Record<string, unknown>;
    assert.deepEqual(
      Object.keys(paths),
      WS01.operations.map(({ name }) => `/WS01.asmx/${name}`),
    );
    for (const { name, parameters } of WS01.operations) {
      const path = paths[`/WS01.asmx/${name}`];
      assert.deepEqual(Object.keys(path as object), ['post', 'get']);
      assert.equal(at(path, 'post', 'operationId'), name);
      const query = at(path, 'get', 'parameters') as { name: string; in: string }[];
      assert.deepEqual(
        query.map((parameter) => parameter.name),
        parameters.map((parameter) => parameter.name),
      );
      const properties = at(
        document,
        'components',
        'schemas',
        `${name}Request`,
        'properties',
      ) as object;
      assert.deepEqual(
        Object.keys(properties),
        parameters.map((parameter) => parameter.name),
      );
    }
  });

  test('types, lengths, secrets and samples come from the contract', () => {
    const document = openApi(WS01, ERRORS, PLACE);
    const property = (operation: string, name: string) =>
      at(document, 'components', 'schemas', `${operation}Request`, 'properties', name);
    assert.deepEqual(property('InsertArticle', 'Status'), {
      type: 'integer',
      format: 'int32',
      examples: [0],
      description: 'Any number; 0 published, 1 draft, 2 pending, 3 hidden.',
    });
    assert.equal(at(property('InsertArticle', 'pinnedTopDueDate'), 'format'), 'date-time');
    assert.equal(at(property('InsertArticle', 'token'), 'format'), 'password');
    assert.equal(at(property('InsertArticle', 'caption'), 'maxLength'), 200);
    assert.deepEqual(at(property('QueryImgData', 'ImgIcon'), 'examples'), [false]);
    assert.equal(at(property('InsertArticleImageFile', 'FileImg'), 'contentEncoding'), 'base64');
  });

  test('a file may also come as a part of a form', () => {
    const document = openApi(WS01, ERRORS, PLACE);
    const content = (operation: string) =>
      at(document, 'paths', `/WS01.asmx/${operation}`, 'post', 'requestBody', 'content');
    const form = ['application/x-www-form-urlencoded', 'application/json'];
    assert.deepEqual(Object.keys(content('InsertArticle') as object), form);
    assert.deepEqual(Object.keys(content('InsertArticleImageFile') as object), [
      ...form,
      'multipart/form-data',
    ]);
    const part = at(
      content('InsertArticleImageFile'),
      'multipart/form-data',
      'schema',
      'properties',
      'FileImg',
    );
    assert.equal(at(part, 'contentMediaType'), 'application/octet-stream');
  });

  test('results are XML over GET and POST, {"d": …} as JSON', () => {
    const responses = at(
      openApi(WS01, ERRORS, PLACE),
      'paths',
      '/WS01.asmx/InsertArticleImageFile',
      'post',
      'responses',
    );
    assert.deepEqual(at(responses, 200, 'content'), {
      'text/xml': { schema: { type: 'boolean', xml: { name: 'boolean', namespace: 'urn:ws01' } } },
      'application/json': {
        schema: { type: 'object', required: ['d'], properties: { d: { type: 'boolean' } } },
      },
    });
    assert.ok(at(responses, 200, 'headers', 'X-Error-Code'), 'the reason of a "no"');
  });

  test('every code of the error table stands at its status, but those that no operation answers by plain HTTP', () => {
    const document = openApi(WS01, ERRORS, PLACE);
    // The contract itself says of no operation which errors it has; served, it does.
    const responses = at(document, 'paths', '/WS01.asmx/SendEmail', 'post', 'responses') as Record<
      string,
      unknown
    >;
    const others = new Set([
      'VersionMismatch',
      'MustUnderstand',
      'UnknownOperation',
      'MethodNotAllowed',
    ]);
    assert.equal(responses[405], undefined);
    for (const [code, { status, meaning }] of Object.entries(ERRORS as ErrorTable)) {
      const component = at(document, 'components', 'responses', `Error${status}`);
      const codes = (at(component, 'headers', 'X-Error-Code', 'schema', 'enum') ?? []) as string[];
      assert.equal(codes.includes(code), !others.has(code), code);
      if (others.has(code)) continue;
      assert.ok((at(component, 'description') as string).includes(`\`${code}\`: ${meaning}`), code);
      assert.deepEqual(responses[status], { $ref: `#/components/responses/Error${status}` });
      assert.deepEqual(Object.keys(at(component, 'content') as object), [
        'text/xml',
        'application/problem+json',
      ]);
      assert.equal(
        at(component, 'headers', 'Retry-After') !== undefined,
        status === 429 || status === 503,
        code,
      );
    }
  });

  test('an answer of the server is what the document says', async (context) => {
    const listener = await listenAndEcho();
    context.after(() => listener.close());
    const { url } = listener;
    const post = (body: string) =>
      fetch(`${url}/countIpPosted`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      });
    const good = await post('{"tokenId":"t","IP":"203.0.113.7"}');
    assert.equal(good.status, 200);
    assert.deepEqual(Object.keys((await good.json()) as object), ['d']);
    const bad = await post('{');
    const problem = (await bad.json()) as Record<string, unknown>;
    const schema = at(openApi(WS01, ERRORS, PLACE), 'components', 'schemas', 'Problem');
    assert.match(bad.headers.get('content-type') ?? '', /^application\/problem\+json/);
    for (const name of at(schema, 'required') as string[]) assert.ok(name in problem, name);
    for (const name of Object.keys(problem)) assert.ok(at(schema, 'properties', name), name);
  });

  test('any contract has a valid document', async () => {
    const tiny: Service = {
      name: 'Tiny',
      operations: [{ name: 'Ping', documentation: '说 <&>"\'', parameters: [], result: 'string' }],
    };
    const document = openApi(
      tiny,
      { Internal: { status: 500, side: 'server', meaning: 'A defect.' } },
      PLACE,
    );
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 2));
  });
});
