import type { Service as EngineService } from '../../contract/service.ts';
import { importsOf, typescriptOf } from '../../describe/typescript.ts';
import type { Service } from '../normal-form.ts';
import { SampleWriter, sampleBody } from '../sample/sample-xml.ts';
import { identifier } from '../schema/type-names.ts';
import { comment, keyOf, literal, quote } from './literal.ts';
import type { ServedPaths } from './paths.ts';

/** What a project is made of. */
export interface ProjectParts {
  /** The contract as it was read. */
  readonly old: Service;
  /** The same as the engine serves it. */
  readonly service: EngineService;
  readonly paths: ServedPaths['paths'];
  /** What was read, for people: a file or URL. */
  readonly source: string;
  /** What package.json says of the engine: a version, or `file:` and a path. */
  readonly engine: string;
  /** Where operations go that are not written yet; `undefined` for nowhere. */
  readonly proxy: OldServer | undefined;
}

/** The old service, as the one that replaces it reaches it. */
export interface OldServer {
  readonly url: string;
  /** Private networks that it may be in. */
  readonly networks: readonly string[];
}

/** Versions that a generated project pins: those that the engine itself is built and tested with. */
const PINNED = { node: '26.10.0', typescript: '7.0.2', '@types/node': '26.6.6' } as const;

/** The files of a project by their paths. */
export function projectFiles(parts: ProjectParts): Readonly<Record<string, string>> {
  return {
    'package.json': packageFile(parts),
    'tsconfig.json': TSCONFIG,
    '.gitignore': parts.proxy === undefined ? 'node_modules/\n' : 'node_modules/\nrecordings/\n',
    'README.md': readme(parts),
    'src/contract.ts': contractFile(parts),
    'src/types.ts': typesFile(parts),
    'src/handlers.ts': handlersFile(parts),
    'src/service.ts': serviceFile(parts),
    'src/server.ts': serverFile(parts),
    ...(parts.proxy === undefined ? {} : { 'src/upstream.ts': upstreamFile(parts, parts.proxy) }),
    'test/contract.test.ts': contractTest(parts),
    'test/operations.test.ts': operationsTest(parts),
    'test/kit.ts': testKit(parts),
    'old/contract.json': `${JSON.stringify(parts.old, undefined, 1)}\n`,
  };
}

/** What the contract is called in the sources. */
function constantOf({ service }: ProjectParts): string {
  const name = identifier(service.name);
  return TAKEN.has(name) || !isName(name) ? `${name}Service` : name;
}

/** Names that the sources use themselves. */
const TAKEN = new Set([
  ...['NAMESPACE', 'PATHS', 'defineService', 'createEndpoint', 'createEndpoints', 'handlers', 'Handlers', 'Endpoint'],
  ...['ServiceError', 'notImplemented', 'service', 'assert', 'test', 'compare', 'lineOf', 'servedContract', 'readFile'],
  ...['typedService', 'Operations', 'undefined', 'globalThis', 'URL', 'JSON'],
]);

/** Whether a text can be the name of a constant. */
function isName(text: string): boolean {
  try {
    new Function(`'use strict'; const ${text} = 0;`);
    return true;
  } catch {
    return false;
  }
}

function packageFile({ service, engine, source, proxy }: ProjectParts): string {
  const name = service.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const content = {
    name: name === '' ? 'service' : name,
    version: '0.1.0',
    private: true,
    description: `The ${service.name} web service, from ${source}`,
    type: 'module',
    scripts: {
      start: 'node src/server.ts',
      test: 'node --test "test/**/*.test.ts"',
      types: 'tsc',
      ...(proxy === undefined ? {} : { replay: 'asmx replay' }),
    },
    dependencies: { '@ws01/asmx': engine },
    devDependencies: PINNED,
    allowScripts: { node: true },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "esnext",
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "test"]
}
`;

function contractFile(parts: ProjectParts): string {
  const { old, service, paths, source } = parts;
  return `import { typedService } from '@ws01/asmx';
import type { Operations } from './types.ts';

/** The namespace of requests and answers. */
export const NAMESPACE = ${quote(old.namespace)};

/** Where the service answers: the paths of the old addresses. */
export const PATHS = ${literal(paths)} as const;

/** The contract, read from ${comment(source)}. */
export const ${constantOf(parts)} = typedService<Operations>(${literal(service)});
`;
}

function typesFile({ service }: ProjectParts): string {
  const imports = importsOf(service);
  const head = imports.length === 0 ? '' : `import type { ${imports.join(', ')} } from '@ws01/asmx';\n\n`;
  return `${head}${typescriptOf(service)}`;
}

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
function upstreamFile(parts: ProjectParts, { url, networks }: OldServer): string {
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
    path,
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

function handlersFile(parts: ProjectParts): string {
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

function serviceFile(parts: ProjectParts): string {
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

function serverFile({ proxy }: ProjectParts): string {
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

function contractTest(parts: ProjectParts): string {
  const name = constantOf(parts);
  return `import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compare, lineOf, servedContract } from '@ws01/asmx/from';
