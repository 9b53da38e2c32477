import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  attribute,
  content,
  createEndpoint,
  enumeration,
  extended,
  header,
  int,
  nullable,
  object,
  oneOf,
  operation,
  optional,
  restricted,
  service,
  string,
  voidResult,
} from '../../src/index.ts';

const A = object('A', { a: int });

/** What JavaScript may give, whatever the types say. */
// biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
type Wrong = any;

const built = (Op: Wrong, options: Wrong = {}) => {
  const contract = service('X', { namespace: 'urn:x', operations: { Op } });
  return createEndpoint(
    contract as Wrong,
    { path: '/x.asmx', handlers: { Op: () => undefined }, ...options } as Wrong,
  );
};
const field = (given: Wrong) => built(operation({ input: { p: given } }));
const text = { documentation: '', sample: '' };
const data = (parts: Wrong, more: Wrong = {}) =>
  createEndpoint(
    {
      name: 'X',
      namespace: 'urn:x',
      operations: [{ name: 'Op', documentation: '', parameters: [], result: 'string', ...parts }],
      ...more,
    } as Wrong,
    { path: '/x.asmx', handlers: { Op: () => '' } } as Wrong,
  );
const parameter = (parts: Wrong) =>
  data({ parameters: [{ name: 'p', type: 'int', ...text, ...parts }] });
const type = (T: Wrong) => data({}, { types: { T: { name: 'T', ...T } } });
const member = (parts: Wrong) =>
  type({ kind: 'object', content: [{ name: 'm', type: 'int', ...parts }] });
const bound = (facets: Wrong) => type({ kind: 'simple', base: 'string', facets });

/** The path that the error begins with, and what is wrong there. */
const BUILT: readonly (readonly [path: string, make: () => unknown])[] = [
  ['operations.Op', () => built(undefined)],
  ['operations.Op', () => built({ input: { a: int } })],
  ['operations.Op.input.p', () => field('int')],
  ['operations.Op.input.p', () => field(voidResult)],
  ['operations.Op.input.p', () => field(nullable(undefined as Wrong))],
  ['operations.Op.input.p', () => field(array(undefined as Wrong))],
  ['operations.Op.input.p', () => field(array(undefined as Wrong, { flat: true }))],
  ['operations.Op.input.p', () => field(array(voidResult))],
  ['operations.Op.input.p.b.c', () => field(object('B', { b: object('C', { c: 'int' }) }))],
  ['operations.Op.input.p', () => field(extended(int as Wrong, 'E', { b: int }))],
  ['types.E.extends', () => field(extended(enumeration('En', ['a']) as Wrong, 'E', { b: int }))],
  ['operations.Op.input.p', () => field(oneOf(A, object('B', { b: int }) as Wrong))],
  ['operations.Op.input.p', () => field(oneOf(A, int))],
  [
    'operations.Op.input.p.choices',
    () => field(object('C', { r: optional(int) }, { choices: [['gone', 'r']] })),
  ],
  [
    'operations.Op.input.p.choices',
    () => field(object('C', { l: optional(int) }, { choices: [['l', 'gone']] })),
  ],
  ['operations.Op.input.p.text', () => field(object('B', { text: content(string) }))],
  ['types.B.text', () => field(object('B', { value: content(string), b: int }))],
  ['types.B.text', () => field(object('B', { value: content(A) }))],
  ['types.B.attributes.b', () => field(object('B', { b: attribute(A) }))],
  ['types.B.attributes.b', () => field(object('B', { b: attribute(array(int)) }))],
  ['types.B.content.0.default', () => field(object('B', { b: int.default('x') }))],
  ['operations.Op.parameters.p.default', () => field(enumeration('En', ['a', 'b']).default('c'))],
  ['operations.Op.parameters.p.maxLength', () => field(string.max(-1))],
  ['types.R.base', () => field(restricted('R', A, { maxLength: 1 }))],
  ['types.R.facets.maxLength', () => field(restricted('R', string, { maxLength: '1' as Wrong }))],
  ['types.En.values', () => field(enumeration('En', [] as Wrong))],
  ['types.En.values', () => field(enumeration('En', ['a', 'a']))],
  ['types.En.values', () => field(enumeration('En', ['a b'], { flags: true }))],
  ['operations.Op.result', () => built(operation({ result: 'int' as Wrong }))],
  [
    'operations.Op.result',
    () => built(operation({ input: { a: object('Z', {}) }, result: object('Z', { b: int }) })),
  ],
  ['operations.Op.out.o', () => built(operation({ out: { o: 1 as Wrong } }))],
  ['operations.Op.faults.F', () => built(operation({ faults: { F: 'x' as Wrong } }))],
  [
    'operations.Op.headers.in.H',
    () => built(operation({ headers: { in: { H: { user: string } as Wrong } } })),
  ],
  [
    'operations.Op.headers.in.H.u',
    () => built(operation({ headers: { in: { H: header({ u: 1 as Wrong }) } } })),
  ],
  [
    'operations.Op.headers.out.H.u',
    () => built(operation({ headers: { out: { H: header({ u: 1 as Wrong }) } } })),
  ],
  ['operations.Op.oneWay', () => built(operation({ oneWay: true, result: int }))],
  ['operations.Op.errors', () => built(operation({ errors: ['Gone'] }))],
  ['handlers.Op', () => built(operation({}), { handlers: {} })],
  [
    'handlers.Other',
    () => built(operation({}), { handlers: { Op: () => undefined, Other: () => 1 } }),
  ],
  ['bindings', () => built(operation({}), { bindings: ['soap13'] })],
];

