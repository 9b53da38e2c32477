import { code, memberOf, prose } from './literal.ts';
import {
  constantOf,
  type ProjectParts,
  packageName,
  placesOf,
  type ServiceParts,
  sharedNames,
} from './project-parts.ts';
import { cutOver } from './server-files.ts';

const ORIGIN = 'http://127.0.0.1:8080';

/** A path as people may copy it into a shell or a source: nothing in it means anything there. */
function shown(path: string): string {
  return path.replaceAll(/[^\w./~%-]/gu, (unit) =>
    [...Buffer.from(unit)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/** The README of a project: what its next reader does, in the order in which they do it. */
export function readme(parts: ProjectParts): string {
  const { services, source, proxy } = parts;
  const [first] = services as readonly [ServiceParts, ...ServiceParts[]];
  const names = services.map(({ service }) => service.name).join(', ');
  const url = `${ORIGIN}${shown(first.paths[0])}`;
  return `# ${names}

A server for the web ${services.length === 1 ? 'service' : 'services'} ${names}, in place of the old one. Its contract was read from
${source}. Old clients change only the address.

\`\`\`sh
npm install
npm start          # at ${url}; HOST and PORT set another address
npm test           # that an old client calls each operation and reads its answers, by the old WSDL
npm run types      # checks the types
\`\`\`

${url} lists the operations, \`?WSDL\` is the contract, and
\`?op=${first.service.operations[0]?.name ?? ''}\` shows how to call one. To install, you need Node 20 or newer; npm installs the Node that runs the server.
Under a service manager, run \`node_modules/.bin/node src/server.ts\`: npm does not pass on the signal to stop. \`/healthz\`
answers 200; a line of JSON tells of each call, and [src/observe.ts](src/observe.ts) is where metrics count; SIGTERM stops the
server when the calls in progress are answered. The [Dockerfile](Dockerfile) makes an image:
\`docker build -t ${packageName(first.service.name)} .\`

## What to do

${steps(parts)}
${proxy === undefined ? '' : forwarded(parts)}
## Compare with the old service

While the server runs, in a second terminal (OLD is the old WSDL, a file or a URL):

\`\`\`sh
npm run compare -- OLD ${services.map(({ paths: [path] }) => `"${ORIGIN}${shown(path)}?WSDL"`).join(' ')}
\`\`\`

This lists what clients of the old service would notice.

## JSON, OpenAPI and a typed client

\`JSON_API=1 npm start\` also answers JSON, and describes it with OpenAPI 3.1 at \`${shown(first.paths[0])}/openapi.json\`.
[src/client.ts](src/client.ts) is a client for it with the types of the contract; it needs only fetch:

\`\`\`ts
${clientExample(parts)}
\`\`\`

\`npm run build\` compiles the client to \`dist\`. Other packages import it as \`${packageName(first.service.name)}/client\`.
${services.map(operations).join('')}`;
}

function steps({ services, proxy }: ProjectParts): string {
  const [first] = services as readonly [ServiceParts, ...ServiceParts[]];
  const folders = services.map((each) => `\`${placesOf(each).src}\``).join(', ');
  const where =
    services.length === 1 ? '' : `Each service has its own folder: ${folders}. In each:\n\n`;
  const { src } = placesOf(first);
  const own = `handlers${memberOf(first.service.operations[0]!.name)}`;
  const link = (path: string) =>
    services.length === 1 ? `[${path}](${path})` : `\`${path.slice(path.lastIndexOf('/') + 1)}\``;
  return `${where}1. Write the operations in ${link(`${src}handlers.ts`)}, one by one. ${proxy === undefined ? 'Until then each answers `NotImplemented`.' : 'Until then each is forwarded to the old server.'}
   The compiler knows their parameters and results from ${link(`${src}types.ts`)}, which follows from the contract,
   ${link(`${src}contract.ts`)}.
2. Say in ${link(`${src}service.ts`)} who may call.
3. Test what they do: each is a function, such as ${code(own)}.
   The tests that are there call samples in their place, and stay green: they show that old clients and
   ${link(`${src}contract.ts`)} understand each other.`;
}

function forwarded(parts: ProjectParts): string {
  const [{ paths }, more] = parts.services as readonly [ServiceParts, ServiceParts?];
  return `
## The old server behind this one

Operations that \`handlers.ts\` does not have yet are forwarded to the old server, and recorded in
\`recordings/\` without passwords, tokens, tickets and other secrets: those whose names say so, and those that
\`SECRETS\` in \`src/upstream.ts\` lists. \`UPSTREAM_URL\` names another old server. After you write an operation, ask the same
again, and compare the answers:

\`\`\`sh
npm run replay -- recordings/FILE --new ${ORIGIN}${more === undefined ? shown(paths[0]) : ''} --network 127.0.0.0/8
\`\`\`

When all are written, take away \`Partial<…>\` around \`ServiceHandlers<…>\` in \`handlers.ts\`: the compiler names what is
missing. Then delete \`src/upstream.ts\`, and change \`src/server.ts\`:

\`\`\`diff
${cutOver(parts)}
\`\`\`
`;
}

function clientExample(parts: ProjectParts): string {
  const names = sharedNames(parts);
  const imports = names.map((name) => `create${name}Client`).join(', ');
  const made = parts.services.map(
    ({ paths: [path] }, index) =>
      `const ${index === 0 ? 'client' : `client${index + 1}`} = create${names[index]}Client({ url: '${ORIGIN}${shown(path)}' });`,
  );
  return [`import { ${imports} } from './src/client.ts';`, '', ...made].join('\n');
}

function operations(parts: ServiceParts): string {
  const { service, old, leftOut } = parts;
  const rows = service.operations.map(
    ({ name, documentation }) => `| \`${name}\` | ${prose(documentation) || ' '} |`,
  );
  const without = leftOut
    .map(({ operation, reason }) => `- ${code(operation)}: ${prose(reason)}\n`)
    .join('');
  return `
## Operations of ${constantOf(parts) === service.name ? service.name : `\`${service.name}\``}

The namespace is ${code(old.namespace)}.

| operation | what it does |
| --- | --- |
${rows.join('\n')}
${without === '' ? '' : `\nNot served:\n\n${without}`}`;
}
