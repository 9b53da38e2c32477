import { PINNED, TSCONFIG } from './project-files.ts';
import { packageName } from './project-parts.ts';

/** The first program of the READMEs and of the site. */
const HELLO = `import { createServer } from 'node:http';
import { createEndpoint, nodeListener, operation, service, string } from '@ws01/asmx';

const Greet = operation({ input: { name: string }, result: string });
const Hello = service('Hello', { namespace: 'urn:hello', operations: { Greet } });
const endpoint = createEndpoint(Hello, { path: '/Hello.asmx', handlers: { Greet: ({ name }) => \`Hello \${name}\` } });
createServer(nodeListener(endpoint)).listen(8080, () => console.log('http://localhost:8080/Hello.asmx'));
`;

/**
 * The files of a new project, by their paths: the first program, to be changed.
 * @param name of the folder. @param dependencies the packages that it needs.
 */
export function helloProject(
  name: string,
  dependencies: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const content = {
    name: packageName(name),
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { start: 'node server.ts', types: 'tsc' },
    dependencies,
    devDependencies: PINNED,
    allowScripts: { node: true },
  };
  return {
    'package.json': `${JSON.stringify(content, undefined, 2)}\n`,
    'tsconfig.json': TSCONFIG.replace('["src", "test"]', '["*.ts"]'),
    '.gitignore': 'node_modules/\n',
    'README.md': README.replace('NAME', name),
    'server.ts': HELLO,
  };
}

const README = `# NAME

\`\`\`sh
npm install
npm start
npm run types      # checks the types
\`\`\`

[server.ts](server.ts) is the contract, what it does, and where. http://localhost:8080/Hello.asmx is a page to try it,
\`?WSDL\` is its contract for generators, and these call it:

\`\`\`sh
curl "http://localhost:8080/Hello.asmx/Greet?name=Ann"
npx asmx call http://localhost:8080/Hello.asmx Greet name=Ann
\`\`\`
`;
