import { comment, keyOf, literal, quote } from './literal.ts';
import { constantOf, type OldServer, type ProjectParts } from './project-parts.ts';

/** Handlers are added one by one; what has none is passed on. */
function handlersToCome({ service }: ProjectParts): string {
  const stubs = service.operations.map((operation) => {
    const about = comment(operation.documentation);
    const line = `  // ${keyOf(operation.name)}: async (input, call) => …,\n`;
    return about === '' ? line : `  // ${about}\n${line}`;
  });
  return `import type { ServiceHandlers } from '@ws01/asmx';
import type { Operations } from './types.ts';

/**
 * What each operation does. One that is not here is passed on to the old server, and recorded: write them one by one.
 * What they get and give is in types.ts; their second argument is the call: who calls, SOAP and HTTP headers.
 */
export const handlers: Partial<ServiceHandlers<Operations, undefined>> = {
${stubs.join('')}};
`;
}

/** What has an operation answered by the old server. */
export function upstreamFile(parts: ProjectParts, { url, networks }: OldServer): string {
  return `import type { Endpoint } from '@ws01/asmx';
import { createRecorder } from '@ws01/asmx/from';
import { Networks, passThrough, UPSTREAM_ANSWER_BYTES, UPSTREAM_TIMEOUT_MS, Upstream } from '@ws01/asmx/node';
import { ${constantOf(parts)} } from './contract.ts';
import { handlers } from './handlers.ts';

/** The old service; UPSTREAM_URL names another one. */
const OLD = new URL(process.env.UPSTREAM_URL || ${quote(url)});

/** Private networks that it may be in. */
const NETWORKS: readonly string[] = ${literal(networks)};

/** The largest request that is passed on, bytes. */
const REQUEST_BYTES = 64 * 1024 * 1024;

const upstream = new Upstream({
  url: OLD,
  networks: new Networks(NETWORKS),
  timeoutMs: UPSTREAM_TIMEOUT_MS,
  answerBytes: UPSTREAM_ANSWER_BYTES,
});
const secrets = ${constantOf(parts)}.operations.flatMap(({ parameters }) =>
  parameters.filter(({ secret }) => secret === true).map(({ name }) => name),
);
const recorder = createRecorder('recordings', OLD.origin, secrets);

/** The endpoint with the old server behind it: what has no handler goes there, byte for byte, and is recorded. */
export function withOldServer(endpoint: Endpoint, path: string): Pick<Endpoint, 'request'> {
  return passThrough(endpoint, {
    upstream,
    upstreamPath: OLD.pathname.replace(/\\/$/, ''),
    paths: [path],
    answers: (operation) => Object.hasOwn(handlers, operation),
    requestBytes: REQUEST_BYTES,
    onPassed: (passed) => {
      if (passed.error !== undefined) console.error(\`\${passed.operation}: \${passed.error.message}\`);
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

export function handlersFile(parts: ProjectParts): string {
  if (parts.proxy !== undefined) return handlersToCome(parts);
  const { service } = parts;
  const stubs = service.operations.map((operation) => {
    const about = comment(operation.documentation) || 'The old WSDL does not say what it does.';
    return `  /** ${about} */\n  ${keyOf(operation.name)}: (input) => notImplemented(${quote(operation.name)}, input),\n`;
  });
  return `import { ServiceError, type ServiceHandlers } from '@ws01/asmx';
import type { Operations } from './types.ts';

/** What each operation does: take the stubs' places one by one. What they get and give is in\n * types.ts; their second argument is the call: who calls, SOAP and HTTP headers. */
export const handlers: ServiceHandlers<Operations, undefined> = {
${stubs.join('\n')}};

/** Answers a clear error, until the operation is written. */
function notImplemented(operation: string, _input: unknown): never {
  throw new ServiceError('NotImplemented', \`\${operation} is not implemented yet: write it in src/handlers.ts.\`);
}
`;
}

export function serviceFile(parts: ProjectParts): string {
  const name = constantOf(parts);
  const [imports, completed, given] =
    parts.proxy === undefined
      ? ["import { createEndpoint, type Endpoint } from '@ws01/asmx';", '', 'handlers,']
      : [
          "import { createEndpoint, type Endpoint, ServiceError, type ServiceHandlers } from '@ws01/asmx';",
          COMPLETED.replaceAll('CONTRACT', name),
          'handlers: all,',
        ];
  const types = parts.proxy === undefined ? '' : "import type { Operations } from './types.ts';\n";
  return `${imports}
import { PATHS, ${name} } from './contract.ts';
import { handlers } from './handlers.ts';
${types}${completed}
/** The service at each of its paths. @param baseUrl what the addresses in its WSDL begin with. */
export function createEndpoints(baseUrl: () => string): Endpoint[] {
  return PATHS.map((path) =>
    createEndpoint(${name}, {
      path,
      ${given}
      baseUrl,
      // Who may call: throw a ServiceError to refuse. What is returned here is the handlers' call.caller.
      authorize: () => undefined,
    }),
  );
}
`;
}

/** An endpoint has a handler for each operation; those to come are asked only where no old server is, as in tests. */
const COMPLETED = `
const toCome = CONTRACT.operations.map(({ name }) => {
  const refuse = () => {
    throw new ServiceError('NotImplemented', \`\${name} is not implemented yet: write it in src/handlers.ts.\`);
  };
  return [name, refuse] as const;
});
const all = { ...Object.fromEntries(toCome), ...handlers } as ServiceHandlers<Operations, undefined>;
`;

export function serverFile({ proxy }: ProjectParts): string {
  if (proxy === undefined) return SERVER;
  const replacements: readonly (readonly [string, string])[] = [
    [
      "import { createEndpoints } from './service.ts';\n",
      "import { createEndpoints } from './service.ts';\nimport { closeOldServer, withOldServer } from './upstream.ts';\n",
    ],
    [
      '.map((endpoint) => nodeListener(endpoint));',
      '.map((endpoint, index) => nodeListener(withOldServer(endpoint, PATHS[index]!)));',
    ],
    [
      'process.once(signal, () => server.close());',
      'process.once(signal, () => server.close(() => closeOldServer()));',
    ],
  ];
  return replacements.reduce((text, [from, to]) => text.replace(from, to), SERVER);
}

const SERVER = `/** \`npm start\`: serves on 127.0.0.1 at PORT, 8080 when it is not set. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeListener } from '@ws01/asmx';
import { PATHS } from './contract.ts';
import { createEndpoints } from './service.ts';

const port = Number(process.env.PORT || 8080);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(\`PORT must be a number from 0 to 65535, not \${process.env.PORT}.\`);
  process.exit(1);
}

let baseUrl = '';
const listeners = createEndpoints(() => baseUrl).map((endpoint) => nodeListener(endpoint));
const server = createServer((request, response) => {
  if (!listeners.some((listener) => listener(request, response))) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(\`Nothing is here. The service is at \${PATHS.join(', ')}.\\n\`);
  }
});
server.on('error', (error) => {
  console.error(\`The server cannot listen at port \${port}: \${error.message}. Set PORT to another one.\`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => {
  baseUrl = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`;
  for (const path of PATHS) console.log(\`\${baseUrl}\${path}\`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
`;
