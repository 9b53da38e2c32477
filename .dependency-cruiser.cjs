/** The arrows of the house: what each room may import. `npm run arrows` checks them. */
const SERVICE = 'apps/ws01/src';
const ENGINE = 'packages/asmx/src';
const TOOLS = 'packages/asmx-tools/src';
const FAST_HTTP = 'packages/fast-http/src';

const room = (name) => `^${SERVICE}/${name}/`;

/** A room of the service that may import only itself, the rooms named, the engine, Node and libraries. */
const only = (name, ...others) => ({
  name: `${name}-imports`,
  comment: `${name}/ may import itself${others.length ? ` and ${others.join(', ')}` : ''}, Node and libraries.`,
  severity: 'error',
  from: { path: room(name) },
  to: { path: `^${SERVICE}/`, pathNot: [room(name), ...others.map(room)] },
});

/** The rooms of the engine, each with those that it may import. Each stands below all that follow. */
const ENGINE_ROOMS = {
  time: [],
  contract: [],
  message: ['contract'],
  lexical: ['time', 'contract', 'message'],
  xml: ['contract', 'message'],
  values: ['contract', 'message', 'lexical', 'xml'],
  exchange: ['time', 'contract', 'message', 'lexical', 'xml', 'values'],
  describe: ['contract', 'message', 'lexical', 'xml', 'values', 'exchange'],
  bindings: ['contract', 'message', 'lexical', 'xml', 'values', 'exchange'],
  engine: ['contract', 'message', 'lexical', 'xml', 'values', 'exchange', 'describe', 'bindings'],
  security: ['contract', 'values'],
  node: ['time', 'contract', 'message', 'xml', 'exchange', 'describe', 'engine'],
  fetch: ['message', 'engine'],
  fast: ['contract', 'message', 'xml', 'values', 'exchange'],
};

