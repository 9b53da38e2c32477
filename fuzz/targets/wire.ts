import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { HOUR_MS } from '@ws01/asmx/time';
import { ERRORS } from '../../apps/ws01/src/contract/errors.ts';
import { WS01 } from '../../apps/ws01/src/contract/service.ts';
import { echoHandlers } from '../../apps/ws01/test/kit/echo-handlers.ts';
import { PROTOCOL_ERRORS } from '../../packages/asmx/src/contract/errors.ts';
import { defineLimits } from '../../packages/asmx/src/contract/limits.ts';
import { createEndpoint, defectLog } from '../../packages/asmx/src/engine/endpoint.ts';
import { fastPath } from '../../packages/asmx/src/fast/index.ts';
import {
  bytesBody,
  type WireBody,
  type WireResponse,
} from '../../packages/asmx/src/message/http.ts';
import { readRequestHead } from '../../packages/fast-http/src/request-head.ts';
import type { Target } from '../kit/target.ts';

const PATIENCE_MS = HOUR_MS;

const NAMESPACE = 'http://tempuri.org/ws01';
const PATH = '/WS01.asmx';

const log = defectLog();

function endpointOf(fast: boolean) {
  return createEndpoint(WS01, {
    namespace: NAMESPACE,
    path: PATH,
    baseUrl: () => 'http://localhost',
    errors: ERRORS,
    authorize: () => undefined,
    // A busy machine is no finding.
    limits: defineLimits({
      callWaitMs: PATIENCE_MS,
      overloadWaitMs: PATIENCE_MS,
      bodyPauseMs: PATIENCE_MS,
    }),
    fastPath: fast ? { ...fastPath, defer: (proceed) => proceed() } : undefined,
    now: () => 1_700_000_000_000,
    // What calls have too much, as most here do, is no finding and would hide those.
    onAnswered: (answered) => {
      if (answered.error?.code === 'Internal') log(answered);
    },
    handlers: echoHandlers(),
  });
}

const GENERAL = endpointOf(false);
const FAST = endpointOf(true);
const KNOWN_CODES = new Set(Object.keys({ ...PROTOCOL_ERRORS, ...ERRORS }));

interface Ask {
  readonly method?: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body as it comes on a slow line, cut where the bytes themselves say. */
function inPieces(bytes: Buffer): WireBody {
  return {
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < bytes.length; ) {
        const length = 1 + ((bytes[at]! * 7 + at) % 97);
        yield bytes.subarray(at, at + length);
        at += length;
      }
    },
  };
}

async function answerOf(
  endpoint: typeof GENERAL,
  { method = 'POST', target, headers }: Ask,
  body: WireBody,
): Promise<WireResponse> {
  const answer = await endpoint.request({
    method,
    target,
    headers,
    body,
    remoteAddress: '192.0.2.1',
    encrypted: false,
  });
  assert.ok(answer !== undefined);
  return answer;
}

/** What a client sees of it, but for the id of the request. */
function shown({ status, headers, body }: WireResponse): unknown {
  const { 'X-Request-Id': id, 'X-Warning': warning, ...others } = headers;
  const text = Buffer.from(body as string).toString('latin1');
  // What is refused is not read to its end, whose bytes the warning may be about.
  const warned = 'X-Error-Code' in headers ? undefined : warning;
  return { status, others, warned, text: id === undefined ? text : text.replaceAll(id, 'ID') };
}

/** Of a message with several faults it depends on the pieces which one is met first; of a value, what is said of it. */
const UNREADABLE = new Set(['MalformedRequest', 'TooLarge', 'InvalidParameter']);

/**
 * Asks both paths, with the body whole and in pieces. There is no defect behind any answer, every error has a code that
 * is told of, and all answers are the same.
 */
async function askAll(ask: Ask, body: Buffer): Promise<void> {
  const headers = { host: 'x', ...ask.headers, 'content-length': String(body.length) };
  const answer = await answerOf(GENERAL, { ...ask, headers }, bytesBody(body));
  const code = answer.headers['X-Error-Code'];
  assert.ok(code === undefined || KNOWN_CODES.has(code), `an unknown code: ${code}`);
  assert.notEqual(code, 'Internal', 'a defect');
  const general = shown(answer);
  assert.deepEqual(
    shown(await answerOf(FAST, { ...ask, headers }, bytesBody(body))),
    general,
    'the fast path answers otherwise',
  );
  const pieces = await answerOf(GENERAL, { ...ask, headers }, inPieces(body));
  if (UNREADABLE.has(code ?? ''))
    assert.ok(UNREADABLE.has(pieces.headers['X-Error-Code'] ?? ''), 'in pieces it is read');
  else assert.deepEqual(shown(pieces), general, 'in pieces it is read otherwise');
}

