import { gzipSync } from 'node:zlib';
import { comment, quote } from '@ws01/asmx/internal/describe/source-text';
import { importsOf, typescriptOf } from '@ws01/asmx/internal/describe/typescript';
import { literal } from './literal.ts';
import {
  constantOf,
  type ProjectParts,
  packageName,
  placesOf,
  type ServiceParts,
} from './project-parts.ts';
import { readme } from './readme.ts';
import { DOCKERFILE, observeFile, serverFile } from './server-files.ts';
import {
  clientFile,
  clientsFile,
  handlersFile,
  serviceFile,
  upstreamFile,
} from './source-files.ts';
import { clientTest, contractTest } from './test-files.ts';

/** Versions that a generated project pins: those that the engine itself is built and tested with. */
export const PINNED = { node: '26.10.0', typescript: '7.0.2', '@types/node': '26.6.6' } as const;

/** The files of a project by their paths. */
export type ProjectFiles = Readonly<Record<string, string | Uint8Array>>;

export function projectFiles(parts: ProjectParts): ProjectFiles {
  const { services, proxy } = parts;
  return {
    'package.json': packageFile(parts),
    'tsconfig.json': TSCONFIG,
    'tsconfig.client.json': CLIENT_TSCONFIG,
    '.gitignore': [
      'node_modules/',
      'dist/',
      ...(proxy === undefined ? [] : ['recordings/']),
      '',
    ].join('\n'),
    'README.md': readme(parts),
    ...Object.assign({}, ...services.map((service) => serviceFiles(service, parts))),
    ...(services.length === 1 ? {} : { 'src/client.ts': clientsFile(parts) }),
    ...parts.originals,
    'src/server.ts': serverFile(parts),
    'src/observe.ts': observeFile(parts),
    Dockerfile: DOCKERFILE,
    '.dockerignore': 'node_modules\nrecordings\n',
    ...(proxy === undefined ? {} : { 'src/upstream.ts': upstreamFile(parts, proxy) }),
  };
}

function serviceFiles(service: ServiceParts, parts: ProjectParts): ProjectFiles {
  const { src, test, old } = placesOf(service);
  const [first] = service.service.operations;
  return {
    [`${src}contract.ts`]: contractFile(service, parts),
    [`${src}types.ts`]: typesFile(service),
    [`${src}handlers.ts`]: handlersFile(service, parts),
    [`${src}service.ts`]: serviceFile(service, parts),
    [`${src}client.ts`]: clientFile(service),
    [`${test}contract.test.ts`]: contractTest(service),
    // An answer of a one-way operation says nothing.
    ...(first!.oneWay ? {} : { [`${test}client.test.ts`]: clientTest(service) }),
    [`${old}contract.json.gz`]: gzipSync(JSON.stringify(service.old)),
  };
}

function packageFile({ services, dependencies, source, proxy }: ProjectParts): string {
  const names = services.map(({ service }) => service.name);
  const content = {
    name: packageName(names[0]!),
    version: '0.1.0',
    private: true,
    description: `The web ${names.length === 1 ? 'service' : 'services'} ${names.join(', ')}, from ${source}`,
    type: 'module',
    exports: { './client': { types: './dist/client.d.ts', default: './dist/client.js' } },
    files: ['dist'],
    scripts: {
      start: 'node src/server.ts',
      test: 'node --test "test/**/*.test.ts"',
      types: 'tsc',
      build: 'tsc -p tsconfig.client.json',
      prepack: 'npm run build',
      compare: 'asmx compare',
      ...(proxy === undefined ? {} : { replay: 'asmx replay' }),
    },
    dependencies,
    devDependencies: PINNED,
    allowScripts: { node: true },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

export const TSCONFIG = `{
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

/** What `npm run build` makes of the client: JavaScript and declarations, as packages have them. */
const CLIENT_TSCONFIG = `{
  "extends": "./tsconfig.json",
  "compilerOptions": {
    "noEmit": false,
    "outDir": "dist",
    "rootDir": "src",
    "declaration": true,
    "rewriteRelativeImportExtensions": true
  },
  "include": [],
  "files": ["src/client.ts"]
}
`;

function contractFile(parts: ServiceParts, { source }: ProjectParts): string {
  const { old, service, paths } = parts;
  return `import type { TypedService } from '@ws01/asmx/contract';
import type { Operations } from './types.ts';

/** The namespace of requests and answers. */
export const NAMESPACE = ${quote(old.namespace)};

/** Where the service answers: the paths of the old addresses. */
export const PATHS = ${literal(paths)} as const;

/** The contract, read from ${comment(source)}. */
export const ${constantOf(parts)}: TypedService<Operations> = ${literal(service)};
`;
}

function typesFile({ service }: ServiceParts): string {
  const types = typescriptOf(service);
  const imports = importsOf(service, types);
  const head =
    imports.length === 0
      ? ''
      : `import type { ${imports.join(', ')} } from '@ws01/asmx/contract';\n\n`;
  return `${head}${types}`;
}
