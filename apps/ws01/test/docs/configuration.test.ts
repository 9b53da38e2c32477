import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Setting } from '../../src/config/setting.ts';
import { AREAS, SETTINGS, USUAL } from '../../src/config/settings.ts';
import { BUDGETS } from '../../src/domain/budgets/rates.ts';

/** Those of who moves an older service here. */
const FOR_MOVERS = [
  ...['SOAP_NAMESPACE', 'SOAP_SERVICE_NAME', 'SERVICE_PATHS', 'LEGACY_CHARSET'],
  ...['LEGACY_IMAGE_PATHS', 'LEGACY_LINK_PATHS'],
  ...['UPSTREAM_URL', 'UPSTREAM_OPERATIONS'],
] as const;

/** Those of who outgrows one process or one machine. */
const FOR_GROWERS = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'DATABASE_POOL_SIZE', 'FILES_URL', 'WORKERS'],
  ...['DRAIN_SECONDS', 'CODE_SECRET', 'BOOTSTRAP_TOKEN'],
] as const;

/** Whom the page of settings is for, in its order; all other settings follow by area. */
const READERS: readonly { readonly title: string; readonly variables: readonly string[] }[] = [
  { title: 'The fifteen that anybody sets', variables: USUAL },
  { title: 'To take over from an older service', variables: FOR_MOVERS },
  { title: 'To grow beyond one process', variables: FOR_GROWERS },
];

test('docs/configuration.md holds the settings, the fifteen first, word for word', async () => {
  const page = await readFile('docs/configuration.md', 'utf8');
  const rowOf = ({ variable, fallback, without, documentation }: Setting) =>
    `| \`${variable}\` | ${fallback === undefined ? without : `\`${fallback}\``} | ${documentation} |`;
  const all = Object.values(SETTINGS as Record<string, Setting>);
  const first = new Set(READERS.flatMap(({ variables }) => variables));
  const rest = AREAS.map(({ title, settings }) => ({
    title,
    settings: Object.values(settings as Record<string, Setting>).filter(
      ({ variable }) => !first.has(variable),
    ),
  }));
  const expected = [
    ...READERS.flatMap(({ title, variables }) => [
      `## ${title}`,
      ...variables.map((name) => rowOf(all.find(({ variable }) => variable === name)!)),
    ]),
    '## All others',
    ...rest.flatMap(({ title, settings }) =>
      settings.length === 0 ? [] : [`### ${title}`, ...settings.map(rowOf)],
    ),
    '## Notes',
  ];
  const found = page.split('\n').filter((line) => /^(?:##|\| `)/.test(line));
  assert.deepEqual(found, expected);
});

test('the page on budgets names each budget with its default', async () => {
  const page = await readFile('docs/budgets.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `([^`]+)` \|/gm)].map(
    ([, variable, rates]) => [variable, rates],
  );
  const budgets = Object.entries(SETTINGS).filter(([property]) => Object.hasOwn(BUDGETS, property));
  assert.deepEqual(
    rows,
    budgets.map(([, { variable, ...setting }]) => [
      variable,
      'fallback' in setting ? setting.fallback : undefined,
    ]),
  );
});
