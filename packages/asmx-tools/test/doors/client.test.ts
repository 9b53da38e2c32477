import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  array,
  createEndpoint,
  decimal,
  hexBinary,
  instant,
  int,
  nullable,
  object,
  operation,
  ServiceError,
  service,
  wallClock,
} from '../../../asmx/src/index.ts';
import { compile } from '../../../asmx/test/kit/compile.ts';
import { temporaryFolder } from '../../../asmx/test/kit/folder.ts';
import { installEngine, runNode, writeStrictProject } from '../../../asmx/test/kit/programs.ts';
import { SAMPLES, sampleEndpoint } from '../../../asmx/test/system/samples.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { endpoint, FORECAST, told, Weather } from '../../../asmx/test/values/sample.ts';
import { CallError, createClient } from '../../src/client/index.ts';
import { run } from '../../src/from/cli/main.ts';

/** All sample contracts on one server. @returns its URL. */
function serveSamples(test: TestContext): Promise<string> {
  return serve(test, ...Object.keys(SAMPLES).map((name) => sampleEndpoint(name)));
}

/** A program that asks each sample's client for its value, and gives it back. */
function useOfSamples(): string {
  const names = Object.keys(SAMPLES);
  const imports = names.map((name) => `import { create${name}Client } from './${name}.ts';\n`);
  const calls = names.map((name) => {
    const wrong =
      name === 'Thing'
        ? ''
        : `// @ts-expect-error a value of another type\n  void (() => client.Take({ value: Symbol() }));\n  `;
    return `{
  const client = create${name}Client();
  const value = await client.Give();
  ${wrong}console.log('${name}', await client.Take({ value: value! }));
}
`;
  });
  return `${imports.join('')}\n${calls.join('')}`;
}

