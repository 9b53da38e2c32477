import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  array,
  createEndpoint,
  defineLimits,
  int,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const Sums = service('Sums', {
  namespace: 'http://example.com/sums',
  operations: { Sum: operation({ input: { numbers: array(int) }, result: string }) },
});

it('the limit items: at it a list is read, over it not, in SOAP and JSON', async (test) => {
  const endpoint = createEndpoint(Sums, {
    path: '/Sums.asmx',
    baseUrl: () => 'http://localhost',
    authorize: () => undefined,
    limits: defineLimits({ items: 3 }),
    handlers: {
      Sum: ({ numbers }) => String((numbers ?? []).reduce((sum, number) => sum + number, 0)),
    },
  });
  const url = `${await serve(test, endpoint)}/Sums.asmx`;
  const inSoap = (count: number) =>
    soap(
      url,
      `<Sum xmlns="http://example.com/sums"><numbers>${'<int>2</int>'.repeat(count)}</numbers></Sum>`,
    );
  const inJson = (count: number) =>
    fetch(`${url}/Sum`, jsonRequest({ numbers: new Array(count).fill(2) }));
  assert.match((await inSoap(3)).body, /<SumResult>6<\/SumResult>/);
  assert.equal(await (await inJson(3)).text(), '{"d":"6"}');
  for (const answer of [await inSoap(4), await inJson(4)]) {
    assert.equal(answer.headers.get('x-error-code'), 'TooLarge');
    assert.match(
      typeof answer.text === 'string' ? answer.text : await answer.text(),
      /the limit \\?"items/,
    );
  }
});
