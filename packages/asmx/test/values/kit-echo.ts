import type { Service } from '../../src/contract/service.ts';
import {
  createEndpoint,
  DateTime,
  defineLimits,
  type Endpoint,
  ServiceError,
} from '../../src/index.ts';

/** What a handler got, with dates by their texts and without what is absent. */
export function comparable(value: unknown): unknown {
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

/** What the handler of a generated contract got last, comparable. */
export interface Echoed {
  readonly endpoint: Endpoint;
  got: unknown;
  headers: unknown;
}

/** An endpoint at `/g.asmx` whose operations give back what they get: `Echo` headers too, `Fail` as a detail. */
export function echoOf(service: Service): Echoed {
  const { parameters } = service.operations[0]!;
  const properties = parameters.map(({ name, property = name }) => property);
  const handlers = {
    Echo: (
      input: Record<string, unknown>,
      call: { headers: object; reply: { headers: object } },
    ) => {
      echoed.got = comparable(input);
      echoed.headers = comparable(call.headers);
      Object.assign(call.reply.headers, call.headers);
      const [value, ...out] = properties.map((each) => input[each]);
      const rest = properties.slice(1).map((each, at) => [each, out[at]]);
      return rest.length === 0 ? value : { value, out: Object.fromEntries(rest) };
    },
    Fail: (input: Record<string, unknown>) => {
      echoed.got = comparable(input);
      throw new ServiceError('Broken', 'It broke.', { detail: Object.values(input)[0] });
    },
  };
  const endpoint = createEndpoint(service as never, {
    path: '/g.asmx',
    strict: true,
    // Headers made by chance may be as large as bodies, and have thousands of parts.
    limits: defineLimits({ headerBytes: 8 * 1024 * 1024, parts: 100_000 }),
    handlers: handlers as never,
  });
  const echoed: Echoed = { endpoint, got: undefined, headers: undefined };
  return echoed;
}
