import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { NamedType } from '../../src/contract/types.ts';
import { createEndpoint, type Facets } from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { mtomRequest, serve, soap } from './kit.ts';

const NS = 'urn:facets';

/** Asks a service that answers what it was given: a value of a type, in an element and in an attribute. */
async function askerOf(test: TestContext, type: NamedType) {
  const contract = {
    name: 'Facets',
    namespace: NS,
    dateTimes: 'date',
    mtom: true,
    types: {
      Given: type,
      Holder: {
        kind: 'object',
        name: 'Holder',
        attributes: [{ name: 'value', type: { ref: 'Given' } }],
      },
    },
    operations: [
      {
        name: 'Echo',
        parameters: [
          { name: 'value', type: { ref: 'Given' }, min: 0 },
          { name: 'holder', type: { ref: 'Holder' }, min: 0 },
        ],
        result: { ref: 'Given' },
      },
    ],
  } as const;
  const endpoint = createEndpoint(contract as never, {
    path: '/Facets.asmx',
    handlers: {
      Echo: (input: { value?: unknown; holder?: { value?: unknown } }) =>
        input.value ?? input.holder?.value,
    } as never,
  });
  const url = `${await serve(test, endpoint)}/Facets.asmx`;
  const answered = (body: string) => /<EchoResult[^>]*>([^<]*)</.exec(body)?.[1];
  return {
    url,
    /** The text that comes back; `undefined` for a text that was refused, in an element or in an attribute. */
    async echo(text: string) {
      const inElement = await soap(url, `<Echo xmlns="${NS}"><value>${text}</value></Echo>`);
      const inAttribute = await soap(url, `<Echo xmlns="${NS}"><holder value="${text}"/></Echo>`);
      assert.equal(inAttribute.status, inElement.status, inAttribute.text);
      assert.ok(!/code>Internal</.test(inElement.text), `${text}: ${inElement.text}`);
      return answered(inElement.body);
    },
    async json(value: unknown) {
      const answer = await fetch(`${url}/Echo`, jsonRequest({ value }));
      const { d } = (await answer.json()) as { d?: unknown };
      return answer.status === 200 ? d : undefined;
    },
  };
}

const simple = (base: string, facets: Facets) =>
  ({ kind: 'simple', name: 'Given', base, facets }) as NamedType;

