import { comment, quote } from '@ws01/asmx/internal/describe/source-text';
import { keyOf, literal } from './literal.ts';
import {
  constantOf,
  type OldServer,
  type ProjectParts,
  placesOf,
  type ServiceParts,
  sharedNames,
} from './project-parts.ts';

/** Handlers are added one by one; what has none is passed on. */
function handlersToCome({ service }: ServiceParts): string {
  const stubs = service.operations.map((operation) => {
    const about = aboutOf(operation);
    const line = `  // ${keyOf(operation.name)}: async (input, call) => …,\n`;
    return about === '' ? line : `  // ${about}\n${line}`;
  });
  return `import type { ServiceHandlers } from '@ws01/asmx';
import type { Operations } from './types.ts';

/**
 * What each operation does. One that is not here is forwarded to the old server, and recorded:
 * write them one by one. The types of parameters and results are in types.ts; the second argument
 * is the call: who calls, SOAP and HTTP headers.
 */
export const handlers: Partial<ServiceHandlers<Operations, undefined>> = {
${stubs.join('')}};
`;
}

/** What an operation does and which faults it has, in one line; `''` for neither. */
function aboutOf(operation: ServiceParts['service']['operations'][number]): string {
  const said = comment(operation.documentation);
  const faults = faultsOf(operation);
  if (said === '' || faults === '') return said || faults;
  return `${said}${/[.!?。！？]$/.test(said) ? '' : '.'} ${faults}`;
}

/** How a handler answers the faults that the contract declares; `''` for none. */
function faultsOf({ faults = [] }: ServiceParts['service']['operations'][number]): string {
  const errors = faults.map(({ name, element: { type } }) => {
    const detail = typeof type === 'string' ? type : type.ref;
    return `new ServiceError(${quote(name)}, message, { detail }), detail: ${detail}`;
  });
  return errors.length === 0 ? '' : `May throw ${comment(errors.join('; or '))}.`;
}

/** What has an operation answered by the old server. */
export function upstreamFile(parts: ProjectParts, { url, networks, secrets }: OldServer): string {
  const names = sharedNames(parts);
  const imports = parts.services.map((service, index) => {
    const constant = constantOf(service);
    const named = constant === names[index] ? constant : `${constant} as ${names[index]}`;
    return `import { ${named} } from '${placesOf(service).own}contract.ts';\n`;
  });
  return `import type { Endpoint } from '@ws01/asmx';
import { createRecorder } from '@ws01/asmx-tools';
import { Networks, passThrough, UPSTREAM_ANSWER_BYTES, UPSTREAM_TIMEOUT_MS, Upstream } from '@ws01/asmx/node';
${imports.join('')}import { observePassed } from './observe.ts';

/** The old service; UPSTREAM_URL names another one. */
const OLD = new URL(process.env.UPSTREAM_URL || ${quote(url)});

/** The private networks that it may be in, such as 10.0.0.0/8; servers in other ones are never asked. */
const NETWORKS: readonly string[] = ${literal(networks)};

/**
 * Headers that the old service has beside those of every call, in requests or in answers, such as
 * 'X-Api-Key'. Cookies and Basic and Digest credentials pass, too; see "From an old WSDL" in the
 * README of @ws01/asmx-tools.
 */
const HEADERS: readonly string[] = [];

/**
 * Parameters, members and results that no recording may hold, beside those whose names say so, such as strPassword, and
 * those that the contract marks as secret.
 */
const SECRETS: readonly string[] = ${literal(secrets)};

/** The largest request that is forwarded, bytes: 4 times what ASP.NET takes by default. */
const REQUEST_BYTES = 16 * 1024 * 1024;

const upstream = new Upstream({
  url: OLD,
  networks: new Networks(NETWORKS),
  timeoutMs: UPSTREAM_TIMEOUT_MS,
  answerBytes: UPSTREAM_ANSWER_BYTES,
});
const secrets = [${names.join(', ')}].flatMap(({ operations }) =>
  operations.flatMap(({ parameters }) => parameters.filter(({ secret }) => secret === true).map(({ name }) => name)),
);
const recorder = createRecorder('recordings', OLD.origin, [...SECRETS, ...secrets]);

/**
 * The endpoint with the old server behind it: what has no handler goes there and is recorded.
 * @param path of the endpoint; there, too, unless OLD has a path of its own.
 */
export function withOldServer(endpoint: Endpoint, path: string, handlers: object): Pick<Endpoint, 'request'> {
  return passThrough(endpoint, {
    upstream,
    upstreamPath: OLD.pathname === '/' ? path : OLD.pathname.replace(/\\/$/, ''),
    paths: [path.replace(/\\?.*/, '')],
    answers: (operation) => Object.hasOwn(handlers, operation),
    requestBytes: REQUEST_BYTES,
    headers: HEADERS,
    onPassed: (passed) => {
      observePassed(passed);
      recorder.add(passed);
    },
  });
}

/** Ends the recording. */
export function closeOldServer(): Promise<void> {
  upstream.close();
  return recorder.close();
}
`;
}

