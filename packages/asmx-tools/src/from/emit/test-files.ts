import { quote } from '@ws01/asmx/internal/describe/source-text';
import { SampleTooLarge, SampleWriter, sampleBody } from '../sample/sample-xml.ts';
import { keyOf } from './literal.ts';
import { constantOf, placesOf, type ServiceParts } from './project-parts.ts';

export function contractTest(parts: ServiceParts): string {
  const name = constantOf(parts);
  const { sources, contract } = placesOf(parts);
  return `import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compare, lineOf, servedContract } from '@ws01/asmx-tools';
import { NAMESPACE, PATHS, ${name} } from '${sources}contract.ts';

test('no old client would notice a difference in the WSDL', async () => {
  const old = JSON.parse(await readFile(new URL('${contract}', import.meta.url), 'utf8'));
  const address = { namespace: NAMESPACE, baseUrl: 'http://127.0.0.1', path: PATHS[0] };
  const ours = await servedContract(${name}, address);
  assert.deepEqual(compare(old, ours.service).differences.map(lineOf), []);
});
`;
}

/** How the tests call: by the first of these that the old service offered. */
function testedBinding({ old }: ServiceParts): 'soap11' | 'soap12' | 'get' | 'post' {
  const kinds = new Set(old.ports.map(({ kind }) => kind));
  return (['soap11', 'soap12', 'get', 'post'] as const).find((kind) => kinds.has(kind)) ?? 'soap11';
}

const ENVELOPES = {
  soap11: {
    uri: 'http://schemas.xmlsoap.org/soap/envelope/',
    headers: "{ 'content-type': 'text/xml; charset=utf-8', soapaction: quoted(action) }",
  },
  soap12: {
    uri: 'http://www.w3.org/2003/05/soap-envelope',
    headers: "{ 'content-type': 'application/soap+xml; charset=utf-8; action=' + quoted(action) }",
  },
} as const;

export function testKit(parts: ServiceParts): string {
  const binding = testedBinding(parts);
  const { sources } = placesOf(parts);
  return `import { bytesBody } from '@ws01/asmx';
import { PATHS } from '${sources}contract.ts';
import { createEndpoints } from '${sources}service.ts';

const endpoint = createEndpoints(() => 'http://127.0.0.1')[0]!;

${binding === 'soap11' || binding === 'soap12' ? soapCall(binding) : formCall(binding)}
async function ask(method: string, target: string, headers: Record<string, string>, body: string) {
  const request = { method, target, headers, body: bytesBody(Buffer.from(body)), remoteAddress: '127.0.0.1' };
  const answer = await endpoint.request(request)!;
  return {
    errorCode: answer.headers['X-Error-Code'] ?? '',
    /** What of the request nothing in the contract takes. */
    warning: answer.headers['X-Warning'],
    body: String(answer.body),
  };
}

/** Errors with which a request is refused before its handler runs, or a handler fails. */
export const REFUSALS: ReadonlySet<string> = new Set([
  ...['UnknownOperation', 'MethodNotAllowed', 'MalformedRequest', 'UnsupportedMediaType', 'VersionMismatch'],
  ...['MustUnderstand', 'MissingParameter', 'InvalidParameter', 'TooLarge', 'Unauthorized', 'Internal'],
]);
`;
}

function soapCall(binding: 'soap11' | 'soap12'): string {
  const { uri, headers } = ENVELOPES[binding];
  return `/** Calls an operation as an old client does, without a socket. @param body what the envelope's Body holds. */
export function call(action: string, body: string) {
  const envelope =
    '<soap:Envelope xmlns:soap="${uri}"><soap:Body>' + body + '</soap:Body></soap:Envelope>';
  return ask('POST', PATHS[0], ${headers}, envelope);
}

const quoted = (text: string) => '"' + text + '"';

`;
}

function formCall(binding: 'get' | 'post'): string {
  const asked =
    binding === 'get'
      ? "ask('GET', PATHS[0] + '/' + operation + '?' + values, {}, '')"
      : "ask('POST', PATHS[0] + '/' + operation, { 'content-type': 'application/x-www-form-urlencoded' }, values)";
  return `/** Calls an operation as an old client does, without a socket. @param values \`name=value\` pairs, percent-encoded. */
export function call(operation: string, values: string) {
  return ${asked};
}
`;
}

export function operationsTest(parts: ServiceParts): string {
  const { old } = parts;
  const binding = testedBinding(parts);
  const soap = binding === 'soap11' || binding === 'soap12';
  const writer = new SampleWriter(old);
  const tests = old.operations.map((operation) => {
    const { name, action, parameters } = operation;
    const values = () =>
      new URLSearchParams(
        parameters.map((element) => [element.name, writer.text(element.type)]),
      ).toString();
    const sample = sampled(() => (soap ? sampleBody(old, operation) : values()));
    if (sample instanceof SampleTooLarge)
      return `test(${quote(name)}, { skip: ${quote(`Write a message of it here. ${sample.message}`)} }, () => {});\n`;
    const [first, second] = [soap ? action : name, sample];
    const asked = `await call(\n    ${quote(first)},\n    ${quote(second)},\n  )`;
    return `test(${quote(name)}, async () => {
  const { errorCode, warning, body } = ${asked};
  // Once ${placesOf(parts).src}handlers.ts has it: what it must answer.
  assert.ok(!REFUSALS.has(errorCode), body);
  assert.equal(warning, undefined);
});
`;
  });
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, REFUSALS } from './kit.ts';

${tests.join('\n')}`;
}

/** A message that cannot be written as a sample leaves out its test, and no more. */
function sampled(write: () => string): string | SampleTooLarge {
  try {
    return write();
  } catch (error) {
    if (error instanceof SampleTooLarge) return error;
    throw error;
  }
}

/** The client against a server on a port of its own. */
export function clientTest(parts: ServiceParts): string {
  const { service } = parts;
  const { sources, src } = placesOf(parts);
  const name = constantOf(parts);
  const [first] = service.operations;
  const call = `client${memberOf(first?.name ?? '')}(${first?.parameters.length === 0 ? '' : '{} as never'})`;
  return `import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { nodeListener } from '@ws01/asmx';
import { CallError, create${name}Client } from '${sources}client.ts';
import { createEndpoints, PATHS } from '${sources}service.ts';
import { REFUSALS } from './kit.ts';

test('the client calls by JSON', async (t) => {
  const serve = nodeListener(createEndpoints(() => 'http://127.0.0.1', ['json'])[0]!);
  const server = createServer((request, response) => serve(request, response) || response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\${PATHS[0]}\`;
  const client = create${name}Client({ url });
  // Once ${src}handlers.ts has it: what it must return.
  await ${call}.catch((error) => {
    assert.ok(error instanceof CallError && !REFUSALS.has(error.code), error);
  });
});
`;
}

function memberOf(name: string): string {
  return keyOf(name) === name ? `.${name}` : `[${quote(name)}]`;
}