describe('what a facet is about', () => {
  it('bounds of dates, times, durations and numbers, in every zone', async (test) => {
    for (const [base, facets, yes, no] of [
      [
        'date',
        { minInclusive: '2000-01-02', maxInclusive: '2010-01-01' },
        ['2000-01-02', '2000-01-02Z', '2000-01-03+08:00', '2010-01-01'],
        ['2000-01-01', '1999-01-01+08:00', '2011-01-01Z', '-2005-01-01', '12005-01-01'],
      ],
      [
        'time',
        { minInclusive: '08:00:00', maxExclusive: '18:00:00' },
        ['08:00:00', '17:59:59.9999999', '19:00:00+02:00'],
        ['07:59:59', '18:00:00', '08:00:00+02:00'],
      ],
      [
        'dateTime',
        { minExclusive: '2000-01-01T00:00:00' },
        ['2000-01-01T00:00:00.001', '2000-01-01T00:00:01Z', '1999-12-31T23:00:00-02:00'],
        ['2000-01-01T00:00:00', '2000-01-01T00:00:00Z', '2000-01-01T01:00:00+02:00'],
      ],
      ['gYear', { minInclusive: '2000' }, ['2000', '2001Z'], ['1999', '1999Z', '-2001']],
      ['gYearMonth', { maxInclusive: '2000-05' }, ['2000-05', '1999-12Z'], ['2000-06', '2001-01']],
      ['gMonth', { maxInclusive: '--05' }, ['--05', '--04'], ['--06']],
      ['gMonthDay', { maxInclusive: '--05-02' }, ['--05-02', '--02-29'], ['--05-03']],
      ['gDay', { maxInclusive: '---05' }, ['---05'], ['---06']],
      [
        'duration',
        { minExclusive: '-P1D', maxInclusive: 'P1M' },
        ['PT24H', 'P1M', 'P27D', '-PT23H59M59.5S'],
        ['P1M1D', 'P32D', 'P1Y', '-P1D', '-P1M', 'P30D'],
      ],
      ['double', { maxInclusive: '10' }, ['10', '1E1', '-INF'], ['INF', 'NaN', '10.5']],
      ['double', { minInclusive: '-INF', maxExclusive: 'INF' }, ['-INF', '1E300'], ['INF', 'NaN']],
      ['integer', { maxInclusive: '9007199254740993' }, ['9007199254740993'], ['9007199254740994']],
    ] as const) {
      const { echo } = await askerOf(test, simple(base, facets));
      const shown = JSON.stringify(facets);
      for (const text of yes) assert.notEqual(await echo(text), undefined, `${text} of ${shown}`);
      for (const text of no) assert.equal(await echo(text), undefined, `${text} of ${shown}`);
    }
  });

  it('dates in the other forms of JSON are bounded, too', async (test) => {
    const { json } = await askerOf(
      test,
      simple('dateTime', { minInclusive: '2000-01-01T00:00:00Z' }),
    );
    assert.notEqual(await json('/Date(946684800000)/'), undefined);
    assert.equal(await json('/Date(946684799999)/'), undefined);
  });

  it('handlers get a bounded date in the form of its element, within its bounds', async (test) => {
    const got: Record<string, unknown>[] = [];
    const parameters = (['date', 'instant', 'text'] as const).map((as) => ({
      ...{ name: as, type: { ref: 'Day' }, min: 0, as },
    }));
    const contract = {
      ...{ name: 'Days', namespace: NS },
      types: { Day: simple('dateTime', { minInclusive: '2000-01-01T00:00:00Z' }) },
      operations: [{ name: 'Take', parameters, result: 'string' }],
    };
    const take = (given: Record<string, unknown>) => void got.push(given);
    const endpoint = createEndpoint(contract as never, {
      path: '/Days.asmx',
      handlers: { Take: take } as never,
    });
    const url = `${await serve(test, endpoint)}/Days.asmx`;
    const answers: number[] = [];
    for (const text of ['2000-01-01T01:00:00+01:00', '1999-12-31T23:59:59Z']) {
      for (const { name } of parameters) {
        const body = `<Take xmlns="${NS}"><${name}>${text}</${name}></Take>`;
        answers.push((await soap(url, body)).status);
      }
    }
    assert.deepEqual(answers, [200, 200, 200, 500, 500, 500]);
    const at = Date.UTC(2000, 0, 1);
    const [day, ...others] = got.map((given, index) => given[parameters[index]!.name]);
    assert.ok(day instanceof Date);
    assert.deepEqual([day.getTime(), ...others], [at, at, '2000-01-01T01:00:00+01:00']);
  });

  it('a pattern is about the text as it was written, and an answer keeps to it', async (test) => {
    for (const [base, pattern, text, refused] of [
      ['int', '\\d{3}', '007', '7'],
      ['long', '-?\\d{12}', '-000000000007', '7'],
      ['boolean', '0|1', '1', 'true'],
      ['decimal', '\\d{1,3}\\.\\d{2}', '1.50', '1.5'],
    ] as const) {
      const { echo } = await askerOf(test, simple(base, { patterns: [pattern] }));
      assert.equal(await echo(text), text);
      assert.equal(await echo(refused), undefined);
    }
    const { echo } = await askerOf(test, simple('decimal', { patterns: ['0*\\d{1,2}'] }));
    assert.equal(await echo('007'), '7');
    const guid = '6F9619FF-8B86-D011-B42D-00CF4FC964FF';
    const upper = await askerOf(test, simple('guid', { patterns: ['[0-9A-F-]{36}'] }));
    assert.equal(await upper.echo(guid), guid);
    assert.equal(await upper.echo(guid.toLowerCase()), undefined);
  });

  it('names are not bounded: their prefixes are as their writers like, our client among them', async (test) => {
    const { url } = await askerOf(test, simple('QName', { patterns: ['t:[a-z]+'], maxLength: 3 }));
    const ask = (text: string) =>
      soap(url, `<Echo xmlns="${NS}"><value xmlns:t="urn:a-long-one">${text}</value></Echo>`);
    assert.match((await ask('t:abcdef')).body, />\w+:abcdef</);
    assert.match((await ask('t:ABC')).body, />\w+:ABC</);
    assert.match((await ask('u:abc')).text, /InvalidParameter/);
  });
});

