import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { fetchHandler } from '../../src/fetch/index.ts';
import {
  array,
  attribute,
  createEndpoint,
  defineLimits,
  enumeration,
  int,
  nodeListener,
  object,
  operation,
  ServiceError,
  service,
  string,
} from '../../src/index.ts';
import { SECURITY_HEADER as HEADER } from '../../src/security/index.ts';
import { ask } from '../kit/ask.ts';
import { serve, soap } from '../values/kit.ts';

const NS = 'urn:mistakes';
const S = service('S', {
  namespace: NS,
  operations: { Get: operation({ input: { a: int }, result: string }) },
});
const handlers = { Get: () => 'secret' };
const BODY = `<Get xmlns="${NS}"><a>1</a></Get>`;

describe('authorize', () => {
  const refusing: Readonly<Record<string, () => unknown>> = {
    false: () => false,
    'a promise of false': async () => false,
    null: () => null,
    'a promise of null': async () => null,
    'a promise of another library': () => ({
      // biome-ignore lint/suspicious/noThenProperty: promises of other libraries have one
      then: (done: (value: unknown) => void) => done(false),
    }),
    'an error that is returned': () => new ServiceError('Unauthorized', 'No.'),
    'a promise of an error': async () => new ServiceError('Unauthorized', 'No.'),
    'an error that is thrown': () => {
      throw new ServiceError('Unauthorized', 'No.');
    },
    'a promise that fails': async () => {
      throw new ServiceError('Unauthorized', 'No.');
    },
  };
  for (const [what, authorize] of Object.entries(refusing)) {
    it(`lets nobody in: ${what}`, async (test) => {
      let ran = 0;
      const Get = () => {
        ran++;
        return 'secret';
      };
      const url = `${await serve(test, createEndpoint(S, { path: '/S.asmx', authorize: authorize as () => undefined, handlers: { Get } }))}/S.asmx`;
      const get = await fetch(`${url}/Get?a=1`);
      assert.deepEqual([get.status, get.headers.get('x-error-code')], [401, 'Unauthorized']);
      const json = await fetch(`${url}/Get`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' },
      });
      for (const text of [await get.text(), await json.text(), (await soap(url, BODY)).text])
        assert.doesNotMatch(text, /secret/);
      assert.match((await soap(url, BODY)).text, /<code>Unauthorized</);
      assert.equal(ran, 0);
    });
  }

  it('lets in whom it returns, also what is falsy and no refusal', async (test) => {
    for (const caller of [undefined, true, 0, '', { name: 'ann' }, Promise.resolve('ann')]) {
      const seen: unknown[] = [];
      const endpoint = createEndpoint(S, {
        ...{ path: '/S.asmx', authorize: () => caller },
        handlers: { Get: (_, call) => String(seen.push(call.caller)) },
      });
      assert.equal((await fetch(`${await serve(test, endpoint)}/S.asmx/Get?a=1`)).status, 200);
      assert.deepEqual(seen, [await caller]);
    }
  });
});

describe('handlers may be an object of a class', () => {
  class Private {
    readonly #db = 'db';
    Get({ a }: { readonly a: number }): string {
      return this.#db + a;
    }
  }
  class Base {
    readonly db = 'db';
    Get({ a }: { readonly a: number }): string {
      return this.db + a;
    }
  }
  class Derived extends Base {
    readonly helper = () => 'x';
  }
  for (const [name, of] of Object.entries<Pick<Base, 'Get'>>({
    Private: new Private(),
    Base: new Base(),
    Derived: new Derived(),
  })) {
    it(name, async (test) => {
      for (const interceptors of [
        [],
        [(_: unknown, __: unknown, next: () => Promise<unknown>) => next()],
      ]) {
        const endpoint = createEndpoint(S, { path: '/S.asmx', handlers: of, interceptors });
        const answer = await fetch(`${await serve(test, endpoint)}/S.asmx/Get?a=1`);
        assert.match(await answer.text(), /db1/);
      }
    });
  }
});