import { NAMESPACE, PATHS, ${name} } from '../src/contract.ts';

test('no old client would notice a difference in the WSDL', async () => {
  const old = JSON.parse(await readFile(new URL('../old/contract.json', import.meta.url), 'utf8'));
  const address = { namespace: NAMESPACE, baseUrl: 'http://127.0.0.1', path: PATHS[0] };
  const ours = await servedContract(${name}, address);
  assert.deepEqual(compare(old, ours.service).differences.map(lineOf), []);
});
`;
}

/** How the tests call: by the first of these that the old service offered. */
function testedBinding({ old }: ProjectParts): 'soap11' | 'soap12' | 'get' | 'post' {
  const kinds = new Set(old.ports.map(({ kind }) => kind));
  return (['soap11', 'soap12', 'get', 'post'] as const).find((kind) => kinds.has(kind)) ?? 'soap11';
}

const ENVELOPES = {
  soap11: {
    uri: 'http://schemas.xmlsoap.org/soap/envelope/',
    headers: "{ 'content-type': 'text/xml; charset=utf-8', soapaction: JSON.stringify(action) }",
  },
  soap12: {
    uri: 'http://www.w3.org/2003/05/soap-envelope',
    headers: "{ 'content-type': 'application/soap+xml; charset=utf-8; action=' + JSON.stringify(action) }",
  },
} as const;

function testKit(parts: ProjectParts): string {
  const binding = testedBinding(parts);
  return `import { bytesBody } from '@ws01/asmx';
import { PATHS } from '../src/contract.ts';
import { createEndpoints } from '../src/service.ts';

const endpoint = createEndpoints(() => 'http://127.0.0.1')[0]!;

${binding === 'soap11' || binding === 'soap12' ? soapCall(binding) : formCall(binding)}
async function ask(method: string, target: string, headers: Record<string, string>, body: string) {
  const request = { method, target, headers, body: bytesBody(Buffer.from(body)), remoteAddress: '127.0.0.1' };
  const answer = await endpoint.request(request)!;
  return { status: answer.status, errorCode: answer.headers['X-Error-Code'], body: String(answer.body) };
}
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

function operationsTest(parts: ProjectParts): string {
  const { old } = parts;
  const binding = testedBinding(parts);
  const soap = binding === 'soap11' || binding === 'soap12';
  const writer = new SampleWriter(old);
  const tests = old.operations.map((operation) => {
    const { name, action, parameters } = operation;
    const values = new URLSearchParams(parameters.map((element) => [element.name, writer.text(element.type)]));
    const [first, second] = soap ? [action, sampleBody(old, operation)] : [name, values.toString()];
    const asked = `await call(\n    ${quote(first)},\n    ${quote(second)},\n  )`;
    return `test(${quote(name)}, async () => {
  const { status, errorCode, body } = ${asked};
  // Once src/handlers.ts has it: what it must answer.
  assert.equal(errorCode, 'NotImplemented', body);
  assert.equal(status, ${soap ? 500 : 501});
});
`;
  });
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from './kit.ts';

${tests.join('\n')}`;
}

const PASSED_ON = `
An operation that [src/handlers.ts](src/handlers.ts) does not have is passed on to the old server and recorded in
\`recordings/\`, without credentials. Once it is written, \`npm run replay -- recordings/FILE --new http://127.0.0.1:8080
--network 127.0.0.0/8\` asks the same of it again, and compares the answers. \`UPSTREAM_URL\` names another old server.
`;

function readme({ service, old, source, paths, proxy }: ProjectParts): string {
  const [path] = paths;
  const first = service.operations[0]?.name ?? '';
  const rows = service.operations.map(
    ({ name, documentation }) => `| \`${name}\` | ${comment(documentation).replaceAll('|', '\\|') || ' '} |`,
  );
  return `# ${service.name}

The server of the web service ${service.name}, in place of the old one: its contract was read from
${source}. Old clients change nothing but the address.

\`\`\`sh
npm install
npm start          # PORT=8080 unless you set it; on 127.0.0.1
npm test           # each operation, and that the WSDL is still the old one's
npm run types      # does it compile?
\`\`\`
${proxy === undefined ? '' : PASSED_ON}
Then http://127.0.0.1:8080${path} lists the operations, \`?WSDL\` is the contract,
\`?op=${first}\` shows how an operation is called. Any Node from 20 on will do to install: npm brings the one it runs on.

## What to do

1. Write the operations in [src/handlers.ts](src/handlers.ts), one by one. Until then each answers \`NotImplemented\`.
   The compiler knows their parameters and results from [src/types.ts](src/types.ts), which follows from the contract,
   [src/contract.ts](src/contract.ts).
2. Say in [src/service.ts](src/service.ts) who may call.
3. Say in [test/operations.test.ts](test/operations.test.ts) what each must answer.

## Operations

The namespace is \`${old.namespace}\`.

| operation | what it does |
| --- | --- |
${rows.join('\n')}
`;
}
