import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint, DateTime } from '../../../asmx/src/index.ts';
import { Random, runs } from '../../../asmx/test/kit/random.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { GeneratedContract } from '../../../asmx/test/values/kit-contracts.ts';
import { createSoapClient } from '../../src/soap/index.ts';

/** Made from the seeds that follow each other. */
const CONTRACTS = runs(100);
const CALLS = 6;

/** A value without what is absent, and dates by their texts. */
function comparable(value: unknown): unknown {
  if (value instanceof Date)
    return {
      date: value instanceof DateTime ? value.text : value.toISOString().replace('.000Z', 'Z'),
    };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(given.sort().map(([name, member]) => [name, comparable(member)]));
}

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
  for (let seed = first; seed < first + CONTRACTS; seed++) {
    const random = new Random(seed);
    const contract = new GeneratedContract(random);
    const [operation] = contract.service.operations;
    const { parameters, style, headers } = operation!;
    let got: unknown;
    let gotHeaders: unknown;
    const endpoint = createEndpoint(contract.service as never, {
      path: '/g.asmx',
      strict: true,
      handlers: {
        Echo: (
          input: Record<string, unknown>,
          call: { headers: object; reply: { headers: object } },
        ) => {
          got = comparable(input);
          gotHeaders = comparable(call.headers);
          Object.assign(call.reply.headers, call.headers);
          const [value, ...out] = parameters.map(({ name }) => input[name]);
          const rest = parameters.slice(1).map(({ name }, at) => [name, out[at]]);
          return rest.length === 0 ? value : { value, out: Object.fromEntries(rest) };
        },
      } as never,
    });
    const url = `${await serve(t, endpoint)}/g.asmx`;
    const clients = (['1.1', '1.2'] as const).flatMap((soap) =>
      [true, false].map((mtom) => createSoapClient<never>(contract.service, { url, soap, mtom })),
    );
    for (let call = 0; call < CALLS; call++) {
      const where = `TEST_SEED=${seed}, call ${call}`;
      const [only] = parameters;
      const value =
        style === 'bare'
          ? { [only!.name]: contract.element({ ...only!, name: 'Echo' }, 'urn:gen').value }
          : contract.members(parameters, 'urn:gen').value;
      const soapHeaders = contract.members(headers?.in ?? [], 'urn:gen').value;
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
      assert.deepEqual(got, sent, where);
      assert.deepEqual(gotHeaders ?? {}, comparable(soapHeaders), where);
      assert.deepEqual(answer.ignored, [], where);
      assert.deepEqual(comparable(answer.soapHeaders), comparable(soapHeaders), where);
      const { [only!.name]: result, ...out } = sent;
      const expected = parameters.length === 1 ? result : comparable({ value: result, out });
      assert.deepEqual(comparable(answer.result), expected, where);
    }
  }
});
