import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  array,
  char,
  createEndpoint,
  nullable,
  object,
  operation,
  service,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:chars';
const Unset = object('Unset', { first: char, maybe: nullable(char), all: array(char) });
const Chars = service('Chars', {
  namespace: NS,
  operations: { Echo: operation({ input: { c: char, unset: Unset }, result: Unset }) },
});

it('a char may be any code unit, as in .NET, whose unset char is 0', async (test) => {
  const seen: (number | undefined)[] = [];
  const endpoint = createEndpoint(Chars, {
    path: '/Chars.asmx',
    handlers: {
      Echo: ({ c, unset }) => {
        seen.push(c?.charCodeAt(0));
        return unset;
      },
    },
  });
  const url = `${await serve(test, endpoint)}/Chars.asmx`;
  for (const code of [
    0,
    1,
    11,
    65,
    0x1f600 & 0xffff,
    0xd800,
    0xdbff,
    0xdc00,
    0xdfff,
    0xfffe,
    0xffff,
  ]) {
    const members = `<first>${code}</first><maybe>${code}</maybe><all><char>${code}</char><char>65</char></all>`;
    const { status, body } = await soap(
      url,
      `<Echo xmlns="${NS}"><c>${code}</c><unset>${members}</unset></Echo>`,
    );
    assert.equal(status, 200, body);
    assert.ok(body.includes(members), body);
    assert.equal(seen.at(-1), code);
  }
  for (const code of ['65536', '-1', 'a', '1.5']) {
    assert.equal((await soap(url, `<Echo xmlns="${NS}"><c>${code}</c></Echo>`)).status, 500, code);
  }
});
