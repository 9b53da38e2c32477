import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../../../../packages/asmx/src/contract/errors.ts';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import {
  exchange,
  type HttpAnswer,
  jsonRequest,
  postTo,
} from '../../../../packages/asmx/test/kit/http.ts';
import { call, envelopeOf, SOAP11, SOAP12 } from '../../../../packages/asmx/test/kit/soap.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import type { OperationHandlers } from '../../src/contract/service.ts';
import { ECHO_NAMESPACE, echoForSuite } from '../kit/echo.ts';

const MESSAGE = 'A "message" with <markup> & 中 🏠.';

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What DeleImgById does with the code in its FileGuid: throws it. */
const handlers = {
  DeleImgById: ({ FileGuid }: { readonly FileGuid: string | undefined }) => {
    if (FileGuid === 'Defect') throw new Error('secret');
    if (FileGuid === 'Control') return 'a\u0001b';
    if (FileGuid?.startsWith('text ')) return FileGuid.slice('text '.length);
    const retryAfter = FileGuid === 'RateLimited' ? { retryAfter: 17 } : {};
    throw new ServiceError(FileGuid!, MESSAGE, { parameter: 'FileGuid', ...retryAfter });
  },
  InsertArticleImageFile: () => ({ result: false, code: 'ImageUnreadable' }) as const,
} as unknown as OperationHandlers<unknown>;

/** One way to call DeleImgById, and how its answers look. */
interface CallForm {
  readonly name: string;
  call(url: string, fileGuid: string): Promise<HttpAnswer>;
  readonly resultType: string;
  readonly errorType: string;
  statusOf(code: string): number;
}

const soap = (version: typeof SOAP11): CallForm => ({
  name: version.name,
  call: (url, fileGuid) =>
    postTo(
      `${url}/WS01.asmx`,
      envelopeOf(version, call('DeleImgById', `<FileGuid>${xmlText(fileGuid)}</FileGuid>`)),
      version.contentType,
    ),
  resultType: version.contentType,
  errorType: version.contentType,
  statusOf: () => 500,
});

const tableStatus = (code: string): number => ERRORS[code as keyof typeof ERRORS].status;

const FORMS: readonly CallForm[] = [
  soap(SOAP11),
  soap(SOAP12),
  {
    name: 'GET',
    call: (url, fileGuid) =>
      exchange(`${url}/WS01.asmx/DeleImgById?FileGuid=${encodeURIComponent(fileGuid)}`),
    resultType: 'text/xml; charset=utf-8',
    errorType: 'text/xml; charset=utf-8',
    statusOf: tableStatus,
  },
  {
    name: 'POST',
    call: (url, fileGuid) =>
      postTo(
        `${url}/WS01.asmx/DeleImgById`,
        `FileGuid=${encodeURIComponent(fileGuid)}`,
        'application/x-www-form-urlencoded',
      ),
    resultType: 'text/xml; charset=utf-8',
    errorType: 'text/xml; charset=utf-8',
    statusOf: tableStatus,
  },
  {
    name: 'JSON',
    call: (url, fileGuid) =>
      postTo(
        `${url}/WS01.asmx/DeleImgById`,
        JSON.stringify({ FileGuid: fileGuid }),
        'application/json',
      ),
    resultType: 'application/json; charset=utf-8',
    errorType: 'application/problem+json; charset=utf-8',
    statusOf: tableStatus,
  },
];

