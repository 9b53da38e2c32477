import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime } from '../../../asmx/src/index.ts';
import { Random, runs } from '../../../asmx/test/kit/random.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { generatedService, NAMESPACE } from '../../../asmx/test/values/kit-contracts.ts';
import { comparable, echoOf } from '../../../asmx/test/values/kit-echo.ts';
import { ForeignWriter } from '../../../asmx/test/values/kit-values.ts';
import { createSoapClient } from '../../src/soap/index.ts';

/** Made from the seeds that follow each other. */
const CONTRACTS = runs(100);
/** Found something: a header of more parts than the 1,000 of a request. */
const FOUND = [901_244];
const CALLS = 6;

/** A value of the kit, which has dates and bytes by their texts. */
function given(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const { date, bytes } = value as { readonly date?: string; readonly bytes?: string };
  if (Object.keys(value).length === 1 && typeof date === 'string') return new DateTime(date);
  if (Object.keys(value).length === 1 && typeof bytes === 'string')
    return new Uint8Array(Buffer.from(bytes, 'hex'));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, given(member)]));
}

test('every contract: what the client sends is what the handler gets, and comes back', async (t) => {
  const first = Number(process.env.TEST_SEED ?? 1);
  for (const seed of [...FOUND, ...Array.from({ length: CONTRACTS }, (_, at) => first + at)]) {
    const random = new Random(seed);
    const contract = generatedService(random);
    const { parameters, headers, use } = contract.operations[0]!;
    const echoed = echoOf(contract);
    const url = `${await serve(t, echoed.endpoint)}/g.asmx`;
    const clients = (['1.1', '1.2'] as const).flatMap((soap) =>
      [true, false].map((mtom) => createSoapClient<never>(contract, { url, soap, mtom })),
    );
    for (let call = 0; call < CALLS; call++) {
      const where = `TEST_SEED=${seed}, call ${call}`;
      const writer = new ForeignWriter(random, contract, use === 'encoded');
      const { value } = writer.members(parameters, NAMESPACE);
      const soapHeaders = writer.members(headers?.in ?? [], NAMESPACE).value;
      const client = random.of(clients) as unknown as {
        $call(
          name: string,
          input: unknown,
          options: object,
        ): Promise<{ result: unknown; soapHeaders: object; ignored: readonly string[] }>;
      };
      const answer = await client
        .$call('Echo', given(value), { soapHeaders: given(soapHeaders) as object })
        .catch((error) => {
          throw new Error(where, { cause: error });
        });
      const sent = comparable(value) as Record<string, unknown>;
      assert.deepEqual(echoed.got, sent, where);
      assert.deepEqual(echoed.headers ?? {}, comparable(soapHeaders), where);
      assert.deepEqual(answer.ignored, [], where);
      assert.deepEqual(comparable(answer.soapHeaders), comparable(soapHeaders), where);
      const { [parameters[0]!.name]: result, ...out } = sent;
      const expected = parameters.length === 1 ? result : comparable({ value: result, out });
      assert.deepEqual(comparable(answer.result), expected, where);
    }
  }
});