/** A room of the engine imports only itself and the rooms named; the entry `index.ts` imports any. */
const engineRooms = Object.entries(ENGINE_ROOMS).map(([name, others]) => ({
  name: `engine-${name}-imports`,
  comment: `${name}/ of the engine may import itself${others.length ? `, ${others.join(', ')}` : ''} and Node.`,
  severity: 'error',
  from: { path: `^${ENGINE}/${name}/` },
  to: { path: `^${ENGINE}/`, pathNot: `^${ENGINE}/(${[name, ...others].join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Modules in a circle cannot be read one by one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'asmx-imports',
      comment: 'The engine imports nothing of the service, nor of the packages that build on it.',
      severity: 'error',
      from: { path: `^${ENGINE}/` },
      to: { path: '^(apps|packages)/', pathNot: `^${ENGINE}/` },
    },
    {
      name: 'asmx-tools-imports',
      comment:
        'The tools build on the engine. Each is by itself, but for the two clients, which the others use.',
      severity: 'error',
      from: { path: `^${TOOLS}/([^/]+)/` },
      to: {
        path: '^(apps|packages)/',
        pathNot: [`^${TOOLS}/($1|client|soap)/`, `^${ENGINE}/`],
      },
    },
    {
      name: 'fast-http-imports',
      comment: 'It builds on what the engine has of messages and connections, and on no package.',
      severity: 'error',
      from: { path: `^${FAST_HTTP}/` },
      to: {
        path: '^(apps|packages)/|node_modules/',
        pathNot: [`^${FAST_HTTP}/`, `^${ENGINE}/(time|contract|message|exchange|engine|node)/`],
      },
    },
    {
      name: 'asmx-has-no-dependencies',
      comment:
        'The engine and its tools import themselves and Node; ./mcp imports the SDK, which its user installs.',
      severity: 'error',
      from: { path: [`^${ENGINE}/`, `^${TOOLS}/`], pathNot: `^${TOOLS}/mcp/` },
      to: { path: 'node_modules/' },
    },
    {
      name: 'asmx-by-its-entries',
      comment:
        'The service knows of the engine, and of what builds on it, what the packages export.',
      severity: 'error',
      from: { path: `^${SERVICE}/` },
      to: {
        path: '^packages/',
        pathNot: [
          `^${ENGINE}/((time|contract|lexical|xml|node|fast)/)?index\\.ts$`,
          `^${TOOLS}/(from|mcp|client)/index\\.ts$`,
          `^${FAST_HTTP}/index\\.ts$`,
        ],
      },
    },
    ...engineRooms,
    {
      name: 'only-the-listener-knows-http',
      comment: 'In the engine only node/ knows node:http.',
      severity: 'error',
      from: { path: `^${ENGINE}/`, pathNot: `^${ENGINE}/node/` },
      to: { path: '^(node:)?https?$' },
    },
    {
      name: 'contract-speaks-the-language-only',
      comment:
        'contract/ is data written in the engine’s language (its entries ./contract and ./lexical), nothing of the wire.',
      severity: 'error',
      from: { path: room('contract') },
      to: { path: `^${ENGINE}/`, pathNot: `^${ENGINE}/(contract|lexical)/index\\.ts$` },
    },
    {
      name: 'only-contract-and-app-know-asmx',
      comment:
        'What the contract does not say, the service does not know of the wire. One adapter asks other servers as the engine does; every room has the clock of limits.',
      severity: 'error',
      from: {
        path: `^${SERVICE}/`,
        pathNot: [room('contract'), room('app'), `^${SERVICE}/adapters/outgoing-http\\.ts$`],
      },
      to: { path: '^packages/', pathNot: `^${ENGINE}/time/` },
    },
    only('contract'),
    only('failure', 'contract'),
    only('turns'),
    only('store', 'failure', 'turns'),
    only('adapters', 'failure', 'turns'),
    only('records', 'contract', 'store', 'domain/values'),
    only('domain', 'contract', 'failure', 'store', 'adapters', 'turns', 'records'),
    only('web', 'turns', 'contract', 'failure', 'domain', 'store', 'adapters'),
    only('api', 'turns', 'contract', 'failure', 'domain', 'store', 'adapters', 'records'),
    only(
      'console',
      'turns',
      'api',
      'contract',
      'failure',
      'domain',
      'store',
      'adapters',
      'web',
      'records',
    ),
    only('cluster', 'web/sockets'),
    only(
      'cli',
      'contract',
      'failure',
      'domain',
      'store',
      'adapters',
      'cluster',
      'app',
      'config',
      'records',
      'api',
    ),
    {
      name: 'only-joined-by-app-and-cli',
      comment:
        'That there are several processes is known where the service is started and put together.',
      severity: 'error',
      from: { path: `^${SERVICE}/`, pathNot: [room('cluster'), room('cli'), room('app')] },
      to: { path: room('cluster') },
    },
    {
      name: 'config-knows-forms-only',
      comment: 'config/ reads texts; of the rest it knows the forms that values have everywhere.',
      severity: 'error',
      from: { path: room('config') },
      to: {
        path: `^${SERVICE}/`,
        pathNot: `^${SERVICE}/(config/|domain/values/|domain/credentials/token-text\\.ts$|adapters/(mail/(smtp-session|notices/(mailbox|relays))|sms/smpp)\\.ts$)`,
      },
    },
    {
      name: 'only-app-joins',
      comment: 'app/ is the composition root; only the command line starts it.',
      severity: 'error',
      from: { path: `^${SERVICE}/`, pathNot: [room('cli'), room('app'), room('config')] },
      to: { path: [room('app'), room('config')] },
    },
    {
      name: 'domain-knows-no-driver',
      severity: 'error',
      from: { path: [room('domain'), room('contract')] },
      to: { path: ['^(node:)?(sqlite|https?|net)$', 'node_modules/(pg|postgres|hono)/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Tests are outside of the house, and the parser does not read `using`.
    exclude: { path: '^(apps|packages)/[^/]+/test/' },
    // It sees imports of types, too; `tsPreCompilationDeps` would be for TypeScript's own parser.
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['ws01-source', 'import', 'default'],
    },
  },
};
