import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createEndpoint,
  decimal,
  double,
  type Facets,
  int,
  operation,
  restricted,
  type ScalarType,
  service,
  string,
} from '../../src/index.ts';
import { FACET_CHECKS } from '../../src/values/facets.ts';
import { assertProportional } from '../kit/growth.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:facets';

/** A service that answers what it was given, of a restricted type. */
const echo = (of: typeof string | typeof decimal | typeof int | typeof double, facets: Facets) => {
  const Given = restricted('Given', of as typeof string, facets);
  const contract = service('Facets', {
    namespace: NS,
    operations: { Echo: operation({ input: { value: Given }, result: string }) },
  });
  return createEndpoint(contract, {
    path: '/Facets.asmx',
    handlers: { Echo: ({ value }) => String(value) },
  });
};

describe('each facet allows and refuses', () => {
  for (const [base, facets, yes, no] of [
    [string, { length: 2 }, ['ab', '字\u{20000}'], ['a', 'abc']],
    [string, { minLength: 1 }, ['a'], ['']],
    [string, { maxLength: 2 }, ['', 'ab'], ['abc']],
    [string, { patterns: ['[a-c]+', '\\d{2}'] }, ['abc', '12'], ['abd', '1']],
    [
      string,
      { patterns: ['([A-Za-z0-9_\\-]+\\.?)+@([A-Za-z0-9\\-]+\\.?)+'] },
      ['a.b@c.d'],
      ['a..b@c', 'a'],
    ],
    [string, { patterns: ['(a+)+b', '\\p{IsGreek}+'] }, ['aab', 'αβ'], ['aa', 'β1']],
    [int, { minInclusive: '-5', maxExclusive: '10' }, ['-5', '9', '-0', '+9'], ['-6', '10', '010']],
    [
      decimal,
      { minExclusive: '0.10', maxInclusive: '99999999999999999999.5' },
      ['0.11', '99999999999999999999.50'],
      ['0.1', '-1', '99999999999999999999.51'],
    ],
    [
      double,
      { minInclusive: '-1e3', maxInclusive: '1E3' },
      ['-1000', '1e3', '0.5'],
      ['-1000.5', '1e4'],
    ],
    [decimal, { totalDigits: 3 }, ['123', '0012.30', '-1.23', '.123'], ['1234', '1.234']],
    [decimal, { fractionDigits: 2 }, ['1', '1.25', '1.2500'], ['1.255']],
  ] as const) {
    it(JSON.stringify(facets), async (test) => {
      const url = `${await serve(test, echo(base as typeof string, facets as Facets))}/Facets.asmx`;
      const status = async (text: string) =>
        (await soap(url, `<Echo xmlns="${NS}"><value>${text}</value></Echo>`)).status;
      for (const text of yes) assert.equal(await status(text), 200, text);
      for (const text of no) assert.equal(await status(text), 500, text);
    });
  }
});

/** What each facet is asked, and texts that made it slow once or could; of the length given. */
const HARD: {
  readonly [Facet in keyof typeof FACET_CHECKS]: readonly (readonly [
    unknown,
    (size: number) => string,
    ScalarType?,
  ])[];
} = {
  length: [[3, (size) => 'a'.repeat(size)]],
  minLength: [[1, (size) => `${'0'.repeat(size)}x`]],
  maxLength: [[10, (size) => `1.${'0'.repeat(size)}x`]],
  patterns: [
    [['([A-Za-z0-9_\\-]+\\.?)+@([A-Za-z0-9\\-]+\\.?)+'], (size) => `${'a'.repeat(size)}!`],
    [['\\s*\\w*\\s*\\w*\\s*\\w*\\s*'], (size) => `${'a'.repeat(size)}!`],
    [['(a|aa)+', '(a+b?)+'], (size) => `${'a'.repeat(size)}!`],
  ],
  enumeration: [[['a', 'b c'], (size) => `${' '.repeat(size)}b`]],
  minInclusive: [
    ['1', (size) => '9'.repeat(size), 'integer'],
    ['1', (size) => `${'0'.repeat(size)}x`, 'decimal'],
    ['1', (size) => `1e-${'0'.repeat(size)}`, 'double'],
  ],
  maxInclusive: [[`1${'0'.repeat(50)}`, (size) => `-${'9'.repeat(size)}`, 'decimal']],
  minExclusive: [
    ['0.5', (size) => `1.${'0'.repeat(size)}1`, 'decimal'],
    ['P1D', (size) => `P${'9'.repeat(size)}`, 'duration'],
  ],
  maxExclusive: [
    ['2000-01-01', (size) => `2000-01-01${' '.repeat(size)}`, 'date'],
    ['2000-01-01', (size) => `${'9'.repeat(size)}-`, 'date'],
  ],
  totalDigits: [
    [5, (size) => `${'0'.repeat(size)}x`],
    [5, (size) => `1.${'0'.repeat(size)}1x`],
  ],
  fractionDigits: [
    [2, (size) => `0.${'0'.repeat(size)}1${'0'.repeat(size)}x`],
    [2, (size) => '0'.repeat(size)],
  ],
};

describe('growth: each facet takes time in proportion to the text', () => {
  for (const [facet, rows] of Object.entries(HARD)) {
    for (const [index, [asked, textOf, type]] of rows.entries()) {
      it(`${facet}, ${index + 1}`, async () => {
        const check = FACET_CHECKS[facet as keyof typeof FACET_CHECKS](asked as never, type);
        // A quadratic check of a million characters takes minutes, one that doubles with each never ends.
        const work = (size: number) => check(textOf(size), textOf(size));
        await assertProportional(work, 1_000_000, `facet: ${facet}, ${index + 1}`);
      });
    }
  }
});

describe('a server whose contract has facets', () => {
  it('answers hostile texts as any other that is refused', async (test) => {
    const rows = [
      [string, { minLength: 1, totalDigits: 900_000 }, `${'0'.repeat(1_000_000)}x`, 200],
      [
        string,
        { patterns: ['([A-Za-z0-9_\\-]+\\.?)+@([A-Za-z0-9\\-]+\\.?)+'] },
        `${'a'.repeat(1_000_000)}!`,
        500,
      ],
      [string, { patterns: ['\\s*\\w*\\s*\\w*\\s*\\w*\\s*'] }, `${'a'.repeat(1_000_000)}!`, 500],
      [string, { patterns: ['((a|b)*c?)*d'] }, 'ab'.repeat(500_000), 500],
      [string, { patterns: ['(a|b)*a(a|b){1000}'] }, 'aabb'.repeat(250_000), 500],
      [string, { minInclusive: '5' }, '9'.repeat(1_000_000), 200],
      [decimal, { fractionDigits: 2 }, `1.${'0'.repeat(900)}1`, 500],
    ] as const;
    for (const [base, facets, text, status] of rows) {
      const url = `${await serve(test, echo(base as typeof string, facets as Facets))}/Facets.asmx`;
      const answer = await soap(url, `<Echo xmlns="${NS}"><value>${text}</value></Echo>`);
      assert.equal(
        answer.status,
        status,
        `${JSON.stringify(facets)}: ${answer.body.slice(0, 200)}`,
      );
    }
  });
});
