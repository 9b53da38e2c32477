import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ECHO_NAMESPACE, echoForSuite } from '../kit/echo.ts';
import { errorOf, parseAnswer, statusOf } from './golden/answer.ts';
import { sendBytes } from './golden/exchanges.ts';

/** What clients in the field send and a real ASMX server takes; everything here is bytes on the wire. */
const echo = echoForSuite();

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const ENVELOPES = {
  'text/xml': 'http://schemas.xmlsoap.org/soap/envelope/',
  'application/soap+xml': 'http://www.w3.org/2003/05/soap-envelope',
} as const;
type SoapType = keyof typeof ENVELOPES;

/** An envelope whose token is some bytes. @param declaration what stands before the envelope. */
function envelope(type: SoapType, token: string | Uint8Array, declaration = ''): Buffer {
  const soap = ENVELOPES[type];
  return Buffer.concat([
    latin1(
      `${declaration}<s:Envelope xmlns:s="${soap}"><s:Body><UpdateArticleCategory xmlns="${ECHO_NAMESPACE}"><token>`,
    ),
    Buffer.from(token as string),
    latin1('</token><guid>g</guid></UpdateArticleCategory></s:Body></s:Envelope>'),
  ]);
}

async function send(line: string, headers: Record<string, string>, body: Uint8Array = Buffer.alloc(0)) {
  const fields = { Host: 'x', Connection: 'close', 'Content-Length': String(body.length), ...headers };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.concat([latin1(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), body]);
  const raw = await sendBytes(echo.port, request);
  return { raw: raw.toString('latin1'), answer: parseAnswer(raw) };
}

const post = (headers: Record<string, string>, body: Uint8Array) => send('POST /WS01.asmx', headers, body);

/** What the operation was given as token, of an answer in any binding. */
function tokenOf(answer: ReturnType<typeof parseAnswer>): string {
  const escaped = /"token\\?":\\?"((?:[^"\\]|\\\\?[^"])*?)\\?"/.exec(answer.body)?.[1];
  assert.ok(escaped !== undefined, `${answer.line}: ${answer.body}`);
  return JSON.parse(`"${escaped.replaceAll('\\\\', '\\')}"`);
}

describe('a Content-Encoding that names no coding', () => {
  const plain = envelope('text/xml', 'plain');
  for (const name of [
    ...['utf-8', 'UTF-8', '"utf-8"', 'text/xml', 'text/xml; charset=utf-8', 'none', '8bit', '7bit', 'binary'],
    ...['iso-8859-1', 'gb2312', 'windows-1252', 'unicode', 'charset=utf-8', 'identity', '', 'utf-8, identity'],
  ]) {
    it(`${JSON.stringify(name)} is passed over`, async () => {
      const soap = await post({ 'Content-Type': 'text/xml', 'Content-Encoding': name }, plain);
      assert.equal(tokenOf(soap.answer), 'plain');
      assert.ok(!soap.raw.includes('Content-Encoding'), soap.raw);
      const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': name };
      const posted = await send('POST /WS01.asmx/UpdateArticleCategory', form, latin1('token=plain'));
      assert.equal(tokenOf(posted.answer), 'plain');
      const json = { 'Content-Type': 'application/json', 'Content-Encoding': name };
      const called = await send('POST /WS01.asmx/UpdateArticleCategory', json, latin1('{"token":"plain"}'));
      assert.equal(tokenOf(called.answer), 'plain');
    });
  }

  it('beside one that does: the body is packed', async () => {
    const headers = { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip, utf-8' };
    assert.equal(tokenOf((await post(headers, gzipSync(plain))).answer), 'plain');
  });

  for (const name of ['br', 'br2', 'zstd', 'compress', 'x-mine', 'gzip, gzip']) {
    it(`${name} is a coding that is not read: 415`, async () => {
      const { answer } = await post({ 'Content-Type': 'text/xml', 'Content-Encoding': name }, plain);
      assert.equal(statusOf(answer), 415);
      assert.equal(errorOf(answer)?.code, 'UnsupportedMediaType');
    });
  }
});

describe('slashes and dot segments', () => {
  const headers = { 'Content-Type': 'text/xml' };
  for (const path of [
    ...['//WS01.asmx', '///ws01.asmx', '/./WS01.asmx', '/x/../WS01.asmx', '/x/y/../.././/WS01.asmx', '/WS01%2Easmx'],
    ...['/%2E/WS01.asmx', '/x/%2e%2E/WS01.asmx', '/%57S01.asmx', '/%2FWS01.asmx', 'http://any.example//WS01.asmx'],
  ]) {
    it(`${path} is the service`, async () => {
      assert.equal(tokenOf((await send(`POST ${path}`, headers, envelope('text/xml', 't'))).answer), 't');
      const { answer } = await send(`GET ${path}/UpdateArticleCategory?token=t`, {});
      assert.equal(tokenOf(answer), 't');
    });
  }

  for (const path of ['/WS01.asmx//UpdateArticleCategory', '/WS01.asmx/./UpdateArticleCategory']) {
    it(`${path} is the operation`, async () => {
      assert.equal(tokenOf((await send(`GET ${path}?token=t`, {})).answer), 't');
    });
  }

  for (const path of ['/../WS01.asmx', '/x/../../WS01.asmx', '/%2e%2e/WS01.asmx', '/WS01.asmx/../x', '/x//', '//x']) {
    it(`${path} is not the service`, async () => {
      assert.equal(statusOf((await send(`GET ${path}`, {})).answer), 404);
    });
  }

  it('an escaped percent sign is not decoded twice', async () => {
    assert.equal(statusOf((await send('GET /WS01%252Easmx', {})).answer), 404);
  });
});

describe('errors of JSON calls', () => {
  it('hold what jQuery handlers read, beside the problem details', async () => {
    const body = latin1('{"pagesize":"x"}');
    const { answer } = await send('POST /WS01.asmx/QueryAdvert', { 'Content-Type': 'application/json' }, body);
    assert.equal(statusOf(answer), 400);
    assert.equal(answer.headers.jsonerror, 'true');
    const { Message, StackTrace, ExceptionType, detail, status, code } = JSON.parse(answer.body);
    assert.deepEqual([StackTrace, ExceptionType, status, code], ['', 'InvalidParameter', 400, 'InvalidParameter']);
    assert.match(Message, /^pagesize: "x" is not a whole number/);
    assert.equal(Message, detail);
  });

  it('no answer that succeeds has the header', async () => {
    const { answer } = await send('POST /WS01.asmx/QueryAdvert', { 'Content-Type': 'application/json' }, latin1('{}'));
    assert.deepEqual([statusOf(answer), answer.headers.jsonerror], [200, undefined]);
  });

  it('results escape what ends a script', async () => {
    const body = latin1('{"userId":"__xml"}');
    const { raw } = await send('POST /WS01.asmx/QueryAdvert', { 'Content-Type': 'application/json' }, body);
    const d = raw.slice(raw.indexOf('\r\n\r\n') + 4);
    assert.ok(!/[<>&']/.test(d), d);
    assert.match(d, /\\u003ca b=\\"c\\"\\u003e\\u0026amp; \]\]\\u003e \\u0027q\\u0027/);
  });
});