describe('answers', () => {
  const echo = echoForSuite({ handlers });

  for (const form of FORMS) {
    it(`${form.name}: a result`, async () => {
      const answer = await form.call(echo.url, 'text <a> & 中 🏠');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], form.resultType);
      assert.equal(answer.headers['cache-control'], 'private, max-age=0');
      assert.equal(Number(answer.headers['content-length']), answer.bytes.length);
      assert.equal(answer.headers['x-error-code'], undefined);
      // JSON as JavaScriptSerializer writes it: nothing in it that a page would read as markup.
      const text =
        form.name === 'JSON' ? '{"d":"\\u003ca\\u003e \\u0026 中 🏠"}' : xmlText('<a> & 中 🏠');
      assert.ok(answer.body.includes(text), answer.body);
    });

    for (const code of Object.keys(ERRORS)) {
      it(`${form.name}: the error ${code}`, async () => {
        const answer = await form.call(echo.url, code);
        const { side } = ERRORS[code as keyof typeof ERRORS];
        assert.equal(answer.status, form.statusOf(code));
        assert.equal(answer.headers['cache-control'], 'private');
        assert.equal(answer.headers['x-error-code'], code);
        assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
        const wait = code === 'RateLimited' ? '17' : tableStatus(code) === 503 ? '5' : undefined;
        assert.equal(answer.headers['retry-after'], wait);
        if (form.name === 'JSON') {
          assert.equal(answer.headers['content-type'], form.errorType);
          assert.equal(answer.headers.jsonerror, 'true');
          assert.deepEqual(JSON.parse(answer.body), {
            Message: MESSAGE,
            StackTrace: '',
            ExceptionType: code,
            type: 'about:blank',
            title: ERRORS[code as keyof typeof ERRORS].meaning,
            status: tableStatus(code),
            detail: MESSAGE,
            code,
            parameter: 'FileGuid',
            requestId: answer.headers['x-request-id'],
          });
          return;
        }
        const detail =
          `<error xmlns="${ECHO_NAMESPACE}"><code>${code}</code><message>${xmlText(MESSAGE)}</message>` +
          `<parameter>FileGuid</parameter><requestId>${answer.headers['x-request-id']}</requestId></error>`;
        if (form.name === 'GET' || form.name === 'POST') {
          assert.equal(answer.headers['content-type'], form.errorType);
          assert.equal(answer.body, `<?xml version="1.0" encoding="utf-8"?>\r\n${detail}`);
          return;
        }
        const ownCode = code === 'MustUnderstand' || code === 'VersionMismatch' ? code : undefined;
        const version11 = form.name === 'SOAP 1.1' || code === 'VersionMismatch';
        const sides = version11
          ? { client: 'Client', server: 'Server' }
          : { client: 'Sender', server: 'Receiver' };
        assert.equal(
          answer.headers['content-type'],
          version11 ? SOAP11.contentType : SOAP12.contentType,
        );
        assert.ok(answer.body.includes(`>soap:${ownCode ?? sides[side]}<`), answer.body);
        assert.ok(
          answer.body.includes(`>${xmlText(MESSAGE)}</${version11 ? 'faultstring' : 'soap:Text'}>`),
          answer.body,
        );
        if (code !== 'MustUnderstand') assert.ok(answer.body.includes(detail), answer.body);
      });
    }

    it(`${form.name}: a defect is Internal and tells nothing, nor does a code that the table does not have`, async () => {
      for (const fileGuid of ['Defect', 'NoSuchCode', '__proto__']) {
        const answer = await form.call(echo.url, fileGuid);
        assert.equal(answer.status, 500);
        assert.equal(answer.headers['x-error-code'], 'Internal');
        assert.doesNotMatch(answer.body, /secret|stack|\.ts|NoSuchCode/);
      }
    });

    it(`${form.name}: a result that XML cannot hold is a defect; JSON can write it`, async () => {
      const answer = await form.call(echo.url, 'Control');
      assert.equal(answer.headers['x-error-code'], form.name === 'JSON' ? undefined : 'Internal');
      assert.ok(!answer.body.includes('\u0001'));
    });
  }

  it('a boolean’s no is false with 200 and its reason in a header, in every binding', async () => {
    const url = `${echo.url}/WS01.asmx`;
    const json = jsonRequest({});
    const answers = [
      await exchange(`${url}/InsertArticleImageFile`),
      await exchange(`${url}/InsertArticleImageFile`, json),
      ...(await Promise.all(
        [SOAP11, SOAP12].map((version) =>
          postTo(url, envelopeOf(version, call('InsertArticleImageFile')), version.contentType),
        ),
      )),
    ];
    for (const { status, headers, body } of answers) {
      assert.equal(status, 200);
      assert.match(body, /[>:]false/);
      assert.equal(headers['x-error-code'], 'ImageUnreadable');
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    }
  });
});

describe('compressed answers', () => {
  const echo = echoForSuite({ handlers });
  const large = `text ${'中 🏠 '.repeat(3_000)}`;
  const get = (path: string, accept?: string, headers: Record<string, string> = {}) =>
    exchange(`${echo.url}/WS01.asmx${path}`, {
      headers: { ...headers, ...(accept === undefined ? {} : { 'Accept-Encoding': accept }) },
    });
  const paths = [
    ['a result', `/DeleImgById?FileGuid=${encodeURIComponent(large)}`],
    ['the WSDL', '?WSDL'],
    ['the page', ''],
  ] as const;

  for (const [what, path] of paths) {
    for (const accept of [
      'gzip',
      'deflate, gzip;q=0.5',
      'GZIP',
      'x-gzip',
      '*',
      'br;q=1.0, *;q=0.1',
    ]) {
      it(`${what}, Accept-Encoding: ${accept}`, async () => {
        const [plain, packed] = await Promise.all([get(path), get(path, accept)]);
        assert.equal(packed.headers['content-encoding'], 'gzip');
        assert.equal(packed.headers.vary, 'Accept-Encoding');
        assert.equal(plain.headers.vary, 'Accept-Encoding');
        assert.equal(gunzipSync(packed.bytes).toString(), plain.body);
        assert.ok(packed.bytes.length < plain.bytes.length / 2);
        assert.equal(Number(packed.headers['content-length']), packed.bytes.length);
      });
    }

    for (const accept of [...words('identity br gzip;q=0 *;q=0 gzipped'), '', 'gzip; q=0.000, *']) {
      it(`${what}, Accept-Encoding: ${accept || 'empty'}: not compressed`, async () => {
        assert.equal((await get(path, accept)).headers['content-encoding'], undefined);
      });
    }
  }

  it('a short answer is not worth it', async () => {
    const answer = await get('/DeleImgById?FileGuid=text+short', 'gzip');
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.headers.vary, undefined);
  });

  it('a compressed description has a tag of its own, and either tag is answered with 304', async () => {
    const [plain, packed] = await Promise.all([get('?WSDL'), get('?WSDL', 'gzip')]);
    assert.notEqual(plain.headers.etag, packed.headers.etag);
    for (const tag of [plain.headers.etag!, packed.headers.etag!]) {
      assert.equal((await get('?WSDL', 'gzip', { 'If-None-Match': tag })).status, 304);
    }
  });

  it('HEAD says what GET would send', async () => {
    const options = { headers: { 'Accept-Encoding': 'gzip' } };
    const head = await exchange(`${echo.url}/WS01.asmx?WSDL`, { ...options, method: 'HEAD' });
    const answer = await exchange(`${echo.url}/WS01.asmx?WSDL`, options);
    assert.equal(head.headers['content-encoding'], 'gzip');
    assert.equal(head.headers['content-length'], answer.headers['content-length']);
    assert.equal(head.bytes.length, 0);
  });
});