describe('the typed client', () => {
  it('takes and returns what the handlers do', async (test) => {
    const client = createClient(Weather, { url: `${await serve(test, endpoint)}/Weather.asmx/` });
    const forecasts = await client.GetForecast({ city: 'Rome', days: 2 });
    assert.deepEqual(forecasts?.[0], FORECAST);
    const value = {
      text: 'a < b\n',
      flag: true,
      big: 9007199254740993n,
      amount: '1234567890123456789.10',
      ratio: Number.NEGATIVE_INFINITY,
      at: new Date('2024-02-29T12:00:00Z'),
      id: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
      bytes: Uint8Array.of(1, 2, 255),
      days: ['Monday', 'Friday'] as const,
      numbers: [1, 2],
      maybe: [1, null],
      animals: [
        { $type: 'Animal' as const, name: 'a' },
        { $type: 'Dog' as const, name: 'b', barks: true },
      ],
      extra: '<x xmlns="urn:x" />',
      thing: 5,
    };
    assert.deepEqual(await client.Echo({ value }), value);
    const tree = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] };
    assert.deepEqual(await client.EchoTree({ tree }), tree);
    assert.deepEqual(await client.TryParse({ text: '1', value: 2 }), {
      value: true,
      out: { value: 3, rest: '' },
    });
    assert.equal(await client.Sum({ numbers: [2 ** 31 - 1, 1] }), 2147483648n);
    assert.equal(await client.Forget({ city: 'Rome' }), undefined);
    assert.equal(await client.Notify({ city: 'Oslo' }), undefined);
    assert.equal(told.city, 'Oslo');
    const data = { tables: { Books: [{ Title: 'A', Pages: 3 }] } };
    assert.deepEqual(await client.Data({ data }), data);
    // @ts-expect-error a misspelt parameter does not compile
    await client.Forget({ town: 'Rome' });
    // @ts-expect-error nor does a wrong type
    await assert.rejects(client.GetForecast({ days: 'many' }));
  });

  it('every form of a date, bytes and numbers, inside objects and lists', async (test) => {
    const Record = object('Record', {
      at: instant,
      wall: wallClock,
      hex: hexBinary,
      price: decimal,
      count: nullable(int),
    });
    const contract = service('Records', {
      namespace: 'urn:records',
      operations: { Echo: operation({ input: { records: array(Record) }, result: array(Record) }) },
    });
    const records = createEndpoint(contract, {
      path: '/Records.asmx',
      handlers: { Echo: ({ records }) => records },
    });
    const client = createClient(contract, { url: `${await serve(test, records)}/Records.asmx` });
    const given = [
      {
        at: 1_709_208_000_000,
        wall: '2024-02-29T12:00:00',
        hex: Uint8Array.of(1, 171),
        price: '0.10',
        count: null,
      },
      { at: -1, wall: '2024-02-29T12:00:00', hex: new Uint8Array(), price: '-5', count: 0 },
    ];
    assert.deepEqual(await client.Echo({ records: given }), given);
  });

  it('an error has code, status, parameter and request id; what is no answer of a service says so', async (test) => {
    const contract = service('Failing', {
      namespace: 'urn:failing',
      operations: { Fail: operation({ input: { number: int } }) },
    });
    const failing = createEndpoint(contract, {
      path: '/Failing.asmx',
      handlers: {
        Fail: () => {
          throw new ServiceError('Busy', 'Come back later.', { retryAfter: 7 });
        },
      },
    });
    const url = await serve(test, failing);
    const client = createClient(contract, { url: `${url}/Failing.asmx` });
    const errorOf = (call: Promise<unknown>) =>
      call.then(
        () => assert.fail('It went well.'),
        (error: CallError) => error,
      );
    const busy = await errorOf(client.Fail({ number: 1 }));
    assert.ok(busy instanceof CallError);
    assert.deepEqual(
      [busy.code, busy.status, busy.message, busy.retryAfter],
      ['Busy', 503, 'Come back later.', 7],
    );
    assert.match(busy.requestId ?? '', /^[0-9a-f-]{36}$/);
    const wrong = await errorOf(client.Fail({ number: 1e9 * 10 }));
    assert.deepEqual([wrong.code, wrong.parameter], ['InvalidParameter', 'number']);
    const elsewhere = createClient(contract, { url: `${url}/Other.asmx` });
    assert.deepEqual((await errorOf(elsewhere.Fail({ number: 1 }))).code, 'HttpError');
    assert.throws(() => createClient(contract, { url: 'nowhere' }), TypeError);
  });

  it('asmx client writes it in one file, which compiles under strict and calls, for every construct', async (test) => {
    const folder = await temporaryFolder(test, 'asmx-client-');
    const url = `${await serve(test, endpoint)}/Weather.asmx`;
    const lines: string[] = [];
    const terminal = {
      print: (text: string) => lines.push(text),
      remark: (line: string) => lines.push(line),
      environment: {},
      stop: new AbortController().signal,
    };
    const file = join(folder, 'weather.ts');
    const asked = ['client', `${url}?WSDL`, file, '--over', 'json'];
    assert.equal(await run(asked, terminal), 0, lines.join(''));
    assert.equal(await run(asked, terminal), 1, 'nothing is written over');
    await installEngine(folder);
    await writeStrictProject(folder);
    await writeFile(
      join(folder, 'use.ts'),
      `import { createWeatherClient } from './weather.ts';
const client = createWeatherClient();
const forecasts = await client.GetForecast({ city: 'Rome', days: 1 });
const days: Date[] = (forecasts ?? []).flatMap((each) => each?.day ?? []);
// @ts-expect-error days is a number
client.GetForecast({ days: '1' }).catch(() => {});
console.log(days[0]?.toISOString());
`,
    );
    // Every construct of the language: what it gives, it takes back, as the compiler and the server see it.
    const samples = await serveSamples(test);
    for (const name of Object.keys(SAMPLES)) {
      const command = ['client', `${samples}/${name}.asmx?WSDL`, join(folder, `${name}.ts`)];
      assert.equal(await run(command, terminal), 0, lines.join(''));
    }
    await writeFile(join(folder, 'constructs.ts'), useOfSamples());
    assert.equal((await compile(folder)).stdout, '');
    const node = (file: string) => runNode(folder, '--conditions=ws01-source', file);
    assert.equal((await node('use.ts')).stdout.trim(), '2024-02-01T00:00:00.000Z');
    const round = await node('constructs.ts');
    const told = round.stdout.trim().split('\n');
    assert.deepEqual(
      told,
      Object.keys(SAMPLES).map((name) => `${name} same`),
    );
  });

  it('sends the headers that it is given, and ends with its signal', async (test) => {
    const contract = service('Who', {
      namespace: 'urn:who',
      operations: { Am: operation({ result: int }) },
    });
    const seen: (string | undefined)[] = [];
    const who = createEndpoint(contract, {
      path: '/Who.asmx',
      authorize: ({ http }) => void seen.push(http.bearer, http.header('x-trace')),
      handlers: { Am: () => 1 },
    });
    const client = createClient(contract, {
      url: `${await serve(test, who)}/Who.asmx`,
      headers: () => ({ Authorization: 'Bearer abc' }),
    });
    assert.equal(await client.Am({}, { headers: { 'X-Trace': 't' } }), 1);
    assert.deepEqual(seen, ['abc', 't']);
    await assert.rejects(client.Am({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });
});
