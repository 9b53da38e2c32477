import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchange, postTo, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { echoForSuite } from '../kit/echo.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const LARGE = '两室一厅 🏠 <&>"\' line\n'.repeat(4_000);

describe('HTTP GET and HTTP POST', () => {
  const echo = echoForSuite();

  /** What the echo was called with, read from the one element of the answer. */
  const echoed = (answer: {
    readonly status: number;
    readonly body: string;
  }): Record<string, unknown> => {
    assert.equal(answer.status, 200, answer.body);
    const text = /<string xmlns="[^"]*">([^<]*)<\/string>$/.exec(answer.body)![1]!;
    return JSON.parse(
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
  };
  const getRaw = (operation: string, query: string) =>
    exchange(`${echo.url}/WS01.asmx/${operation}${query}`);
  const postRaw = (operation: string, body: string | Uint8Array, type = FORM_TYPE, query = '') =>
    postTo(`${echo.url}/WS01.asmx/${operation}${query}`, body, type);

  const bindings = [
    { name: 'GET', raw: (operation: string, pairs: string) => getRaw(operation, `?${pairs}`) },
    { name: 'POST', raw: (operation: string, pairs: string) => postRaw(operation, pairs) },
  ];

  for (const { name, raw } of bindings) {
    const given = async (pairs: string, operation = 'UpdateArticleCategory') =>
      echoed(await raw(operation, pairs));

    for (const [what, pairs, guid] of [
      ['a plain value', 'guid=abc', 'abc'],
      ['an empty value', 'guid=', ''],
      ['a missing value', 'token=t', null],
      ['a name without =, which is no parameter', 'guid', null],
      ['a value without a name', '=abc', null],
      ['nothing at all', '', null],
      ['+ as a blank', 'guid=a+b++c', 'a b  c'],
      ['+ by escape', 'guid=a%2Bb', 'a+b'],
      ['escapes in UTF-8', 'guid=%E4%B8%AD%F0%9F%8F%A0', '中🏠'],
      ['escapes that are no UTF-8', 'guid=%FF%D6%D0x', '\ufffd\ufffd\ufffdx'],
      ['escapes of either case', 'guid=%e4%b8%aD', '中'],
      ['%uXXXX, as .NET proxies write it', 'guid=%u4E2D%u6587', '中文'],
      ['%uXXXX in surrogate pairs', 'guid=%uD83C%uDFE0', '🏠'],
      ['half a pair of %uXXXX', 'guid=%uD83Cx', '\ufffdx'],
      ['broken escapes, which stay', 'guid=100%25%+%zz%u12', '100%% %zz%u12'],
      ['a semicolon, which is text', 'guid=a;token=b', 'a;token=b'],
      ['an equals sign', 'guid=a=b', 'a=b'],
      ['markup', 'guid=%3Cscript%3E%26', '<script>&'],
      ['quotes', "guid='%22", '\'"'],
      ['line ends as they are', 'guid=a%0D%0Ab%0Dc', 'a\r\nb\rc'],
      ['names in any case', 'GUID=abc', 'abc'],
      ['names by escape', '%67uid=abc', 'abc'],
      ['repeats, joined with a comma', 'guid=a&token=t&Guid=b&guid=', 'a,b,'],
      ['unknown names and those of every object', '__proto__=1&constructor=2&x=3&guid=abc', 'abc'],
      ['empty pairs', '&&guid=abc&&', 'abc'],
    ] as const) {
      it(`${name}: ${what}`, async () => {
        const answer = await given(pairs);
        assert.equal(answer.guid, guid);
        assert.deepEqual(Object.keys(answer), ['op', 'token', 'guid', 'cateId']);
      });
    }

    it(`${name}: typed values that are missing or empty are not given`, async () => {
      const missing = await given('', 'InsertArticle');
      const empty = await given('Status=&pinnedTopDueDate=', 'InsertArticle');
      for (const { Status, pinnedTopDueDate } of [missing, empty]) {
        assert.deepEqual({ Status, pinnedTopDueDate }, { Status: 0, pinnedTopDueDate: null });
      }
      assert.equal((await given('isImage=', 'addNewAdvert')).isImage, false);
    });

    it(`${name}: a repeated int is joined too, and so is none`, async () => {
      const answer = await raw('QueryAdvert', 'pageindex=1&pageindex=2');
      assert.equal(answer.status, 400);
      assert.match(answer.body, /<code>InvalidParameter<\/code><message>pageindex: "1,2"/);
    });

    it(`${name}: of several wrong values the first in the contract’s order is reported`, async () => {
      const answer = await raw('QueryAdvert', 'pageindex=x&pagesize=y');
      assert.match(answer.body, /<parameter>pagesize<\/parameter>/);
    });

    it(`${name}: a text of 100 kB`, async () => {
      const answer = await given(`content=${encodeURIComponent(LARGE)}`, 'InsertArticle');
      assert.equal(answer.content, LARGE);
    });

    it(`${name}: more pairs than the limit`, async () => {
      const pairs = Array.from({ length: 10_001 }, (_, i) => `n${i}=`).join('&');
      const answer = await raw('DeleImgById', pairs);
      assert.equal(answer.status, 413);
      assert.match(answer.body, /formPairs of 10000/);
    });
  }

  it('GET: raw UTF-8 in the request line, as clients send it that do not escape', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    const target = Buffer.from('/WS01.asmx/UpdateArticleCategory?guid=中🏠').toString('latin1');
    connection.send(`GET ${target} HTTP/1.1`, 'Host: x', '', '');
    assert.equal(echoed(await connection.answer()).guid, '中🏠');
  });

  it('GET: a query over the limit', async () => {
    const answer = await getRaw('InsertArticle', `?content=${'a'.repeat(400_000)}`);
    assert.equal(answer.status, 413);
    assert.equal(answer.headers['x-error-code'], 'TooLarge');
  });

  it('GET: without any query', async () => {
    assert.equal(echoed(await getRaw('UpdateArticleCategory', '')).guid, null);
  });

  it('GET: a content type does not make it JSON', async () => {
    const url = `${echo.url}/WS01.asmx/UpdateArticleCategory?guid=g`;
    const answer = await exchange(url, { headers: { 'Content-Type': 'application/json' } });
    assert.equal(answer.headers['content-type'], 'text/xml; charset=utf-8');
    assert.equal(echoed(answer).guid, 'g');
  });

  it('POST: the query does not count', async () => {
    const answer = await postRaw(
      'UpdateArticleCategory',
      'guid=body',
      FORM_TYPE,
      '?guid=query&token=query',
    );
    assert.deepEqual(echoed(answer), {
      op: 'UpdateArticleCategory',
      token: null,
      guid: 'body',
      cateId: null,
    });
  });

  for (const [type, body, guid] of [
    [`${FORM_TYPE}; charset=utf-8`, Buffer.from('guid=中'), '中'],
    [`${FORM_TYPE.toUpperCase()};CHARSET="gb2312"`, 'guid=%D6%D0', '中'],
    [`${FORM_TYPE}; charset=gb2312`, Buffer.from('guid=\xd6\xd0', 'latin1'), '中'],
    [`${FORM_TYPE}; charset=nonsense`, 'guid=%E4%B8%AD', '中'],
  ] as const) {
    it(`POST: ${type}`, async () => {
      assert.equal(echoed(await postRaw('UpdateArticleCategory', body, type)).guid, guid);
    });
  }

  for (const type of [
    '',
    'text/xml',
    'text/plain',
    `${FORM_TYPE} ; charset=utf-8`,
    'multipart/mixed; boundary=b',
  ]) {
    it(`POST: the content type ${JSON.stringify(type)} is 415 and the answer names the right ones`, async () => {
      const answer = await postRaw('UpdateArticleCategory', 'guid=g', type);
      assert.equal(answer.status, 415);
      assert.equal(answer.headers['x-error-code'], 'UnsupportedMediaType');
      assert.match(answer.body, /x-www-form-urlencoded, multipart\/form-data or application\/json/);
    });
  }
});

