import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  attribute,
  base64Binary,
  boolean,
  credential,
  credentialOf,
  dateTime,
  decimal,
  enumeration,
  extended,
  header,
  type Infer,
  type InputOf,
  instant,
  int,
  long,
  noDates,
  nullable,
  object,
  oneOf,
  operation,
  secret,
  service,
  string,
  type TypedService,
  unencodedPlus,
  voidResult,
} from '../../src/contract/index.ts';

const Condition = enumeration('Condition', ['Sunny', 'Cloudy', 'Rain']);
const Forecast = object('Forecast', {
  day: dateTime,
  condition: Condition,
  low: nullable(decimal),
  hours: array(int),
  station: attribute(string),
});
const Node = object('Node', {
  name: string,
  get next() {
    return Node;
  },
  get all(): typeof Nodes {
    return Nodes;
  },
});
const Nodes = array(Node);
const Animal = object('Animal', { name: string });
const Dog = extended(Animal, 'Dog', { barks: boolean });

const Weather = service('Weather', {
  namespace: 'http://example.com/weather',
  summary: 'Forecasts by city.',
  operations: {
    GetForecast: operation({
      summary: 'The forecast of a city.',
      input: { city: string.max(80), days: int },
      result: array(Forecast),
      headers: { in: { AuthHeader: header({ user: string, password: secret(string) }) } },
    }),
    Forget: operation({ summary: 'Forgets a city.', input: { city: string }, result: voidResult }),
    Walk: operation({
      input: { node: Node, animal: oneOf(Animal, Dog) },
      result: Node,
      out: { steps: long },
    }),
  },
});

type TypesOf<S> = S extends TypedService<infer O> ? O : never;
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>() => {};

describe('contracts are built', () => {
  it('of words that make plain frozen data', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(Weather.operations[0])), {
      name: 'GetForecast',
      documentation: 'The forecast of a city.',
      parameters: [
        { name: 'city', type: 'string', maxLength: 80, documentation: '', sample: 'text' },
        { name: 'days', type: 'int', documentation: '', sample: '1' },
      ],
      result: { ref: 'ArrayOfForecast' },
      headers: { in: [{ name: 'AuthHeader', type: { ref: 'AuthHeader' } }] },
    });
    assert.deepEqual(Weather.types?.ArrayOfForecast, {
      kind: 'array',
      name: 'ArrayOfForecast',
      item: {
        name: 'Forecast',
        type: { ref: 'Forecast' },
        min: 0,
        max: 'unbounded',
        nillable: true,
      },
    });
    assert.deepEqual(Weather.types?.Forecast, {
      kind: 'object',
      name: 'Forecast',
      content: [
        { name: 'day', type: 'dateTime', as: 'date' },
        { name: 'condition', type: { ref: 'Condition' } },
        { name: 'low', type: 'decimal', nillable: true },
        { name: 'hours', type: { ref: 'ArrayOfInt' } },
      ],
      attributes: [{ name: 'station', type: 'string' }],
    });
    assert.ok(Object.isFrozen(Weather.types));
    assert.ok(Object.isFrozen(Weather.operations[0]?.parameters[0]));
  });

  it('of types that refer to themselves', () => {
    assert.deepEqual(Weather.types?.Node, {
      kind: 'object',
      name: 'Node',
      content: [
        { name: 'name', type: 'string' },
        { name: 'next', type: { ref: 'Node' } },
        { name: 'all', type: { ref: 'ArrayOfNode' } },
      ],
    });
    assert.deepEqual(Weather.types?.Dog, {
      kind: 'object',
      name: 'Dog',
      extends: 'Animal',
      content: [{ name: 'barks', type: 'boolean' }],
    });
  });

  it('of words for what old clients send', () => {
    const Upload = operation({
      readOnly: true,
      input: {
        token: credential(string, 'files'),
        until: noDates(instant, ['1900-01-01']),
        phone: unencodedPlus(string, 'leading'),
        file: base64Binary,
      },
    });
    const Files = service('Files', { operations: { Upload } });
    const [operationData] = Files.operations;
    assert.equal(Files.namespace, undefined);
    assert.equal(operationData?.readOnly, true);
    assert.equal(credentialOf(operationData!)?.name, 'token');
    const [token, until, phone] = operationData!.parameters;
    assert.deepEqual([token?.secret, token?.scope], [true, 'files']);
    assert.deepEqual([until?.as, until?.notGiven], ['instant', ['1900-01-01']]);
    assert.equal(phone?.unencodedPlus, 'leading');
    type Input<File> = InputOf<TypesOf<typeof Files>['Upload'], File>;
    const stored: Input<{ readonly path: string }> = { file: { path: '/a' }, token: 't' };
    const held: Input<Uint8Array> = { file: new Uint8Array() };
    // @ts-expect-error: what the sink makes of a file is no text
    const wrong: Input<string> = { file: 1 };
    assert.ok(stored && held && wrong);
  });

  it('and what is no type is refused with its path', () => {
    const wrong = () =>
      service('X', {
        namespace: 'urn:x',
        operations: { A: operation({ input: { b: object('B', { c: 'int' }) } }) },
      });
    assert.throws(wrong, {
      name: 'TypeError',
      message: /^operations\.A\.input\.b\.c: this is no type/,
    });
    const twice = () =>
      service('X', {
        namespace: 'urn:x',
        operations: {
          A: operation({ input: { a: object('B', { c: int }), b: object('B', { d: int }) } }),
        },
      });
    assert.throws(twice, {
      name: 'TypeError',
      message: 'operations.A.input.b: there are two types with the name B.',
    });
  });

  it('with the types of their values', () => {
    type Operations = TypesOf<typeof Weather>;
    holds<
      Equal<
        Operations['GetForecast']['input'],
        { readonly days: number } & { readonly city?: string | undefined }
      >
    >();
    const forecast: Infer<typeof Forecast> = { condition: 'Sunny', low: null, hours: [1] };
    // @ts-expect-error: no member of the enumeration
    const wrong: Infer<typeof Forecast> = { condition: 'Snow' };
    // @ts-expect-error: a decimal is a text
    const float: Infer<typeof Forecast> = { condition: 'Sunny', low: 1.5 };
    // @ts-expect-error: an enumeration has always a value
    const none: Infer<typeof Forecast> = {};
    const node: Infer<typeof Node> = {
      name: 'a',
      next: { name: 'b', next: { next: {} } },
      all: [{ name: 'c' }],
    };
    // @ts-expect-error: far down, too
    const deep: Infer<typeof Node> = { next: { next: { name: 1 } } };
    const dog: Operations['Walk']['input']['animal'] = { $type: 'Dog', name: 'Rex', barks: true };
    const result: Operations['Walk']['result'] = { value: node, out: { steps: 1n } };
    assert.ok(forecast && wrong && float && none && node && deep && dog && result);
  });
});
