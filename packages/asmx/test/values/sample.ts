import {
  anyType,
  array,
  attribute,
  base64Binary,
  boolean,
  content,
  createEndpoint,
  dataSet,
  dateTime,
  decimal,
  double,
  enumeration,
  extended,
  guid,
  header,
  int,
  long,
  nullable,
  object,
  oneOf,
  operation,
  ServiceError,
  secret,
  service,
  string,
  voidResult,
  xml,
} from '../../src/index.ts';

export const NS = 'http://example.com/weather';
const Condition = enumeration('Condition', ['Sunny', 'Cloudy', 'Rain']);
const Days = enumeration('Days', ['Monday', 'Tuesday', 'Friday'], { flags: true });
const Temperature = object('Temperature', { value: content(decimal), unit: attribute(string) });
const Forecast = object('Forecast', {
  day: dateTime,
  condition: Condition,
  low: nullable(int),
  hours: array(int),
  temperature: Temperature,
  station: attribute(string),
});
const Tree = object('Tree', {
  name: string,
  get children() {
    return array(Tree);
  },
});
const Animal = object('Animal', { name: string });
const Dog = extended(Animal, 'Dog', { barks: boolean });
const Everything = object('Everything', {
  text: string,
  flag: boolean,
  big: long,
  amount: decimal,
  ratio: double,
  at: dateTime,
  id: guid,
  bytes: base64Binary,
  days: Days,
  numbers: array(int, { flat: true }),
  maybe: array(nullable(int)),
  animals: array(oneOf(Animal, Dog)),
  extra: xml,
  thing: anyType,
});

export const Weather = service('Weather', {
  namespace: NS,
  operations: {
    GetForecast: operation({
      input: { city: string.max(80), days: int },
      result: array(Forecast),
      headers: {
        in: { AuthHeader: header({ user: string, password: secret(string) }) },
        out: { Trace: header({ id: string }) },
      },
    }),
    Echo: operation({ input: { value: Everything }, result: Everything }),
    EchoTree: operation({ input: { tree: Tree }, result: Tree }),
    Forget: operation({ input: { city: string }, result: voidResult }),
    Notify: operation({ input: { city: string }, oneWay: true }),
    TryParse: operation({
      input: { text: string, value: int },
      result: boolean,
      out: { value: int, rest: string },
    }),
    Sum: operation({ input: { numbers: array(int) }, result: long }),
    Data: operation({ input: { data: dataSet }, result: dataSet }),
    Fail: operation({
      input: { what: string },
      result: int,
      faults: { Broken: object('BrokenDetail', { part: string }) },
    }),
  },
});

/** The first forecast for Rome. */
export const FORECAST = {
  day: new Date('2024-02-01T00:00:00Z'),
  condition: 'Rain',
  low: null,
  hours: [1, 2],
  temperature: { value: '12.50', unit: 'C' },
  station: 'Rome&',
};

/** What the one-way operation was last told. */
export const told = { city: '' };
export const endpoint = createEndpoint(Weather, {
  path: '/Weather.asmx',
  errors: { Broken: { status: 422, side: 'client', meaning: 'It is broken.' } },
  handlers: {
    GetForecast: ({ city, days }, { headers, reply }) => {
      reply.headers.Trace = { id: headers.AuthHeader?.user ?? 'nobody' };
      return Array.from({ length: days }, (_, at) => ({
        day: new Date(Date.UTC(2024, 1, at + 1)),
        condition: 'Rain' as const,
        low: at === 0 ? null : at,
        hours: [1, 2],
        temperature: { value: '12.50', unit: 'C' },
        station: `${city}&`,
      }));
    },
    Echo: ({ value }) => value,
    EchoTree: ({ tree }) => tree,
    Forget: async () => {},
    Notify: ({ city }) => {
      told.city = city ?? '';
    },
    TryParse: ({ text, value }) => ({
      value: true,
      out: { value: value + Number(text), rest: '' },
    }),
    Sum: ({ numbers }) => BigInt((numbers ?? []).reduce((sum, each) => sum + each, 0)),
    Data: ({ data }) => data,
    Fail: ({ what }) => {
      if (what === 'detail')
        throw new ServiceError('Broken', 'It broke.', { detail: { part: 'wheel' } });
      return what as unknown as number;
    },
  },
});
