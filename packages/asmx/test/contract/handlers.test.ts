import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  array,
  base64Binary,
  createEndpoint,
  dateTime,
  enumeration,
  header,
  type Input,
  int,
  object,
  operation,
  type Result,
  service,
  string,
} from '@ws01/asmx';
import { compile } from '../kit/compile.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { linkModules, writeStrictProject } from '../kit/programs.ts';

const Status = enumeration('Status', ['Open', 'Closed']);
const Line = object('Line', { sku: string, quantity: int });
const Order = object('Order', { id: int, status: Status, placed: dateTime, lines: array(Line) });
const Orders = service('Orders', {
  namespace: 'urn:orders',
  operations: {
    Get: operation({
      input: { id: int },
      result: Order,
      headers: { in: { Auth: header({ user: string }) } },
    }),
    StatusOf: operation({ input: { id: int }, result: Status }),
    List: operation({ result: array(Order) }),
    Add: operation({ input: { file: base64Binary }, result: int, out: { note: string } }),
  },
});
const path = '/Orders.asmx';

/** A handler in a file of its own. */
const get = async ({ id }: Input<typeof Orders, 'Get'>): Promise<Result<typeof Orders, 'Get'>> => ({
  id,
  status: 'Open',
});

/** Handlers of a class, with a member of its own. */
class Handlers {
  readonly #first = 1;
  count = 0;
  // A member that `keyof` does not have, as services with injected parts do.
  private readonly second = 2;
  protected readonly helper = () => this.second;
  readonly Get = get;
  StatusOf({ id }: Input<typeof Orders, 'StatusOf'>): Result<typeof Orders, 'StatusOf'> {
    return id === this.#first ? 'Open' : 'Closed';
  }
  List(): Result<typeof Orders, 'List'> {
    return [{ id: this.#first, status: 'Open' }];
  }
  Add() {
    return { value: 1, out: { note: 'x' } };
  }
}

describe('handlers that are right compile, and literals of enumerations are such', () => {
  it('inline, async, in blocks, with what authorize and createBinarySink return', () => {
    createEndpoint(Orders, {
      path,
      authorize: ({ http, headers }) => ({ user: headers.Auth?.user ?? http.address }),
      createBinarySink: () => ({ write: () => {}, finish: () => 12, release: () => {} }),
      handlers: {
        Get: ({ id }, { caller }) => {
          const lines = [{ sku: caller.user, quantity: 1 }];
          if (id === 1) return { id, status: 'Open', placed: new Date(), lines };
          return { id, status: 'Closed', lines: [] };
        },
        StatusOf: () => 'Open',
        List: async () => [{ id: 1, status: 'Open' }],
        Add: async ({ file }) => ({ value: (file satisfies number | undefined) ?? 0, out: {} }),
      },
    });
    createEndpoint(Orders, {
      path,
      handlers: {
        Get: async ({ id }) => ({ id, status: id === 1 ? 'Open' : 'Closed' }),
        StatusOf: async ({ id }) => (id === 1 ? 'Open' : 'Closed'),
        List: () => [],
        Add: ({ file }) => ({ value: file?.length ?? 0, out: { note: 'x' } }),
      },
    });
  });

  it('in a file of their own, and in a class', () => {
    createEndpoint(Orders, { path, handlers: new Handlers() });
  });
});

describe('handlers that are wrong do not compile, and the first line names operation and member', () => {
  const RIGHT = {
    Get: `() => ({ id: 1, status: 'Open' })`,
    List: '() => []',
    Add: '() => ({ value: 1, out: {} })',
  };
  const WRONG = [
    ['Get', `() => ({ id: 1, status: 'Open', palced: new Date() })`, 'palced?: "no such member"'],
    ['Get', `async () => ({ id: 1, status: 'Open', lines: [{ skew: '' }] })`, 'quantity: number'],
    [
      'Get',
      `async () => ({ id: 1, status: 'Open', lines: [{ quantity: 1, skew: '' }] })`,
      'lines: readonly { skew?: "no such member"; }[]',
    ],
    ['Get', `() => ({ id: 1, status: 'Opened' })`, 'status: "Closed" | "Open"'],
    [
      'Get',
      `({ id }) => (id === 1 ? { id, status: 'Open' } : { id: '', status: 'Open' })`,
      'id: number',
    ],
    ['Get', `() => ({ id: 1 })`, 'status: "Closed" | "Open"'],
    ['Get', `() => 'no order'`, 'id'],
    ['List', `() => [{ id: 1, status: 'Open', nmae: '' }]`, 'nmae?: "no such member"'],
    [
      'List',
      `async () => [1].map((id) => ({ id, status: 'Open', nmae: '' }))`,
      'nmae?: "no such member"',
    ],
    ['Add', `() => ({ value: 1, out: { nite: '' } })`, 'out: { nite?: "no such member"; }'],
    ['Get', '({ idd }) => null', "'idd'"],
    ['Get', '() => {}', 'nothing is returned; return null'],
    ['List', 'async () => {}', 'nothing is returned; return null'],
    ['Get', 'undefined', 'Returns<"Get", unknown>'],
    ['List', 'null', 'Returns<"List", unknown>'],
    ['Add', '{ run: 5 }', 'Returns<"Add", unknown>'],
    ['Add', '7', 'Returns<"Add", unknown>'],
    ['Get', `() => { throw new Failure('Gon', '') }`, `"Gon"`],
    ['Get', `() => { throw new Failure('Gone', '', { detail: { skew: '' } }) }`, "'skew'"],
    ['Get', `() => { throw new Failure('Busy', '', { detail: '' }) }`, "'undefined'"],
  ] as const;

  /** Whole calls, each with what its message says, all lines together. */
  const CALLS = [
    [
      `createEndpoint(S, { path: '/S', handlers: { List: list, Add: add } })`,
      `'HandlersOf<"Get">'`,
    ],
    [`createEndpoint(S, { path: '/S', handlers: new Half() })`, `'HandlersOf<"Add">'`],
    [
      `createEndpoint(S, { path: '/S', handlers: undefined })`,
      `'HandlersOf<"Add" | "Get" | "List"> &`,
    ],
    [`createEndpoint(S, { path: '/S', handlers: null })`, `'HandlersOf<"Add" | "Get" | "List"> &`],
    [`createEndpoint(S, { path: '/S' })`, `Property 'handlers' is missing`],
    ['createEndpoint(S, { handlers: new All() })', `Property 'path' is missing`],
    [`createEndpoint(S, { path: '/S', handlers: new All(), authorise: () => 1 })`, `'authorize'?`],
    [`createEndpoint(S, { pth: '/S', handlers: new All() })`, `write 'path'?`],
    [`createEndpoint(S, { path: 'S', handlers: new All() })`, '\'"S"\''],
  ] as const;

  it('in each of them', async (test) => {
    const folder = await temporaryFolder(test, 'asmx-types-');
    await linkModules(folder);
    await writeStrictProject(folder);
    const program = [
      `import { array, createEndpoint, dateTime, enumeration, errorsOf, int } from '@ws01/asmx';`,
      `import { object, operation, service, string } from '@ws01/asmx';`,
      `const Status = enumeration('Status', ['Open', 'Closed']);`,
      `const Line = object('Line', { sku: string, quantity: int });`,
      `const Order = object('Order', { id: int, status: Status, placed: dateTime, lines: array(Line) });`,
      `const Get = operation({ input: { id: int }, result: Order, faults: { Gone: Line } });`,
      'const List = operation({ result: array(Order) });',
      'const Add = operation({ result: int, out: { note: string } });',
      `const S = service('S', { namespace: 'urn:s', operations: { Get, List, Add } });`,
      `const Failure = errorsOf(S, { Late: { status: 409, side: 'client', meaning: '' } });`,
      `for (const each of [new Failure('Late', ''), new Failure('Unauthorized', '')]) throw each;`,
      `throw new Failure('Gone', '', { detail: { sku: 'a', quantity: 1 } });`,
      `class Half { Get() { return null; } List() { return []; } }`,
      `class All extends Half { Add() { return { value: 1, out: {} }; } }`,
      'const { List: list, Add: add } = new All();',
      `const handlers = { Get: () => null, List: () => [], Add: () => ({ value: 1, out: {} }) };`,
      `createEndpoint(S, { path: '/S.asmx', errors: Failure.errors, handlers });`,
      ...WRONG.map(([name, handler]) => {
        const handlers = Object.entries({ ...RIGHT, [name]: handler });
        const text = handlers.map(([key, value]) => `${key}: ${value}`).join(', ');
        return `createEndpoint(S, { path: '/S.asmx', handlers: { ${text} } });`;
      }),
      ...CALLS.map(([call]) => call),
    ];
    await writeFile(join(folder, 'program.ts'), program.join('\n'));
    const { stdout } = await compile(folder);
    const firstWrong = program.length - CALLS.length - WRONG.length + 1;
    const lines = [...stdout.matchAll(/program\.ts\((\d+),/g)].map(([, line]) => Number(line));
    assert.ok(
      lines.every((line) => line >= firstWrong),
      stdout,
    );
    /** What is said of a line, counted from the last: its first line, and all. */
    const saidOf = (fromEnd: number, what: string): readonly [string, string] => {
      const start = stdout.split(`program.ts(${program.length - fromEnd},`);
      assert.ok(start.length > 1, `${what} compiles: ${stdout}`);
      const message = start[1]!.split(/\n(?=\S)/)[0]!;
      return [message.split('\n')[0]!, message];
    };
    for (const [index, [name, handler, said]] of WRONG.entries()) {
      const what = `${name}: ${handler}`;
      const [headline, message] = saidOf(CALLS.length + WRONG.length - 1 - index, what);
      const isNamed = !headline.includes('Returns<') || headline.includes(`Returns<"${name}", `);
      assert.ok(isNamed, `${what}: ${message}`);
      assert.ok(headline.includes(said) && headline.length < 350, `${what}: ${message}`);
    }
    for (const [index, [call, said]] of CALLS.entries()) {
      const [headline, message] = saidOf(CALLS.length - 1 - index, call);
      assert.ok(message.includes(said) && headline.length < 300, `${call}: ${message}`);
    }
  });
});
