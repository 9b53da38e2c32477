import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVisitSources } from '../../src/web/visit-sources.ts';

const here = createVisitSources(undefined, () => true);

function nameOf(kind: string, headers: Record<string, string>, of = here): string | undefined {
  return of({ headers, remoteAddress: '127.0.0.1' }).find((source) => source.kind === kind)?.name;
}

test('of a referrer the host is kept, and nothing that may name a machine or a person', () => {
  const cases: readonly [referer: string, name: string][] = [
    ['https://www.News.Example/today?user=ada#x', 'news.example'],
    ['http://forum.example:8080/', 'forum.example'],
    ['https://ada:secret@mail.example/', 'mail.example'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['android-app://com.example.reader/', 'com.example.reader'],
    ['', '-'],
    ['   ', '-'],
    ['https://203.0.113.7/', '*'],
    ['https://[2001:db8::1]/', '*'],
    ['http://ada-laptop/', '*'],
    ['http://localhost:3000/', '*'],
    ['file:///home/ada/page.html', '*'],
    ['no address', '*'],
    [`https://${'a'.repeat(70)}.example/`, '*'],
    [`https://news.example/${'x'.repeat(10_000)}`, 'news.example'],
    ['https://news.example/\u0000', 'news.example'],
  ];
  for (const [referer, name] of cases)
    assert.equal(nameOf('referrer', { referer }), name, referer.slice(0, 80));
  assert.equal(nameOf('referrer', {}), '-');
});

test('a language is the one that the browser likes best', () => {
  const cases: readonly [accepted: string, name: string][] = [
    ['de-AT,de;q=0.9,en;q=0.5', 'de-AT'],
    ['zh-hans-cn', 'zh-CN'],
    ['fr', 'fr'],
    ['*', '-'],
    ['', '-'],
    ['english please', '*'],
    ['x'.repeat(2_000), '*'],
  ];
  for (const [accepted, name] of cases) {
    assert.equal(nameOf('language', { 'accept-language': accepted }), name, accepted.slice(0, 80));
  }
});

test('a country is what a trusted proxy says, and nobody else', () => {
  const proxied = createVisitSources('cf-ipcountry', () => true);
  for (const [told, name] of [
    ['AT', 'AT'],
    ['at', 'AT'],
    ['XX', '-'],
    ['T1', '*'],
    ['Austria', '*'],
  ] as const) {
    assert.equal(nameOf('country', { 'cf-ipcountry': told }, proxied), name, told);
  }
  assert.equal(nameOf('country', {}, proxied), '-');
  assert.equal(
    nameOf('language', { 'accept-language': 'de' }, proxied),
    undefined,
    'one of both is counted',
  );
  const stranger = createVisitSources('cf-ipcountry', () => false);
  assert.equal(nameOf('country', { 'cf-ipcountry': 'AT' }, stranger), '-');
});
