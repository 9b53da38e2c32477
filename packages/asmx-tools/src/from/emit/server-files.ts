import { type ProjectParts, placesOf, sharedNames } from './project-parts.ts';

/** What a server tells of its calls. */
export function observeFile({ proxy }: ProjectParts): string {
  const isProxy = proxy !== undefined;
  return `import { type Answered, defectLog } from '@ws01/asmx';
${isProxy ? "import type { Passed } from '@ws01/asmx/node';\n" : ''}
const tellDefects = defectLog();

/**
 * Called after each answer: writes a line of JSON, and the reason of what failed. Count here what your metrics
 * show, by operation, error and duration.
 */
export function observe(answered: Answered): void {
  const { exchange, call, response, durationMs, error } = answered;
  const line = {
    time: new Date().toISOString(),
    id: exchange.requestId,
    address: exchange.address,
    operation: call.operation?.name,
    status: response.status,
    error: error?.code,
    ms: Math.round(durationMs),
  };
  console.log(JSON.stringify(line));
  tellDefects(answered);
}
${isProxy ? OBSERVE_PASSED : ''}`;
}

/** What a server tells of the calls that another one answers. */
const OBSERVE_PASSED = `
/** The same for a call that the old server answered. */
export function observePassed({ asked, operation, status, error, durationMs }: Passed): void {
  const line = {
    time: new Date().toISOString(),
    address: asked.remoteAddress,
    operation,
    forwarded: true,
    status,
    error: error?.message,
    ms: Math.round(durationMs),
  };
  console.log(JSON.stringify(line));
}
`;

/** An image of a server. Packages of a file must be in its folder. */
export const DOCKERFILE = `FROM node:26-slim
WORKDIR /app
COPY package*.json ./
RUN npm install --omit=dev --ignore-scripts
COPY . .
# Where a server that forwards calls keeps their recordings: the only folder that it writes.
RUN install -d -o node /app/recordings
ENV HOST=0.0.0.0 PORT=8080
EXPOSE 8080
USER node
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1))"
CMD ["node", "src/server.ts"]
`;

/** What of `server.ts` changes when no old server is behind it any more: lines of a diff. */
export function cutOver(parts: ProjectParts): string {
  const before = serverFile(parts).split('\n');
  const after = serverFile({ ...parts, proxy: undefined }).split('\n');
  const changes: string[] = [];
  let at = 0;
  for (const line of before) {
    if (line === after[at]) {
      at++;
      continue;
    }
    changes.push(`-${line}`);
    if (before.includes(after[at]!)) continue;
    changes.push(`+${after[at]}`);
    at++;
  }
  return changes.join('\n');
}

export function serverFile(parts: ProjectParts): string {
  const names = sharedNames(parts);
  const imports = parts.services.map(
    (service, index) => `import * as ${names[index]} from '${placesOf(service).own}service.ts';\n`,
  );
  const isProxy = parts.proxy !== undefined;
  const used = isProxy ? 'createEndpoints, handlers, PATHS' : 'createEndpoints, PATHS';
  const listener = isProxy
    ? 'nodeListener(withOldServer(endpoint, path, handlers))'
    : 'nodeListener(endpoint)';
  return `/**
 * \`npm start\`: serves at HOST and PORT, 127.0.0.1 and 8080 when they are not set; with JSON_API=1 by JSON, too. The
 * addresses in the WSDL begin with BASE_URL, or with what the request came to. \`/healthz\` says whether it serves;
 * SIGTERM stops it when the calls in progress are answered.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BindingName, nodeListener } from '@ws01/asmx';
import { boundHeads, disconnectSlowReaders } from '@ws01/asmx/node';
import { observe } from './observe.ts';
${imports.join('')}${isProxy ? "import { closeOldServer, withOldServer } from './upstream.ts';\n" : ''}
const SERVICES = [${names.join(', ')}];

const port = Number(process.env.PORT || 8080);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(\`PORT must be a number from 0 to 65535, not \${process.env.PORT}.\`);
  process.exit(1);
}

const host = process.env.HOST || '127.0.0.1';
const base = process.env.BASE_URL;
if (base && !/^https?:$/.test(URL.parse(base)?.protocol ?? '')) {
  console.error(\`BASE_URL must be a URL such as https://shop.example.com, not \${base}.\`);
  process.exit(1);
}
const baseUrl = base ? () => base.replace(/\\/$/, '') : undefined;

/** The ways to call beside those of the old service. */
const more: readonly BindingName[] = process.env.JSON_API === '1' ? ['json'] : [];

/** Whether calls in progress are still answered, and no others taken. */
let isStopping = false;

const places = SERVICES.flatMap(({ ${used} }) =>
  createEndpoints(baseUrl, more, observe).map((endpoint, index) => {
    const path: string = PATHS[index]!;
    return { path, endpoint, listener: ${listener} };
  }),
);
// A path below another one is asked first.
const listeners = [...places].sort((a, b) => b.path.length - a.path.length).map(({ listener }) => listener);

// Idle connections are kept for 120 s, as IIS does. After Node's 5 s, a client that was busy reading a large WSDL
// would send its call on a closed connection.
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  if (isStopping) response.setHeader('connection', 'close');
  if (request.url === '/healthz') {
    response.writeHead(isStopping ? 503 : 200, { 'content-type': 'text/plain' });
    response.end(isStopping ? 'stopping\\n' : 'ok\\n');
    return;
  }
  const described = places.find(({ path }) => request.url === \`\${path.replace(/\\?.*/, '')}/openapi.json\`);
  if (described !== undefined && more.length > 0) {
    const remoteAddress = request.socket.remoteAddress ?? '';
    const answer = described.endpoint.openApi({ headers: request.headers, remoteAddress });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  } else if (!listeners.some((listener) => listener(request, response))) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(\`Nothing is here. The service is at \${places.map(({ path }) => path).join(', ')}.\\n\`);
  }
});
// Heads that do not end and answers that nobody reads take a bounded amount of memory.
boundHeads(server, places[0]!.endpoint);
disconnectSlowReaders(server);
server.on('error', (error) => {
  console.error(\`The server cannot listen at \${host}, port \${port}: \${error.message}. Set HOST and PORT.\`);
  process.exit(1);
});
server.listen(port, host, () => {
  const shown = host.includes(':') ? \`[\${host}]\` : host;
  for (const { path } of places) console.log(\`http://\${shown}:\${(server.address() as AddressInfo).port}\${path}\`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isStopping = true;
    server.close(${isProxy ? '() => closeOldServer()' : ''});
    // Connections end with the answers of the calls in progress.
    setInterval(() => server.closeIdleConnections(), 200).unref();
  });
`;
}
