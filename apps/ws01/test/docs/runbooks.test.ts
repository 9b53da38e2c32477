import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SETTINGS } from '../../src/config/settings.ts';

test('each alert has a runbook under its name, and says so; each metric that it asks for exists', async () => {
  const alerts = await readFile('deploy/prometheus/alerts.yml', 'utf8');
  const page = await readFile('docs/operations/runbooks.md', 'utf8');
  const metrics = await readFile('docs/operations/metrics.md', 'utf8');
  const names = [...alerts.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!);
  const runbooks = new Set([...page.matchAll(/^## (WS01\w+)$/gm)].map(([, name]) => name!));
  assert.ok(names.length > 0);
  assert.deepEqual(names, [...runbooks], 'in the same order');
  assert.deepEqual(
    [...alerts.matchAll(/^ +runbook: (\S+)$/gm)].map(([, link]) => link),
    names.map((name) => `docs/operations/runbooks.md#${name.toLowerCase()}`),
  );
  for (const name of mentioned(alerts)) assert.ok(metrics.includes(`\`${name}\``), name);
  const settings = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  for (const [, name = ''] of page.matchAll(/`([A-Z]+_[A-Z_]+)(?:=\w+)?`/g))
    assert.ok(settings.has(name), name);
});

test('the dashboard asks for metrics that exist', async () => {
  const text = await readFile('deploy/grafana/ws01.json', 'utf8');
  const metrics = await readFile('docs/operations/metrics.md', 'utf8');
  const dashboard = JSON.parse(text) as { readonly panels: readonly unknown[] };
  assert.ok(dashboard.panels.length > 20);
  for (const name of mentioned(text)) assert.ok(metrics.includes(`\`${name}\``), name);
});

/** The metrics that an expression asks for, histograms without what their series are called. */
function mentioned(text: string): ReadonlySet<string> {
  const names = [...text.matchAll(/\b(?:ws01|nodejs|process)_[a-z0-9_]+(?=[{[ ])/g)].map(
    ([name]) => name,
  );
  return new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
}