describe('a mistake is a TypeError at creation, with the member and the remedy', () => {
  const made = (options: object | undefined) => createEndpoint(S, options as never);
  const ok = { path: '/S.asmx', handlers };
  for (const [said, more] of [
    [
      /^options\.authorise: there is no such option\. Did you mean authorize\?$/,
      { authorise: () => 1 },
    ],
    [/^options\.Handlers: there is no such option\. Did you mean handlers\?$/, { Handlers: {} }],
    [/^options\.toString: there is no such option\.$/, { toString: () => '' }],
    [/^options\.xyz: there is no such option\.$/, { xyz: 1 }],
    [/^options\.path: it must be a text\.$/, { path: 1 }],
    [/^options\.authorize: it must be a function\.$/, { authorize: true }],
    [/^options\.baseUrl: it must be a function\.$/, { baseUrl: 'http://x' }],
    [/^options\.aliases: "\/s\.asmx" is a path of the service twice\.$/, { aliases: ['/s.asmx'] }],
    [
      /^options\.pageLinks\.Bad: it must be a URL, or a path of this server like/,
      { pageLinks: { Bad: 'javascript:alert(1)' } },
    ],
    [
      /^options\.pageLinks\.Bad: it must be a URL, or a path of this server like/,
      { pageLinks: { Bad: ['/status'] } },
    ],
    [
      /^options\.pageLanguages\."><: it must be the tag of a language, like zh-CN\.$/,
      { pageLanguages: { '"><': { name: 'Odd', texts: {} } } },
    ],
    [
      /^options\.pageLanguages\.de: it must be like \{ name: '中文', texts: \{ Samples: '示例' \} \}\.$/,
      { pageLanguages: { de: 'Deutsch' } },
    ],
    [
      /^options\.limits: \w+ is missing; write limits: defineLimits\(\{ … \}\)\.$/,
      { limits: { bodyBytes: 10 } },
    ],
    [
      /^options\.errors\.Gone\.status: .* not undefined\.$/,
      { errors: { Gone: { side: 'client' } } },
    ],
    [
      /^options\.errors\.Gone\.status: .* not 200\.$/,
      { errors: { Gone: { status: 200, side: 'client' } } },
    ],
    [/^options\.errors\.Gone\.side: /, { errors: { Gone: { status: 410 } } }],
    [
      /^handlers\.Gett: the contract has no such operation\. Did you mean Get\?$/,
      { handlers: { ...handlers, Gett: () => '' } },
    ],
    [/^handlers\.Get: there must be a function\.$/, { handlers: {} }],
    [/^options\.timeZone: there is no time zone "Mars\/One"; /, { timeZone: 'Mars/One' }],
    [/^options\.interceptors\.0: it must be a function\.$/, { interceptors: [1] }],
    [/^options\.understands\.1: .* usernameToken/, { understands: [HEADER, 'Security'] }],
    [/^options\.strict: it must be true or false\.$/, { strict: 'no' }],
    [/^options\.addressing: it must be true or false\.$/, { addressing: 0 }],
    [/^options\.documents: it must be an object\.$/, { documents: 'old.wsdl' }],
    [/^options\.fastPath: it must be an object\.$/, { fastPath: true }],
    [/^options\.limits: it must be an object\.$/, { limits: null }],
    [/^options\.namespace: .* without blanks, .* not "urn:a b"\.$/, { namespace: 'urn:a b' }],
    [/^options\.namespace: .*like urn:hello, not "orders"\.$/, { namespace: 'orders' }],
    [/^options\.bindings: .* name some, like \['json'\]\.$/, { bindings: [] }],
    [/^options\.path: no request comes to "\/a\/\.\.\/S\.asmx"; /, { path: '/a/../S.asmx' }],
  ] as const) {
    it(String(said), () => {
      assert.throws(() => made({ ...ok, ...more }), { name: 'TypeError', message: said });
    });
  }

  it('no options, or no path', () => {
    const message = /^options: there must be an object with a path and handlers/;
    assert.throws(() => made(undefined), { name: 'TypeError', message });
    const noPath = /^options\.path: it must be there, like '\/Old\.asmx'\.$/;
    assert.throws(() => made({ handlers }), { name: 'TypeError', message: noPath });
  });

  it('what is no contract, no type and no endpoint', () => {
    // biome-ignore lint/suspicious/noExplicitAny: what JavaScript may give
    type Wrong = any;
    const contract = (parts: object, name: unknown = 'S') =>
      service(name as string, { namespace: 'urn:s', operations: {}, ...parts } as Wrong);
    const Op = operation({ input: [int] } as Wrong);
    for (const [said, make] of [
      [/^contract: it must come first/, () => createEndpoint(undefined as Wrong, ok as Wrong)],
      [/^service: it takes a name and its parts/, () => contract({ operations: undefined })],
      [/^service: it takes a name/, () => contract({}, {})],
      [/^service: it takes a name/, () => service('S', undefined as Wrong)],
      [/^namespace: .* not "urn:a b"\.$/, () => contract({ namespace: 'urn:a b' })],
      [/^namespace: .*like urn:hello, not "orders"\.$/, () => contract({ namespace: 'orders' })],
      [/^operations\.Op\.input: it must be an object/, () => contract({ operations: { Op } })],
      [/^enumeration E: it takes a list/, () => enumeration('E', undefined as Wrong)],
      [/^object O: it takes its members/, () => object('O', undefined as Wrong)],
      [/^nodeListener: it takes what createEndpoint/, () => nodeListener(S as Wrong)],
    ] as const)
      assert.throws(make, { name: 'TypeError', message: said });
  });

  it('a type that is not there yet, as where one refers to itself', () => {
    const Node = object('Node', { id: int, next: undefined as never });
    assert.throws(
      () => service('S', { namespace: 'urn:s', operations: { Get: operation({ result: Node }) } }),
      /^TypeError: operations\.Get\.result\.next: .* stands in a getter: get next\(\) \{ return Node; \}\.$/,
    );
  });

  it('two services at one path, of which the second would never answer', () => {
    const at = (path: `/${string}`, ...aliases: `/${string}`[]) =>
      createEndpoint(S, { path, aliases, handlers });
    for (const join of [nodeListener, fetchHandler])
      assert.throws(
        () => join(at('/A.asmx'), at('/B.asmx', '/a.asmx')),
        new RegExp(
          `^TypeError: ${join.name}: two services are at /a\\.asmx, .*give it another path`,
        ),
      );
  });

  it('several services are answered, one below another first', async () => {
    const named = (name: string, path: `/${string}`) =>
      createEndpoint(S, { path, handlers: { Get: () => name } });
    const serve = fetchHandler(named('old', '/S.asmx'), named('new', '/S.asmx/v2'));
    const said = async (path: string) =>
      (await (await serve(new Request(`http://127.0.0.1${path}/Get?a=1`)))?.text())?.match(
        /old|new/,
      )?.[0];
    assert.deepEqual(
      [await said('/S.asmx'), await said('/S.asmx/v2'), await said('/T.asmx')],
      ['old', 'new', undefined],
    );
  });

  it('limits', () => {
    assert.throws(
      () => defineLimits({ bodybytes: 1 } as never),
      /^RangeError: There is no limit bodybytes\. Did you mean bodyBytes\?$/,
    );
  });

  it('a default that is no text', () => {
    assert.throws(
      () => int.default(20 as never),
      /^TypeError: default: write it as a text, like '20'\.$/,
    );
  });

  it('a base URL may end with a slash', async (test) => {
    const endpoint = createEndpoint(S, {
      ...ok,
      path: '/S.asmx',
      baseUrl: () => 'https://shop.example/v1/',
    });
    const wsdl = await (await fetch(`${await serve(test, endpoint)}/S.asmx?WSDL`)).text();
    assert.match(wsdl, /location="https:\/\/shop\.example\/v1\/S\.asmx"/);
  });
});

