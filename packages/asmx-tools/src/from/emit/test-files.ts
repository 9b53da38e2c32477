import { memberOf } from './literal.ts';
import { constantOf, placesOf, type ServiceParts } from './project-parts.ts';

export function contractTest(parts: ServiceParts): string {
  const name = constantOf(parts);
  const { sources, contract } = placesOf(parts);
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, lineOf, oldCalls, oldContract, servedContract } from '@ws01/asmx-tools';
import { NAMESPACE, PATHS, ${name} } from '${sources}contract.ts';

const old = await oldContract(new URL('${contract}', import.meta.url));

test('no old client would notice a difference in the WSDL', async () => {
  const address = { namespace: NAMESPACE, baseUrl: 'http://127.0.0.1', path: PATHS[0] };
  const ours = await servedContract(${name}, address);
  assert.deepEqual(compare(old, ours.service).differences.map(lineOf), []);
});

// A client that has the old WSDL alone calls each operation: the handler is to get what it sent, and it is to read
// what the handler answered, a value of every type. These handlers are samples; yours are called by tests of your own.
for (const { name, skip, run } of oldCalls(old, ${name}, PATHS[0])) {
  test(name, { skip }, async () => {
    const { sent, received, answered, read } = await run();
    assert.deepEqual(received, sent);
    assert.deepEqual(read, answered);
  });
}
`;
}

/** The client against a server on a port of its own. */
export function clientTest(parts: ServiceParts): string {
  const { service } = parts;
  const { sources } = placesOf(parts);
  const name = constantOf(parts);
  const [first] = service.operations;
  const call = `client${memberOf(first?.name ?? '')}(${first?.parameters.length === 0 ? '' : '{} as never'})`;
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEndpoint, ServiceError } from '@ws01/asmx';
import { fetchHandler } from '@ws01/asmx/fetch';
import { CallError, create${name}Client } from '${sources}client.ts';
import { PATHS, ${name} } from '${sources}contract.ts';

test('the client calls by JSON', async () => {
  const refuse = () => {
    throw new ServiceError('NotImplemented', 'This is a sample.');
  };
  const handlers = Object.fromEntries(${name}.operations.map(({ name }) => [name, refuse]));
  const options = { path: PATHS[0], handlers: handlers as never, bindings: ['json'] } as const;
  const serve = fetchHandler(createEndpoint(${name}, options));
  const client = create${name}Client({
    url: 'http://127.0.0.1' + PATHS[0],
    fetch: async (input, init) => serve(new Request(input, init))!,
  });
  await assert.rejects(${call}, (error) => error instanceof CallError && OF_THE_CALL.has(error.code));
});

/** What the operation refuses, once the call has come to it. */
const OF_THE_CALL: ReadonlySet<string> = new Set(['NotImplemented', 'MissingParameter', 'InvalidParameter']);
`;
}