describe('bytes are bounded however they come', () => {
  for (const [base, yes, no] of [
    ['base64Binary', 'AAAA', 'AAAAAA=='],
    ['hexBinary', '000000', '00000000'],
  ] as const) {
    it(base, async (test) => {
      const { echo, json, url } = await askerOf(test, simple(base, { maxLength: 3 }));
      assert.equal(await echo(yes), yes);
      assert.equal(await echo(no), undefined);
      assert.notEqual(await json(yes), undefined);
      assert.equal(await json(no), undefined);
      assert.notEqual(await json([0, 0, 0]), undefined);
      assert.equal(await json([0, 0, 0, 0]), undefined);
      if (base === 'hexBinary') return;
      const include =
        '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:b"/>';
      for (const [bytes, status] of [
        ['abc', 200],
        ['abcd', 500],
      ] as const) {
        const echo = `<Echo xmlns="${NS}"><value>${include}</value></Echo>`;
        const answer = await fetch(url, mtomRequest(echo, { parts: { b: bytes } }));
        const text = await answer.text();
        assert.equal(answer.status, status, text);
        assert.equal(/longer than 3/.test(text), status === 500);
      }
    });
  }
});

describe('values of enumerations', () => {
  it('may have blanks, and other texts of the same number', async (test) => {
    for (const [base, values, texts] of [
      ['string', [' ', 'N ', 'Y'], { ' ': ' ', 'N ': 'N ', N: 'N ', ' Y ': 'Y', n: undefined }],
      ['token', ['A B'], { 'A B': 'A B', 'A  B': 'A B', AB: undefined }],
      ['int', ['1', '02'], { '+1': '1', 2: '02', '02': '02', 3: undefined, x: undefined }],
      ['decimal', ['1.50', '-0.5'], { '1.5': '1.50', '-.50': '-0.5', '0.5': undefined }],
      ['double', ['1E1', 'NaN'], { 10: '1E1', NaN: 'NaN', x: undefined }],
      ['boolean', ['true'], { 1: 'true', true: 'true', 0: undefined }],
    ] as const) {
      const { echo } = await askerOf(test, { kind: 'enumeration', name: 'Given', base, values });
      for (const [text, value] of Object.entries(texts))
        assert.equal(await echo(text), value, `${base} "${text}"`);
    }
  });
});

describe('items of lists', () => {
  it('have no blanks: they would be read as two, or as none', async (test) => {
    const list = { kind: 'list', name: 'Given', item: 'string' } as const;
    const { json } = await askerOf(test, list);
    assert.deepEqual(await json(['a', 'b']), ['a', 'b']);
    for (const wrong of [['a b'], ['a', ''], [null, 'a'], ['a\tb']])
      assert.equal(await json(wrong), undefined, JSON.stringify(wrong));
  });
});

describe('a char in JSON', () => {
  it('is one code unit, as .NET converts it', async (test) => {
    const { json } = await askerOf(test, { kind: 'simple', name: 'Given', base: 'char' });
    assert.equal(await json('a'), 'a');
    assert.equal(await json(''), '\0');
    assert.equal(await json('ab'), undefined);
  });
});