describe('multipart/form-data', () => {
  const echo = echoForSuite();

  /** Posts a form as browsers and Node write it. */
  const post = async (operation: string, data: FormData) => {
    const request = new Response(data);
    return postTo(
      `${echo.url}/WS01.asmx/${operation}`,
      new Uint8Array(await request.arrayBuffer()),
      request.headers.get('content-type')!,
    );
  };

  it('ordinary parameters: names in any case, repeats joined, unknown ones ignored, 100 kB', async () => {
    const data = new FormData();
    data.append('TOKEN', '中 🏠 <&>"\'');
    data.append('content', LARGE.replaceAll('\n', '\r\n'));
    data.append('caption', 'a');
    data.append('caption', 'b');
    data.append('x', 'y');
    data.append('Status', '7');
    const { body } = await post('InsertArticle', data);
    const text = /<string[^>]*>([^<]*)</.exec(body)![1]!;
    const shown = JSON.parse(
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
    assert.equal(shown.token, '中 🏠 <&>"\'');
    assert.equal(shown.content, LARGE.replaceAll('\n', '\r\n'));
    assert.equal(shown.caption, 'a,b');
    assert.equal(shown.Status, 7);
  });

  it('a parameter that comes as a file is its text', async () => {
    const data = new FormData();
    data.append('guid', new Blob(['中']), 'guid.txt');
    assert.match((await post('UpdateArticleCategory', data)).body, /"guid":"\\u4e2d"/);
  });

  it('a form that ends early is 400', async () => {
    const answer = await postTo(
      `${echo.url}/WS01.asmx/DeleImgById`,
      '--b\r\nContent-Disposition: form-data; name=ip\r\n\r\n1',
      'multipart/form-data; boundary=b',
    );
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['x-error-code'], 'MalformedRequest');
  });
});