const DATA: readonly (readonly [path: string, make: () => unknown])[] = [
  ['operations', () => data({}, { operations: undefined })],
  ['operations.0', () => data({}, { operations: ['Op'] })],
  ['operations.0', () => data({ name: 1 })],
  ['operations.Op.parameters', () => data({ parameters: undefined })],
  [
    'operations.Op.parameters',
    () =>
      data({
        parameters: ['p', 'q'].map((name) => ({ name, property: 'x', type: 'int', ...text })),
      }),
  ],
  ['operations.Op.parameters.0', () => parameter({ name: undefined })],
  ['operations.Op.parameters.p', () => parameter({ type: undefined })],
  ['operations.Op.parameters.p', () => parameter({ type: { ref: 'Gone' } })],
  ['operations.Op.parameters.p.as', () => parameter({ type: 'dateTime', as: 'moment' })],
  ['operations.Op.parameters.p.min', () => parameter({ min: -1 })],
  ['operations.Op.parameters.p.max', () => parameter({ max: 'many' })],
  ['operations.Op.parameters.p.max', () => parameter({ min: 3, max: 2 })],
  ['operations.Op.parameters.p.default', () => parameter({ default: 'x' })],
  ['operations.Op.style', () => data({ style: 'document' })],
  ['operations.Op.use', () => data({ use: 'raw' })],
  ['operations.Op.OpResult', () => data({ result: { ref: 'Gone' } })],
  ['operations.Op.o', () => data({ out: [{ name: 'o', type: { ref: 'Gone' } }] })],
  ['operations.Op.headers.in', () => data({ headers: { in: {} } })],
  [
    'operations.Op.headers.in.H',
    () => data({ headers: { in: [{ name: 'H', type: { ref: 'Gone' } }] } }),
  ],
  ['operations.Op.headers.out.0', () => data({ headers: { out: [{ type: 'int' }] } })],
  ['operations.Op.faults.F.element', () => data({ faults: [{ name: 'F' }] })],
  [
    'operations.Op.faults.F',
    () => data({ faults: [{ name: 'F', element: { name: 'F', type: { ref: 'Gone' } } }] }),
  ],
  ['bindings', () => data({}, { bindings: ['soap11', 'html'] })],
  ['types', () => data({}, { types: [] })],
  ['types.T', () => data({}, { types: { T: 'int' } })],
  ['types.T.kind', () => type({ kind: 'class' })],
  ['types.T.kind', () => type({})],
  ['types.T.content', () => type({ kind: 'object', content: {} })],
  ['types.T.content.0', () => member({ name: undefined })],
  ['types.T.content.0', () => member({ type: 'dubble' })],
  ['types.T.content.0.kind', () => member({ kind: 'all' })],
  ['types.T.content.0.content', () => member({ kind: 'choice' })],
  ['types.T.content.0.content.0', () => member({ kind: 'sequence', content: [null] })],
  ['types.T.attributes.0', () => type({ kind: 'object', attributes: [{ type: 'int' }] })],
  [
    'types.T.attributes.a',
    () => type({ kind: 'object', attributes: [{ name: 'a', type: { ref: 'Gone' } }] }),
  ],
  ['types.T.text', () => type({ kind: 'object', text: { ref: 'Gone' } })],
  ['types.T.extends', () => type({ kind: 'object', extends: 'Gone' })],
  ['types.T.item', () => type({ kind: 'array' })],
  ['types.T.item', () => type({ kind: 'array', item: { name: 'i', type: { ref: 'Gone' } } })],
  ['types.T.item', () => type({ kind: 'list' })],
  ['types.T.item', () => type({ kind: 'list', item: { ref: 'T' } })],
  ['types.T.members', () => type({ kind: 'union' })],
  ['types.T.members', () => type({ kind: 'union', members: [] })],
  ['types.T.base', () => type({ kind: 'simple' })],
  ['types.T.values', () => type({ kind: 'enumeration' })],
  ['types.T.values', () => type({ kind: 'enumeration', values: [1] })],
  ['types.T.facets.length', () => bound({ length: 1.5 })],
  ['types.T.facets.patterns', () => bound({ patterns: 'a+' })],
  ['types.T.facets.patterns.1', () => bound({ patterns: ['a', 1] })],
  ['types.T.facets.patterns.1', () => bound({ patterns: ['a', '(?i)a'] })],
  ['types.T.facets.patterns.0', () => bound({ patterns: ['(a{1000}){1000}'] })],
  ['types.T.facets.minInclusive', () => bound({ minInclusive: 1 })],
];

describe('a wrong definition is a TypeError at creation, with the path of the wrong member', () => {
  for (const [how, rows] of Object.entries({ 'of words': BUILT, 'as data': DATA })) {
    it(how, () => {
      for (const [path, make] of rows) {
        assert.throws(make, (error: Error) => {
          assert.equal(error.name, 'TypeError', `${path}: ${error.stack}`);
          assert.ok(error.message.startsWith(`${path}: `), `${make}: ${error.message}`);
          return true;
        });
      }
    });
  }

  it('a list without a wrapper may be of a type that is made later', async () => {
    const Parent = object('Parent', { children: array(() => Child, { flat: true }) });
    const Child = object('Child', { name: string });
    const contract = service('X', {
      namespace: 'urn:x',
      operations: { Op: operation({ input: { p: Parent } }) },
    });
    const children = { name: 'children', type: { ref: 'Child' }, max: 'unbounded', min: 0 };
    assert.deepEqual(contract.types?.Parent, {
      kind: 'object',
      name: 'Parent',
      content: [children],
    });
  });
});