export function handlersFile(parts: ServiceParts, { proxy }: ProjectParts): string {
  if (proxy !== undefined) return handlersToCome(parts);
  const { service } = parts;
  const stubs = service.operations.map((operation) => {
    const about = aboutOf(operation);
    const comments = about === '' ? '' : `  /** ${about} */\n`;
    const call = `notImplemented(${quote(operation.name)}, input)`;
    return `${comments}  ${keyOf(operation.name)}: (input) => ${call},\n`;
  });
  return `import { ServiceError, type ServiceHandlers } from '@ws01/asmx';
import type { Operations } from './types.ts';

/**
 * What each operation does: replace the stubs one by one. The types of parameters and results are
 * in types.ts; the second argument is the call: who calls, SOAP and HTTP headers.
 */
export const handlers: ServiceHandlers<Operations, undefined> = {
${stubs.join('\n')}};

/** Answers a clear error, until the operation is written. */
function notImplemented(operation: string, _input: unknown): never {
  throw new ServiceError('NotImplemented', \`\${operation} is not implemented yet: write it in ${placesOf(parts).src}handlers.ts.\`);
}
`;
}

export function serviceFile(parts: ServiceParts, { proxy, originals }: ProjectParts): string {
  const name = constantOf(parts);
  const [imports, completed, given] =
    proxy === undefined
      ? [
          "import { type Answered, type BindingName, createEndpoint, defectLog, type Endpoint } from '@ws01/asmx';",
          '',
          'handlers,',
        ]
      : [
          `import {
  type Answered,
  type BindingName,
  createEndpoint,
  defectLog,
  type Endpoint,
  ServiceError,
  type ServiceHandlers,
} from '@ws01/asmx';`,
          COMPLETED.replaceAll('CONTRACT', name).replaceAll(
            'HANDLERS',
            `${placesOf(parts).src}handlers.ts`,
          ),
          'handlers: all,',
        ];
  const up = parts.folder === '' ? './' : '../';
  const types = proxy === undefined ? '' : "import type { Operations } from './types.ts';\n";
  return `${imports}
import { PATHS, ${name} } from './contract.ts';
import { handlers } from './handlers.ts';
${originals === undefined ? '' : `import { ORIGINALS } from '${up}originals.ts';\n`}${types}
export { handlers, PATHS };
${completed}
/**
 * The service at each of its paths.
 * @param baseUrl the beginning of the addresses in its WSDL; by default, the address that a request came to.
 * @param more ways to call it that the old service did not have: 'json', which client.ts uses.
 * @param onAnswered called after each answer.
 */
export function createEndpoints(
  baseUrl: (() => string) | undefined,
  more: readonly BindingName[] = [],
  onAnswered: (answered: Answered) => void = defectLog(),
): Endpoint[] {
  return PATHS.map((path) =>
    createEndpoint(${name}, {
      path,
      ${given}
      ...(baseUrl === undefined ? {} : { baseUrl }),
      bindings: [...(${name}.bindings ?? []), ...more],
      onAnswered,
${originals === undefined ? '' : '      documents: ORIGINALS,\n'}${WHO_MAY_CALL}
      authorize: () => undefined,
    }),
  );
}
`;
}

const WHO_MAY_CALL = `      // Who may call: throw a ServiceError, or return false, to refuse. What else is returned
      // here is the handlers' call.caller.`;

/** An endpoint has a handler for each operation; those to come are asked only where no old server is, as in tests. */
const COMPLETED = `
const toCome = CONTRACT.operations.map(({ name }) => {
  const refuse = () => {
    throw new ServiceError('NotImplemented', \`\${name} is not implemented yet: write it in HANDLERS.\`);
  };
  return [name, refuse] as const;
});
const all = { ...Object.fromEntries(toCome), ...handlers } as ServiceHandlers<Operations, undefined>;
`;

/** The typed client of one service. */
export function clientFile(parts: ServiceParts): string {
  const name = constantOf(parts);
  return `import { type Client, type ClientOptions, createClient } from '@ws01/asmx-tools/client';
import { ${name} } from './contract.ts';
import type { Operations } from './types.ts';

export { CallError, type CallOptions, type ClientOptions } from '@ws01/asmx-tools/client';
export type * from './types.ts';

/** Calls the service by JSON, which its server offers with JSON_API=1. An error is a CallError with its code. */
export function create${name}Client(options: ClientOptions): Client<Operations> {
  return createClient(${name}, options);
}
`;
}

/** The client of a project with several services: their types are in a namespace for each. */
export function clientsFile(parts: ProjectParts): string {
  const names = sharedNames(parts);
  const exports = parts.services.map((service, index) => {
    const [made, shared] = [`create${constantOf(service)}Client`, `create${names[index]}Client`];
    const { own } = placesOf(service);
    return `export { ${made === shared ? made : `${made} as ${shared}`} } from '${own}client.ts';
export type * as ${names[index]} from '${own}types.ts';
`;
  });
  return `export { CallError, type CallOptions, type ClientOptions } from '@ws01/asmx-tools/client';
${exports.join('')}`;
}
