import { importsOf, typescriptOf } from '../../describe/typescript.ts';
import { comment, literal, quote } from './literal.ts';
import { constantOf, type ProjectParts } from './project-parts.ts';
import { handlersFile, serverFile, serviceFile, upstreamFile } from './source-files.ts';
import { contractTest, operationsTest, testKit } from './test-files.ts';

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
