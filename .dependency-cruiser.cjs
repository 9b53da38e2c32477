/** The arrows of the house: what each room may import. `npm run arrows` checks them. */
const room = (name) => `^src/${name}/`;

/** A room that may import only itself and the rooms named. */
const only = (name, ...others) => ({
  name: `${name}-imports`,
  comment: `${name}/ may import itself${others.length ? ` and ${others.join(', ')}` : ''}, Node and libraries.`,
  severity: 'error',
  from: { path: room(name) },
  to: {
    path: '^src/',
    pathNot: [room(name), ...others.map((other) => (other.endsWith('.ts') ? `^src/${other}$` : room(other)))],
  },
});

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
    only('asmx'),
    only('contract', 'asmx'),
    only('store'),
    only('outside', 'contract'),
    only('domain', 'contract', 'store', 'outside'),
    only('web', 'contract', 'domain', 'store', 'outside'),
    only('cluster'),
    only('cli', 'contract', 'domain', 'store', 'outside', 'cluster', 'app', 'app.ts', 'config.ts'),
    {
      name: 'only-joined-by-app-and-cli',
      comment: 'That there are several processes is known where the service is started and put together.',
      severity: 'error',
      from: { path: '^src/', pathNot: [room('cluster'), room('cli'), room('app'), '^src/app\\.ts$'] },
      to: { path: room('cluster') },
    },
    {
      name: 'contract-speaks-the-language-only',
      comment: 'contract/ is data written in asmx’s language (service, errors, lexical forms), nothing of the wire.',
      severity: 'error',
      from: { path: room('contract') },
      to: { path: room('asmx'), pathNot: '^src/asmx/(service|errors|xsd)\\.ts$' },
    },
    {
      name: 'config-knows-forms-only',
      comment: 'config.ts reads texts; of the rest it knows the forms that values have everywhere.',
      severity: 'error',
      from: { path: '^src/config(/|\\.ts$)' },
      to: { path: '^src/', pathNot: '^src/(config/|domain/values/|domain/credentials/token-text\\.ts$)' },
    },
    {
      name: 'only-app-joins',
      comment: 'app.ts, with the parts in app/, is the composition root; only the command line starts it.',
      severity: 'error',
      from: { path: '^src/', pathNot: [room('cli'), '^src/(app\\.ts$|app/|config\\.ts$|config/)'] },
      to: { path: '^src/(app\\.ts$|app/|config\\.ts$|config/)' },
    },
    {
      name: 'one-file-knows-http',
      comment: 'In asmx/ only node/ knows node:http.',
      severity: 'error',
      from: { path: room('asmx'), pathNot: '^src/asmx/node/' },
      to: { path: '^(node:)?https?$' },
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
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
    },
  },
};
