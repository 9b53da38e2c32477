import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import type { OperationHandlers } from '../../src/contract/service.ts';
import { type EchoOptions, startEcho } from '../kit/echo.ts';

const broken = (): never => {
  throw new Error('broken');
};

/** Calls an operation with a file, and reports the warnings that the endpoint gave meanwhile. */
async function callWith(test: TestContext, options: EchoOptions) {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.message);
  process.on('warning', onWarning);
  test.after(() => process.off('warning', onWarning));
  const echo = await startEcho(test, options);
  const answer = await exchange(`${echo.url}/WS01.asmx/InsertArticleImageFile?FileImg=AAAA`);
  // Warnings are emitted on the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  return { ...answer, warnings };
}

describe('an endpoint whose parts break their promises answers all the same', () => {
  for (const [what, options] of [
    ['onAnswered throws', { onAnswered: broken }],
    [
      'a sink’s release throws',
      {
        createBinarySink: () => ({
          write: () => {},
          finish: () => new Uint8Array(0),
          release: broken,
        }),
      },
    ],
    [
      'a sink’s release rejects',
      {
        createBinarySink: () => ({
          write: () => {},
          finish: () => new Uint8Array(0),
          release: () => Promise.reject(new Error('broken')),
        }),
      },
    ],
  ] satisfies [string, EchoOptions][]) {
    it(`${what}: the result, and a warning`, async (test) => {
      const { status, warnings } = await callWith(test, options);
      assert.equal(status, 200);
      assert.deepEqual(warnings, ['broken']);
    });
  }

  for (const [what, options] of [
    ['clientAddress throws', { clientAddress: broken }],
    ['authorize throws', { authorize: broken }],
    ['authorize rejects with nothing', { authorize: () => Promise.reject(undefined) }],
    ['translateError throws too', { authorize: broken, translateError: broken }],
    [
      'a handler throws a string',
      { handlers: { InsertArticleImageFile: () => Promise.reject('secret') } },
    ],
    ['a handler throws null', { handlers: { InsertArticleImageFile: () => Promise.reject(null) } }],
    ['no sink can be made', { createBinarySink: broken }],
    [
      'a sink throws',
      {
        createBinarySink: () => ({
          write: broken,
          finish: () => new Uint8Array(0),
          release: () => {},
        }),
      },
    ],
    [
      'a sink cannot finish',
      { createBinarySink: () => ({ write: () => {}, finish: broken, release: () => {} }) },
    ],
  ] as [string, EchoOptions & { handlers?: unknown }][]) {
    it(`${what}: Internal`, async (test) => {
      const { status, headers, body } = await callWith(test, options as EchoOptions);
      assert.equal(status, 500);
      assert.equal(headers['x-error-code'], 'Internal');
      assert.doesNotMatch(body, /broken|secret/);
    });
  }

  it('a code that no header can hold ends the connection, and nothing else', async (test) => {
    const handlers = {
      InsertArticleImageFile: () => ({ result: false, code: 'a\r\nb' }),
    } as unknown as OperationHandlers<unknown>;
    const echo = await startEcho(test, { handlers });
    await assert.rejects(exchange(`${echo.url}/WS01.asmx/InsertArticleImageFile`), {
      code: 'ECONNRESET',
    });
    assert.equal((await exchange(`${echo.url}/WS01.asmx?WSDL`)).status, 200);
  });

  it('sinks are released when a handler fails', async (test) => {
    const { sinks, createBinarySink } = countingSinks();
    await callWith(test, { createBinarySink, authorize: broken });
    assert.deepEqual(
      sinks.map(({ finished, released }) => [finished, released]),
      [[1, 1]],
    );
  });
});