describe('the log says what a handler did wrong, with operation and path', () => {
  const Line = object('Line', { sku: string });
  const Order = object('Order', { id: int, lines: array(Line), tag: attribute(string) });
  const Orders = service('Orders', {
    namespace: NS,
    operations: {
      Get: operation({ result: Order, faults: { Gone: Line } }),
      Split: operation({ result: int, out: { rest: string } }),
    },
  });
  /** What stands in the log after a call. */
  const logOf = async (test: TestContext, Get: () => unknown, times = 1) => {
    const lines: string[] = [];
    const log = (...parts: readonly unknown[]) => lines.push(parts.map(String).join(' '));
    const logged = test.mock.method(console, 'error', log);
    const handlers = { Get, Split: Get } as never;
    const endpoint = createEndpoint(Orders, { path: '/S.asmx', handlers });
    for (const name of ['Get', 'Split'])
      for (let time = 0; time < times; time++) await ask(endpoint, { target: `/S.asmx/${name}` });
    logged.mock.restore();
    return lines.map((line) => line.replace(/^[-0-9a-f]{36}: /, ''));
  };

  it('a member that the contract has not, once', async (test) => {
    const lines = [
      { sku: 'a', skew: 1 },
      { sku: 'b', other: 1 },
    ];
    const given = { id: 1, lines, tag: '', nmae: 'x', toJSON: () => '' };
    const dropped = 'which the contract has not: clients do not get it.';
    assert.deepEqual(await logOf(test, () => ({ ...given, value: 1, out: { rst: '' } }), 2), [
      ...['lines[0].skew', 'nmae', 'value', 'out'].map(
        (path) => `Get: the handler returned GetResult.${path}, ${dropped}`,
      ),
      `Split: the handler returned out.rst, ${dropped}`,
    ]);
  });

  it('a code of an error that nobody declared', async (test) => {
    const [get = ''] = await logOf(test, () => {
      throw new ServiceError('Gon', 'It is gone.');
    });
    assert.match(
      get,
      /^Get failed\. TypeError: The handler threw a ServiceError with the code Gon, which is in no table\. .*Did you mean Gone\?/,
    );
  });

  it('a member that must be there, and a number outside its range', async (test) => {
    const [missing = ''] = await logOf(test, () => ({ lines: [] }));
    assert.match(
      missing,
      /^Get failed\. ResultError: .* GetResult\.id: .*there must be a value\.$/,
    );
    const [large = ''] = await logOf(test, () => ({ id: 3_000_000_000 }));
    assert.match(
      large,
      /^Get failed\. ResultError: .* GetResult\.id: "3000000000" is out of range/,
    );
  });
});
