import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createEndpoint, operation, service, string } from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:empty';
const bare = (action: string) => operation({ style: 'bare', action, result: string });
const handlers = { First: () => 'first', Second: () => 'second' };

it('a request with an empty body is routed by its SOAPAction', async (test) => {
  const contract = service('Empty', {
    namespace: NS,
    operations: { First: bare('urn:first'), Second: bare('urn:second') },
  });
  const url = `${await serve(test, createEndpoint(contract, { path: '/Empty.asmx', handlers }))}/Empty.asmx`;
  assert.match((await soap(url, '', { action: 'urn:first' })).body, />first<\/FirstResponse>/);
  assert.match((await soap(url, '', { action: 'urn:second' })).body, />second<\/SecondResponse>/);
  assert.equal((await soap(url, '')).headers.get('x-error-code'), 'UnknownOperation');
  const wrong = await soap(url, '<First xmlns="urn:empty"/>', { action: 'urn:second' });
  assert.equal(wrong.headers.get('x-error-code'), 'MalformedRequest');
});

it('where one operation alone has an empty body, no SOAPAction is needed', async (test) => {
  const contract = service('Empty', {
    namespace: NS,
    operations: { First: bare(''), Second: operation({ action: '', result: string }) },
  });
  const url = `${await serve(test, createEndpoint(contract, { path: '/Empty.asmx', handlers }))}/Empty.asmx`;
  assert.match((await soap(url, '')).body, />first</);
  assert.match((await soap(url, `<Second xmlns="${NS}"/>`)).body, />second</);
});

it('of operations with one SOAPAction the body tells which is meant', async (test) => {
  const contract = service('Shared', {
    namespace: NS,
    operations: {
      First: operation({ action: 'urn:any', result: string }),
      Second: operation({ action: 'urn:any', result: string }),
    },
  });
  const url = `${await serve(test, createEndpoint(contract, { path: '/Shared.asmx', handlers }))}/Shared.asmx`;
  for (const name of ['First', 'Second']) {
    assert.match(
      (await soap(url, `<${name} xmlns="${NS}"/>`, { action: 'urn:any' })).body,
      new RegExp(name.toLowerCase()),
    );
  }
});

it('names may have letters of every script', async (test) => {
  const contract = service('Names', {
    namespace: NS,
    operations: { saЏHi: operation({ input: { имя: string }, result: string }) },
  });
  const endpoint = createEndpoint(contract, {
    path: '/Names.asmx',
    handlers: { saЏHi: ({ имя }) => `${имя}!` },
  });
  const url = `${await serve(test, endpoint)}/Names.asmx`;
  const body = `<saЏHi xmlns="${NS}"><имя>Ян</имя></saЏHi>`;
  assert.match((await soap(url, body)).body, /<saЏHiResult>Ян!</);
  // A header of HTTP has bytes: those of UTF-8.
  const action = Buffer.from(`${NS}/saЏHi`).toString('latin1');
  assert.match((await soap(url, body, { action })).body, /<saЏHiResult>Ян!</);
  const asked = await fetch(
    `${url}/${encodeURIComponent('saЏHi')}?${new URLSearchParams({ имя: 'Ян' })}`,
  );
  assert.match(await asked.text(), />Ян!</);
});