const envelope = (content: string, version = 'http://schemas.xmlsoap.org/soap/envelope/') =>
  `<s:Envelope xmlns:s="${version}"><s:Body>${content}</s:Body></s:Envelope>`;
const call = (operation: string, content: string) =>
  `<${operation} xmlns="${NAMESPACE}">${content}</${operation}>`;
const ARTICLE = `${PATH}/InsertArticle`;
const IMAGE = `${PATH}/InsertArticleImageFile`;
const part = (name: string, body: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${body}\r\n`;

/** The first byte chooses between operations with and without a file. */
const operationOf = (input: Buffer) => ((input[0] ?? 0) % 2 === 0 ? ARTICLE : IMAGE);

export const WIRE_TARGETS: readonly Target[] = [
  {
    name: 'http-head',
    summary: 'the head of a request: what the fast path reads, node:http reads alike',
    seeds: [
      'GET /WS01.asmx?a=b HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /WS01.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ],
    tokens: [
      '\r\n',
      '\n',
      '\r',
      ' : ',
      'Content-Length: ',
      'Content-Length: +5',
      'Transfer-Encoding: chunked',
      'Host:',
      '\t',
      '\0',
      'HTTP/1.0',
      '0x5',
      'Upgrade: h2c',
      'Expect: 100-continue',
      'http://x/',
    ],
    run: headsAgree,
  },
  {
    name: 'envelope',
    summary: 'SOAP 1.1 and 1.2: both paths and any cut of the body answer alike',
    seeds: [
      envelope(call('InsertArticle', '<token>a</token><guid>b</guid><caption>&lt;&#65;</caption>')),
      envelope(call('InsertArticleImageFile', '<FileImg>AAAA</FileImg><IsIcons>true</IsIcons>')),
      `<?xml version="1.0" encoding="utf-8"?>${envelope(call('QueryAdvert', '<userId>u</userId><pagesize>1</pagesize>'), 'http://www.w3.org/2003/05/soap-envelope')}`,
    ],
    tokens: [
      '<a/>',
      '</',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?x ?>',
      '<!DOCTYPE a>',
      '&amp;',
      '&#x0;',
      '&#xD800;',
      ' xmlns:a="b"',
      ' xsi:nil="true"',
      ' xsi:type="a:b"',
      '<token>',
      'xmlns=""',
      '\ufeff',
      's:Header',
      ' s:mustUnderstand="1"',
      '"',
      "'",
    ],
    run: async (input) => {
      const version = input.includes('www.w3.org/2003/05') ? 'application/soap+xml' : 'text/xml';
      await askAll(
        { target: PATH, headers: { 'content-type': `${version}; charset=utf-8` } },
        input,
      );
    },
  },
  {
    name: 'form',
    summary: 'forms, and the same text as a query',
    seeds: [
      'token=a&guid=b&caption=%41%u4e2d+&content=',
      'FileImg=1&FileImg=22&FileImg=',
      'FileImg=QUJD RA==&IsIcons=on',
      'a&=&&b=c=d',
    ],
    tokens: [
      '&',
      '=',
      '%',
      '%u',
      '%00',
      '+',
      '%2B',
      '%E4%B8%AD',
      'token=',
      'FileImg=',
      '&amp;',
      ';',
      '__proto__=',
    ],
    run: async (input) => {
      const target = operationOf(input);
      await askAll(
        { target, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        input,
      );
      const query = input.toString('latin1').replace(/[^!"$-~]/g, '');
      await askAll({ method: 'GET', target: `${target}?${query}`, headers: {} }, Buffer.alloc(0));
    },
  },
  {
    name: 'json',
    summary: 'objects of arguments: what JSON.parse reads is read',
    seeds: [
      '{"token":"a","guid":"b\\u0041","caption":null}',
      '{"FileImg":[1,22,255],"IsIcons":true}',
      '{"FileImg":"QUJD"}',
      '{token:\'a\',x:[1,{"y":2}]}',
    ],
    tokens: [
      '"',
      "'",
      '\\',
      '\\u',
      '\\ud83d',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      'null',
      'true',
      '1e9',
      '-0',
      '5.',
      '"__proto__":',
      '/*',
      '\0',
      '"FileImg":[',
    ],
    run: async (input) => {
      const target = operationOf(input);
      await askAll({ target, headers: { 'content-type': 'application/json' } }, input);
      if (isPlainObject(input)) {
        const { headers } = await answerOf(
          GENERAL,
          { target, headers: { 'content-type': 'application/json' } },
          bytesBody(input),
        );
        assert.notEqual(headers['X-Error-Code'], 'MalformedRequest', 'JSON.parse reads it');
      }
    },
  },
  {
    name: 'multipart',
    summary: 'multipart forms',
    seeds: [
      `${part('token', 'a')}${part('guid', 'b')}--b--\r\n`,
      `${part('FileImg', 'abc').replace('"\r\n', '"; filename="x.png"\r\nContent-Type: image/png\r\n')}${part('token', 'a')}--b--`,
    ],
    tokens: [
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'Content-Disposition: form-data; name="',
      '; filename="x"',
      'Content-Transfer-Encoding: base64',
      "name*=utf-8''%41",
      '"',
      '\r\n--',
      'charset=utf-16',
    ],
    run: (input) =>
      askAll(
        {
          target: operationOf(input),
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
        },
        input,
      ),
  },
  {
    name: 'mtom',
    summary: 'MTOM and SOAP with attachments',
    seeds: [
      `--b\r\nContent-ID: <root>\r\nContent-Type: application/xop+xml; type="text/xml"\r\n\r\n${envelope(call('InsertArticleImageFile', '<FileImg><x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:f"/></FileImg>'))}\r\n--b\r\nContent-ID: <f>\r\n\r\nabc\r\n--b--`,
    ],
    tokens: [
      '--b',
      '--b--',
      '\r\n',
      'Content-ID: <f>',
      'Content-ID: <root>',
      'href="cid:f"',
      'cid:%66',
      'Content-Transfer-Encoding: base64',
      'Content-Transfer-Encoding: quoted-printable',
      '<x:Include',
      '=\r\n',
    ],
    run: (input) =>
      askAll(
        {
          target: PATH,
          headers: {
            'content-type':
              'multipart/related; type="application/xop+xml"; start-info="text/xml"; start="<root>"; boundary=b',
          },
        },
        input,
      ),
  },
];

/** Whether it is an object of few scalars, as JSON has them, and nothing that a limit or the contract forbids. */
function isPlainObject(input: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
    const value: unknown = JSON.parse(text);
    return (
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value)
        .flat()
        .every((one) => typeof one === 'string' && one.isWellFormed())
    );
  } catch {
    return false;
  }
}

/** A connection whose other side is here. */
class Line extends Duplex {
  override _read(): void {}
  override _write(_piece: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}

/** Whatever the fast path takes of a head, node:http takes too, to the same method, target, headers and length. */
async function headsAgree(input: Buffer): Promise<void> {
  const head = readRequestHead(input, undefined);
  if (head === undefined) return;
  assert.deepEqual(
    readRequestHead(input, head),
    head,
    'compared with the head before it is read otherwise',
  );
  const { section: __, ...read } = head;
  const shorter = input
    .toString('latin1')
    .replace(/(?<=\r\ncontent-length:.*)\d+(?=[ ]*\r\n)/i, '7');
  const { section: _, ...compared } = readRequestHead(
    input,
    readRequestHead(Buffer.from(shorter, 'latin1'), undefined),
  )!;
  assert.deepEqual(compared, read, 'compared with one of another length it is read otherwise');
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 512 * 1024 });
  const line = new Line();
  try {
    const general = await new Promise<{
      method: string;
      url: string;
      headers: object;
      length: string | undefined;
    }>((resolve, reject) => {
      server.on('request', (req, res) => {
        resolve({
          method: req.method!,
          url: req.url!,
          headers: req.headers,
          length: req.headers['content-length'],
        });
        res.end();
      });
      server.on('clientError', reject);
      server.emit('connection', line);
      line.push(input.subarray(0, head.bytes));
      setImmediate(() => setImmediate(() => reject(new Error('node:http reads no request'))));
    });
    assert.equal(general.method, head.method);
    assert.equal(general.url, head.target);
    assert.deepEqual({ ...general.headers }, { ...head.headers });
    assert.equal(Number(general.length ?? 0), head.bodyBytes);
  } finally {
    line.destroy();
  }
}
