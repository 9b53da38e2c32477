import { createEndpoint } from '../../../../asmx/src/engine/endpoint.ts';
import { engineService } from '../../../src/from/emit/engine-service.ts';
import type { Service } from '../../../src/from/normal-form.ts';
import { SampleTooLarge, sampleBody } from '../../../src/from/samples.ts';
import { xmlValues } from '../../../src/from/traffic/compare-answers.ts';
import { Echo, soapCall } from './round-trip.ts';

/** What is inside the Body of a message. */
type Body = readonly [operation: string, body: string];

/** What came of calling each operation of a service. */
export interface Calls {
  readonly count: number;
  readonly failures: readonly string[];
  /** Answers that no parser reads. */
  readonly malformed: readonly string[];
  /** Of document style and literal use: what schemas describe. */
  readonly requests: readonly Body[];
  readonly answers: readonly Body[];
}

const PATH = '/Called.asmx';

/** Calls each operation by its sample; its handler answers a sample of each result. */
export async function sampleCalls(service: Service): Promise<Calls> {
  const results = service.operations.map(({ result, out }) =>
    result === undefined ? out : [result, ...out],
  );
  const echo = new Echo(service, results.flat());
  const handlers: Record<string, () => unknown> = {};
  const unsampled = new Set<string>();
  let index = 0;
  for (const [at, { name, result, out }] of service.operations.entries()) {
    const values: unknown[] = [];
    for (const _ of results[at]!) values.push(await sampleOf(echo, index++));
    if (values.includes(NO_SAMPLE)) unsampled.add(name);
    const [value, ...more] = result === undefined ? [undefined, ...values] : values;
    const parts = Object.fromEntries(out.map((each, i) => [each.property ?? each.name, more[i]]));
    handlers[name] = () => (out.length === 0 ? value : { value, out: parts });
  }
  const endpoint = createEndpoint(engineService(service), {
    handlers: handlers as never,
    path: PATH,
    baseUrl: () => 'http://localhost',
  });
  const made = {
    count: 0,
    failures: [] as string[],
    malformed: [] as string[],
    requests: [] as Body[],
    answers: [] as Body[],
  };
  const kinds = service.ports.map(({ kind }) => kind);
  const version = (['soap11', 'soap12'] as const).find((kind) => kinds.includes(kind));
  if (version === undefined) return made;
  for (const operation of service.operations) {
    const { name, action, style, use, headers } = operation;
    if (unsampled.has(name)) continue;
    let body: string;
    try {
      body = sampleBody(service, operation);
    } catch (error) {
      if (error instanceof SampleTooLarge) continue;
      throw error;
    }
    made.count++;
    const { status, text, warning } = await soapCall(endpoint, PATH, { action, body }, version);
    const where = `${service.name}.${name}`;
    if (status !== 200 && status !== 202)
      made.failures.push(`${where}: ${text.replace(/^.*<faultstring>|<\/faultstring>.*$/gs, '')}`);
    else if (warning !== undefined) made.failures.push(`${where}: ${warning}`);
    if (text !== '' && xmlValues(text) === undefined) made.malformed.push(where);
    const isTyped = operation.input.typed || operation.output?.typed;
    if (style === 'rpc' || use === 'encoded' || isTyped || status !== 200) continue;
    made.requests.push([name, body]);
    const answer = /<soap:Body[^>]*>(.*)<\/soap:Body>/s.exec(text)?.[1] ?? '';
    if (headers.out.length === 0) made.answers.push([name, withPrefixes(answer, text)]);
  }
  return made;
}

/** In place of a value whose sample cannot be written: its operation is not called. */
const NO_SAMPLE = Symbol();

/** A value of an element, as the engine reads its sample. */
async function sampleOf(echo: Echo, index: number): Promise<unknown> {
  try {
    return (await echo.send(index)).got;
  } catch (error) {
    if (error instanceof SampleTooLarge) return NO_SAMPLE;
    throw error;
  }
}

/** The elements of a body with the prefixes that the envelope declares. */
function withPrefixes(body: string, envelope: string): string {
  const declared = [...envelope.slice(0, envelope.indexOf('>', 60)).matchAll(/xmlns:\w+="[^"]*"/g)];
  return body.replace(/^<[^\s/>]+/, (tag) => `${tag} ${declared.map(([all]) => all).join(' ')}`);
}
