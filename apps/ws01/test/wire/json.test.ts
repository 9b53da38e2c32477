import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { echoForSuite, NOTHING_GIVEN } from '../kit/echo.ts';

const LARGE = '两室一厅 🏠 <&>"\' line\n'.repeat(4_000);

describe('JSON', () => {
  const echo = echoForSuite({ timeZone: 'Asia/Shanghai' });
  const post = async (operation: string, body: string | Uint8Array, type = 'application/json') =>
    postTo(`${echo.url}/WS01.asmx/${operation}`, body, type);

  /** What the echo was called with. */
  const given = async (operation: string, body: string | Uint8Array, type?: string) => {
    const answer = await post(operation, body, type);
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    const wrapped: unknown = JSON.parse(answer.body);
    assert.deepEqual(Object.keys(wrapped as object), ['d']);
    return JSON.parse((wrapped as { d: string }).d);
  };
  const problem = async (operation: string, body: string | Uint8Array) => {
    const answer = await post(operation, body);
    assert.equal(answer.headers['content-type'], 'application/problem+json; charset=utf-8');
    const parsed = JSON.parse(answer.body);
    assert.equal(parsed.status, answer.status);
    assert.equal(parsed.code, answer.headers['x-error-code']);
    assert.equal(parsed.requestId, answer.headers['x-request-id']);
    return parsed;
  };

  it('a boolean result is a boolean', async () => {
    assert.equal((await post('InsertArticleImageFile', '{}')).body, '{"d":true}');
  });

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json ;x=y',
  ]) {
    it(`the content type ${type}`, async () => {
      assert.equal((await given('DeleImgById', '{"ip":"中"}', type)).ip, '中');
    });
  }

  it('as many members and items as the limit allows, and one more', async () => {
    const texts = (count: number) => `{"ip":"中","x":[${'"",'.repeat(count - 3)}""]}`;
    const nested = (count: number) => `{"ip":"中","x":{"y":[[${'0,'.repeat(count - 6)}0,{}]]}}`;
    for (const body of [texts, nested]) {
      assert.equal((await given('DeleImgById', body(10_000))).ip, '中');
      const { status, code, detail } = await problem('DeleImgById', body(10_001));
      assert.deepEqual([status, code], [413, 'TooLarge']);
      assert.match(
        detail,
        /The number of members and items is over the limit formPairs of 10000 in all\./,
      );
    }
  });

  it('a file as one number a byte, whatever their number', async () => {
    const answer = await post('InsertArticleImageFile', `{"FileImg":[${'255,'.repeat(20_000)}0]}`);
    assert.deepEqual([answer.status, answer.body], [200, '{"d":true}']);
  });

  it('UTF-16, when the content type says it', async () => {
    const body = Buffer.from('{"ip":"中"}', 'utf16le');
    assert.equal((await given('DeleImgById', body, 'application/json; charset=utf-16le')).ip, '中');
  });

  for (const [what, body] of [
    ['an empty body', ''],
    ['white space', ' \r\n\t'],
    ['an empty object', '{}'],
    ['null for each', '{"verifyCode":null,"FileGuid":null,"Link_Guid":null,"ip":null}'],
    ['unknown members', '{"x":1,"y":{"FileGuid":"deep"},"z":[["a"]]}'],
    [
      'names of every object',
      '{"__proto__":{"ip":"1"},"constructor":{"prototype":{"ip":"2"}},"toString":"3"}',
    ],
  ] as const) {
    it(`${what}: nothing is given`, async () => {
      const answer = await given('DeleImgById', body);
      assert.deepEqual(answer, NOTHING_GIVEN);
      assert.equal(({} as { ip?: string }).ip, undefined);
    });
  }

  for (const [what, body, ip] of [
    ['in any case', '{"IP":"a"}', 'a'],
    ['in any case, by escape', '{"\\u0049p":"a"}', 'a'],
    ['twice: the one as in the contract counts, last', '{"IP":"a","ip":"b"}', 'b'],
    ['twice: the one as in the contract counts, first', '{"ip":"b","IP":"a"}', 'b'],
    ['twice, neither as in the contract: the first counts', '{"IP":"a","Ip":"b"}', 'a'],
    ['twice: null is not given', '{"ip":null,"IP":"a"}', 'a'],
  ] as const) {
    it(`names: ${what}`, async () => assert.equal((await given('DeleImgById', body)).ip, ip));
  }

  it('a call in camelCase, as .NET’s PostAsJsonAsync writes it, loses nothing', async () => {
    const body = { token: 't', createUserId: 'u', iconGuid: 'i', status: 3, fromUrl: 'f' };
    const article = await given('InsertArticle', JSON.stringify(body));
    assert.deepEqual(
      [article.CreateUserId, article.IconGuid, article.Status, article.fromUrl],
      ['u', 'i', 3, 'f'],
    );
  });

  it('a file in another case is read while it comes', async () => {
    const answer = await post('InsertArticleImageFile', '{"fileimg":"AAAA"}');
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(echo.understood.at(-1)!).FileImg.length, 3);
  });

  for (const [what, body, told] of [
    ['none', '{"ip":"a","fileguid":null}', undefined],
    ['each name once', '{"zzz":{"a":[1]},"zzz":1,"y":[1,2]}', 'zzz, y'],
    [
      'of names that are no names only the length',
      '{"a b":1,"é":2,"":3,"a\\r\\nX: y":4}',
      '(3 characters), (1 characters), (0 characters), (7 characters)',
    ],
    [
      'of what may be a token, a key or an address only the length',
      `{"ws1_${'aB'.repeat(19)}":1,"a3f2504e-4f89-11d3-9a0c-0305e82c3301":2,"ann@example.com":3,"line10.@type":4}`,
      '(42 characters), (36 characters), (15 characters), line10.@type',
    ],
    ['a few', `{${'abcdefghij'.split('').map((name) => `"${name}":1`)}}`, 'a, b, c, d, e'],
  ] as const) {
    it(`members that no parameter has are told: ${what}`, async () => {
      const { status, headers } = await post('DeleImgById', body);
      const warning =
        told &&
        `The contract has no place for these parts of the call, and they were ignored: ${told}.`;
      assert.deepEqual([status, headers['x-warning']], [200, warning]);
    });
  }

  for (const [what, body, ip] of [
    ['a string', '{"ip":"a"}', 'a'],
    ['an empty string', '{"ip":""}', ''],
    ['escapes', '{"ip":"\\u4e2d\\ud83c\\udfe0\\n\\/\\"\\u0009"}', '中🏠\n/"\t'],
    ['a number', '{"ip":12.50}', '12.50'],
    ['true', '{"ip":true}', 'True'],
    ['in single quotes', "{'ip':'a\\'\"b'}", `a'"b`],
    ['of a name without quotes', '{ip:"a"}', 'a'],
    ['with raw line breaks and tabs', '{"ip":"a\r\n\tb"}', 'a\r\n\tb'],
    ['with NULs behind the object', '{"ip":"a"}\0\n\0', 'a'],
    ['repeated: the first wins', '{"ip":"a","ip":"b"}', 'a'],
    ['repeated: null is not given, so the next one is', '{"ip":null,"ip":"b"}', 'b'],
    ['a name by escape', '{"\\u0069p":"a"}', 'a'],
    ['with a byte order mark', '\ufeff{"ip":"a"}', 'a'],
  ] as const) {
    it(`text: ${what}`, async () => assert.equal((await given('DeleImgById', body)).ip, ip));
  }

  it('text of 100 kB', async () => {
    assert.equal((await given('InsertArticle', JSON.stringify({ content: LARGE }))).content, LARGE);
  });

  for (const [written, value] of [
    ['7', 7],
    ['"7"', 7],
    ['5.0', 5],
    ['1e1', 10],
    ['-0', 0],
    ['""', 0],
    ['null', 0],
  ] as const) {
    it(`int: ${written}`, async () => {
      assert.equal((await given('InsertArticle', `{"Status":${written}}`)).Status, value);
    });
  }

  for (const [written, value] of [
    ['true', true],
    ['false', false],
    ['1', true],
    ['"Yes"', true],
    ['""', false],
  ] as const) {
    it(`boolean: ${written}`, async () => {
      assert.equal((await given('addNewAdvert', `{"isImage":${written}}`)).isImage, value);
    });
  }

  for (const [written, value] of [
    ['"/Date(1711929600000)/"', '2024-04-01T00:00:00Z'],
    ['"\\/Date(1711929600123)\\/"', '2024-04-01T00:00:00.123Z'],
    ['"/Date(-1)/"', '1969-12-31T23:59:59.999Z'],
    ['"/Date(1711929600000+0800)/"', '2024-04-01T00:00:00Z'],
    ['"2024-04-01T00:00:00Z"', '2024-04-01T00:00:00Z'],
    ['"2024-04-01T08:00:00"', '2024-04-01T00:00:00Z'],
    ['"0001-01-01T00:00:00"', null],
    ['"/Date(-62135596800000)/"', null],
    ['""', null],
    ['null', null],
  ] as const) {
    it(`dateTime: ${written}`, async () => {
      const answer = await given('UpdatePinnedTopDueDateByGuid', `{"pinnedTopDueDate":${written}}`);
      assert.equal(answer.pinnedTopDueDate, value);
    });
  }

  for (const [what, operation, body, parameter] of [
    ['an object for text', 'DeleImgById', '{"ip":{"a":1}}', 'ip'],
    ['an array in an array', 'DeleImgById', '{"ip":[["a"]]}', 'ip'],
    ['a fraction for int', 'InsertArticle', '{"Status":1.5}', 'Status'],
    ['a word for boolean', 'addNewAdvert', '{"isImage":"maybe"}', 'isImage'],
    [
      'a number for dateTime',
      'UpdatePinnedTopDueDateByGuid',
      '{"pinnedTopDueDate":1711929600000}',
      'pinnedTopDueDate',
    ],
    [
      'a date that is none',
      'UpdatePinnedTopDueDateByGuid',
      '{"pinnedTopDueDate":"/Date(x)/"}',
      'pinnedTopDueDate',
    ],
    ['a control character', 'DeleImgById', '{"ip":"\\u0000"}', 'ip'],
  ] as const) {
    it(`${what} is InvalidParameter`, async () => {
      const { status, code, detail, ...rest } = await problem(operation, body);
      assert.deepEqual([status, code, rest.parameter], [400, 'InvalidParameter', parameter]);
      assert.ok(detail.startsWith(`${parameter}: `), detail);
    });
  }

  for (const [what, body] of [
    ['an array', '[]'],
    ['a string', '"a"'],
    ['an object that ends early', '{"ip":"a"'],
    ['something behind the object', '{} x'],
    ['a comma at the end', '{"ip":"a",}'],
    ['a comment', '{/* */}'],
    ['NaN', '{"ip":NaN}'],
    ['half a surrogate pair', '{"ip":"\\ud83c"}'],
    ['bytes that are no UTF-8', Buffer.from('{"ip":"\xff"}', 'latin1')],
  ] as const) {
    it(`${what} is MalformedRequest`, async () => {
      const { status, code } = await problem('DeleImgById', body);
      assert.deepEqual([status, code], [400, 'MalformedRequest']);
    });
  }

  it('depth, members and texts over their limits are TooLarge', async () => {
    for (const body of [
      `{"x":${'['.repeat(100)}`,
      `{${Array.from({ length: 10_001 }, (_, i) => `"n${i}":1`).join(',')}}`,
      `{"${'n'.repeat(2_000)}":1}`,
    ]) {
      const { status, code } = await problem('DeleImgById', body);
      assert.deepEqual([status, code], [413, 'TooLarge']);
    }
  });

  for (const name of words('Nothing deleimgbyid __proto__ constructor toString hasOwnProperty')) {
    it(`the operation ${name} is unknown`, async () => {
      const { status, code } = await problem(name, '{}');
      assert.deepEqual([status, code], [404, 'UnknownOperation']);
    });
  }

  it('at the service’s own path is not taken: that is SOAP', async () => {
    const answer = await post('..', '{}');
    assert.notEqual(answer.status, 200);
    const soap = await postTo(`${echo.url}/WS01.asmx`, '{}', 'application/json');
    assert.equal(soap.status, 415);
  });
});
