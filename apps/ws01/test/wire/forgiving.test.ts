import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { ECHO_NAMESPACE, echoForSuite } from '../kit/echo.ts';
import { keptLog } from '../kit/log.ts';
import { startService } from '../kit/service.ts';
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

async function send(
  line: string,
  headers: Record<string, string>,
  body: Uint8Array = Buffer.alloc(0),
) {
  const fields = {
    Host: 'x',
    Connection: 'close',
    'Content-Length': String(body.length),
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.concat([latin1(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), body]);
  const raw = await sendBytes(echo.port, request);
  return { raw: raw.toString('latin1'), answer: parseAnswer(raw) };
}

const post = (headers: Record<string, string>, body: Uint8Array) =>
  send('POST /WS01.asmx', headers, body);

/** What the operation was given as token, of an answer in any binding. */
function tokenOf(answer: ReturnType<typeof parseAnswer>): string {
  const escaped = /"token\\?":\\?"((?:[^"\\]|\\\\?[^"])*?)\\?"/.exec(answer.body)?.[1];
  assert.ok(escaped !== undefined, `${answer.line}: ${answer.body}`);
  return JSON.parse(`"${escaped.replaceAll('\\\\', '\\')}"`);
}

describe('a Content-Encoding that names no coding', () => {
  const plain = envelope('text/xml', 'plain');
  for (const name of [
    ...words(
      'utf-8 UTF-8 "utf-8" text/xml none 8bit 7bit binary iso-8859-1 gb2312 windows-1252',
      'unicode charset=utf-8 identity',
    ),
    'text/xml; charset=utf-8',
    '',
    'utf-8, identity',
  ]) {
    it(`${JSON.stringify(name)} is passed over`, async () => {
      const soap = await post({ 'Content-Type': 'text/xml', 'Content-Encoding': name }, plain);
      assert.equal(tokenOf(soap.answer), 'plain');
      assert.ok(!soap.raw.includes('Content-Encoding'), soap.raw);
      const form = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Encoding': name,
      };
      const posted = await send(
        'POST /WS01.asmx/UpdateArticleCategory',
        form,
        latin1('token=plain'),
      );
      assert.equal(tokenOf(posted.answer), 'plain');
      const json = { 'Content-Type': 'application/json', 'Content-Encoding': name };
      const called = await send(
        'POST /WS01.asmx/UpdateArticleCategory',
        json,
        latin1('{"token":"plain"}'),
      );
      assert.equal(tokenOf(called.answer), 'plain');
    });
  }

  it('beside one that does: the body is packed', async () => {
    const headers = { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip, utf-8' };
    assert.equal(tokenOf((await post(headers, gzipSync(plain))).answer), 'plain');
  });

  for (const name of ['br', 'br2', 'zstd', 'compress', 'x-mine', 'gzip, gzip']) {
    it(`${name} is a coding that is not read: 415`, async () => {
      const { answer } = await post(
        { 'Content-Type': 'text/xml', 'Content-Encoding': name },
        plain,
      );
      assert.equal(statusOf(answer), 415);
      assert.equal(errorOf(answer)?.code, 'UnsupportedMediaType');
    });
  }
});

describe('slashes and dot segments', () => {
  const headers = { 'Content-Type': 'text/xml' };
  for (const path of words(
    '//WS01.asmx ///ws01.asmx /./WS01.asmx /x/../WS01.asmx /x/y/../.././/WS01.asmx /WS01%2Easmx',
    '/%2E/WS01.asmx /x/%2e%2E/WS01.asmx /%57S01.asmx /%2FWS01.asmx http://any.example//WS01.asmx',
  )) {
    it(`${path} is the service`, async () => {
      assert.equal(
        tokenOf((await send(`POST ${path}`, headers, envelope('text/xml', 't'))).answer),
        't',
      );
      const { answer } = await send(`GET ${path}/UpdateArticleCategory?token=t`, {});
      assert.equal(tokenOf(answer), 't');
    });
  }

  for (const path of ['/WS01.asmx//UpdateArticleCategory', '/WS01.asmx/./UpdateArticleCategory']) {
    it(`${path} is the operation`, async () => {
      assert.equal(tokenOf((await send(`GET ${path}?token=t`, {})).answer), 't');
    });
  }

  for (const path of words(
    '/../WS01.asmx /x/../../WS01.asmx /%2e%2e/WS01.asmx /WS01.asmx/../x /x// //x',
  )) {
    it(`${path} is not the service`, async () => {
      assert.equal(statusOf((await send(`GET ${path}`, {})).answer), 404);
    });
  }

  it('an escaped percent sign is not decoded twice', async () => {
    assert.equal(statusOf((await send('GET /WS01%252Easmx', {})).answer), 404);
  });
});

const UTF8 = Buffer.from('中é😀');
const GBK = latin1('\xd6\xd0\xce\xc4');
const WARNING =
  /\r\nX-Warning: Bytes of the request are no text in utf-8 and were replaced; name their charset [^\r]*\r\n/;

describe('text/xml without a charset', () => {
  for (const type of [
    'text/xml',
    'text/xml; charset=nope',
    'TEXT/XML; charset=',
    'text/xml; charset=65001',
  ]) {
    for (const name of ['utf-16', 'unicode', 'UTF_8', 'ANSI', 'nope', '', '65001', 'utf-16le']) {
      it(`${type}, declared as ${JSON.stringify(name)}, in UTF-8: the bytes win`, async () => {
        const body = envelope('text/xml', UTF8, `<?xml version="1.0" encoding="${name}"?>`);
        const { raw, answer } = await post({ 'Content-Type': type }, body);
        assert.equal(tokenOf(answer), '中é😀');
        assert.ok(!raw.includes('X-Warning'), raw);
      });
    }
  }

  it('what is really UTF-16 is read so, with a mark and without', async () => {
    const text = envelope('text/xml', UTF8, '<?xml version="1.0" encoding="utf-16"?>').toString();
    for (const body of [
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
    ]) {
      assert.equal(tokenOf((await post({ 'Content-Type': 'text/xml' }, body)).answer), '中é😀');
    }
  });

  for (const declaration of [
    '',
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="utf-8"?>',
  ]) {
    it(`bytes that are not UTF-8, after ${declaration || 'no declaration'}: question marks, and the answer says so`, async () => {
      const body = envelope('text/xml', Buffer.concat([latin1('caf\xe9 '), GBK]), declaration);
      const { raw, answer } = await post({ 'Content-Type': 'text/xml' }, body);
      assert.equal(tokenOf(answer), 'caf? ????');
      assert.match(raw, WARNING);
    });
  }

  it('bytes that break the markup are refused, and say where', async () => {
    const body = latin1(
      envelope('text/xml', 'x').toString('latin1').replace('</token>', '\xe9</toke>'),
    );
    const { raw, answer } = await post({ 'Content-Type': 'text/xml' }, body);
    assert.equal(statusOf(answer), 400);
    assert.match(raw, WARNING);
  });

  it('a declared charset that the bytes are in is read', async () => {
    const body = envelope('text/xml', GBK, '<?xml version="1.0" encoding="gb2312"?>');
    assert.equal(tokenOf((await post({ 'Content-Type': 'text/xml' }, body)).answer), '中文');
  });

  it('application/soap+xml says what it is in, or is UTF-8: the clear 400 stays', async () => {
    for (const declaration of [
      '',
      '<?xml version="1.0" encoding="utf-16"?>',
      '<?xml version="1.0" encoding="nope"?>',
    ]) {
      const body = envelope('application/soap+xml', GBK, declaration);
      const { answer } = await post({ 'Content-Type': 'application/soap+xml' }, body);
      assert.deepEqual([statusOf(answer), errorOf(answer)?.code], [400, 'MalformedRequest']);
    }
  });

  it('a charset that is named and is not that of the bytes: replaced as in ASP.NET, and said', async () => {
    const { raw, answer } = await post(
      { 'Content-Type': 'text/xml; charset=utf-8' },
      envelope('text/xml', GBK),
    );
    assert.equal(tokenOf(answer), '\ufffd\ufffd\ufffd\ufffd');
    assert.match(raw, WARNING);
  });
});

it('forms and queries say it, too, when bytes are no text in their charset', async () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const part = '--b\r\nContent-Disposition: form-data; name=token\r\n\r\n\xd6\xd0\r\n--b--\r\n';
  for (const { raw, answer } of [
    await send('POST /WS01.asmx/UpdateArticleCategory', form, latin1('token=%D6%D0')),
    await send('GET /WS01.asmx/UpdateArticleCategory?token=%D6%D0', {}),
    await send(
      'POST /WS01.asmx/UpdateArticleCategory',
      { 'Content-Type': 'multipart/form-data; boundary=b' },
      latin1(part),
    ),
  ]) {
    assert.equal(tokenOf(answer), '\ufffd\ufffd');
    assert.match(raw, WARNING);
  }
  const { raw } = await send(
    'POST /WS01.asmx/UpdateArticleCategory',
    form,
    latin1('token=%E4%B8%AD'),
  );
  assert.ok(!raw.includes('X-Warning'), raw);
});

describe('LEGACY_CHARSET', () => {
  const legacy = echoForSuite({ legacyCharset: 'gb18030' });
  const ask = async (body: Buffer) => {
    const head = `POST /WS01.asmx HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
    const raw = await sendBytes(legacy.port, Buffer.concat([latin1(head), body]));
    return { raw: raw.toString('latin1'), answer: parseAnswer(raw) };
  };

  for (const [what, token, expected] of [
    ['GBK', GBK, '中文'],
    ['UTF-8', UTF8, '中é😀'],
    ['ASCII', Buffer.from('plain'), 'plain'],
  ] as const) {
    it(`${what} is read rightly`, async () => {
      for (const declaration of [
        '',
        '<?xml version="1.0" encoding="utf-8"?>',
        '<?xml version="1.0" encoding="utf-16"?>',
      ]) {
        const { raw, answer } = await ask(envelope('text/xml', token, declaration));
        assert.equal(tokenOf(answer), expected);
        assert.ok(!raw.includes('X-Warning'), raw);
      }
    });
  }

  it('bytes that are neither are replaced, and said', async () => {
    const { raw, answer } = await ask(envelope('text/xml', latin1('\xff1234567890abcdef')));
    assert.equal(tokenOf(answer), '\ufffd1234567890abcdef');
    assert.match(raw, /\r\nX-Warning: Bytes of the request are no text in gb18030/);
  });
});

it('the log says at warn what a call lost, and not what was in it', async (t) => {
  const { log, lines } = keptLog();
  const { app } = await startService(t, undefined, { SOAP_NAMESPACE: ECHO_NAMESPACE }, log);
  const body = envelope('text/xml', latin1('z\xfcrich'));
  const head = `POST /WS01.asmx HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
  await sendBytes(app.port, Buffer.concat([latin1(head), body]));
  const [line] = lines.filter(
    ({ msg }) => msg === 'answered, but something of the request was lost',
  );
  assert.deepEqual(
    [line?.level, line?.operation, line?.binding],
    [40, 'UpdateArticleCategory', 'soap11'],
  );
  assert.match(String(line?.warnings), /no text in utf-8/);
  // Letters that no request id has.
  assert.ok(!JSON.stringify(lines).includes('rich'), JSON.stringify(lines));
});

it('the log says each name once that no parameter of an operation has, and never a value', async (t) => {
  const { log, lines } = keptLog();
  const { url } = await startService(t, undefined, {}, log);
  const headers = { 'Content-Type': 'application/json' };
  const ask = (operation: string, body: string) =>
    postTo(`${url}/WS01.asmx/${operation}`, body, headers);
  for (let times = 0; times < 3; times++)
    await ask('DeleImgById', '{"ipp":"SECRET","x y SECRET":1}');
  await ask('countIpPosted', '{"ipp":"SECRET"}');
  const told = lines.filter(({ msg }) => /its operation has no place for it/.test(String(msg)));
  assert.deepEqual(
    told.map(({ level, operation, member }) => [level, operation, member]),
    [
      [40, 'DeleImgById', 'ipp'],
      [40, 'DeleImgById', '(10 characters)'],
      [40, 'countIpPosted', 'ipp'],
    ],
  );
  assert.ok(!JSON.stringify(lines).includes('SECRET'), JSON.stringify(lines));
});

describe('charsets that .NET reads', () => {
  for (const [charset, token] of [
    ['utf-32', undefined],
    ['ibm437', latin1('\x82')],
    ['ibm850', latin1('\x82')],
    ['windows-1252', latin1('\xe9')],
    ['iso-8859-1', latin1('\xe9')],
  ] as const) {
    it(charset, async () => {
      const body =
        token === undefined
          ? utf32(envelope('text/xml', 'é').toString())
          : envelope('text/xml', token);
      assert.equal(
        tokenOf((await post({ 'Content-Type': `text/xml; charset=${charset}` }, body)).answer),
        'é',
      );
    });
  }
});

function utf32(text: string): Buffer {
  return Buffer.from(Uint32Array.from(Array.from(text, (char) => char.codePointAt(0)!)).buffer);
}

describe('NULs behind the envelope', () => {
  for (const type of ['text/xml', 'text/xml; charset=utf-8', 'application/soap+xml'] as const) {
    for (const tail of ['\0', '\0\0', '\0\r\n', '\n\0']) {
      it(`${type}, ${JSON.stringify(tail)}: passed over`, async () => {
        const soap = type.split(';')[0] as SoapType;
        const body = Buffer.concat([envelope(soap, '中'), latin1(tail)]);
        assert.equal(tokenOf((await post({ 'Content-Type': type }, body)).answer), '中');
      });
    }
  }

  it('within it they are refused, and so is what follows them', async () => {
    for (const body of [
      envelope('text/xml', 'a\0b'),
      Buffer.concat([envelope('text/xml', 'a'), latin1('\0<x/>')]),
    ]) {
      const { answer } = await post({ 'Content-Type': 'text/xml' }, body);
      assert.equal(statusOf(answer), 400);
      assert.match(errorOf(answer)!.message, /U\+0000 is not allowed/);
    }
  });
});

describe('errors of JSON calls', () => {
  it('hold what jQuery handlers read, beside the problem details', async () => {
    const body = latin1('{"pagesize":"x"}');
    const { answer } = await send(
      'POST /WS01.asmx/QueryAdvert',
      { 'Content-Type': 'application/json' },
      body,
    );
    assert.equal(statusOf(answer), 400);
    assert.equal(answer.headers.jsonerror, 'true');
    const { Message, StackTrace, ExceptionType, detail, status, code } = JSON.parse(answer.body);
    assert.deepEqual(
      [StackTrace, ExceptionType, status, code],
      ['', 'InvalidParameter', 400, 'InvalidParameter'],
    );
    assert.match(Message, /^pagesize: "x" is not a whole number/);
    assert.equal(Message, detail);
  });

  it('no answer that succeeds has the header', async () => {
    const { answer } = await send(
      'POST /WS01.asmx/QueryAdvert',
      { 'Content-Type': 'application/json' },
      latin1('{}'),
    );
    assert.deepEqual([statusOf(answer), answer.headers.jsonerror], [200, undefined]);
  });

  it('results escape what ends a script', async () => {
    const body = latin1('{"userId":"__xml"}');
    const { raw } = await send(
      'POST /WS01.asmx/QueryAdvert',
      { 'Content-Type': 'application/json' },
      body,
    );
    const d = raw.slice(raw.indexOf('\r\n\r\n') + 4);
    assert.ok(!/[<>&']/.test(d), d);
    assert.match(d, /\\u003ca b=\\"c\\"\\u003e\\u0026amp; \]\]\\u003e \\u0027q\\u0027/);
  });
});

describe('what is rare and costs nothing', () => {
  const action = `"${ECHO_NAMESPACE}/UpdateArticleCategory"`;
  const typed = { 'Content-Type': 'text/xml; charset=utf-8' };

  it('a SOAPAction that is sent twice alike is one; two that differ are none', async () => {
    const twice = (second: string) =>
      post(
        { ...typed, SOAPAction: `${action}\r\nSOAPAction: ${second}` },
        envelope('text/xml', 't'),
      );
    assert.equal(tokenOf((await twice(action)).answer), 't');
    const { answer } = await twice(`"${ECHO_NAMESPACE}/DeleImgById"`);
    assert.equal(errorOf(answer)?.code, 'UnknownOperation');
  });

  it('a query is in the charset of the Content-Type, and ends where a fragment begins', async () => {
    const target = 'GET /WS01.asmx/UpdateArticleCategory?guid=g&token=%D6%D0#frag';
    assert.equal(
      tokenOf((await send(target, { 'Content-Type': 'text/plain; charset=gb2312' })).answer),
      '中',
    );
  });

  for (const [given, base64] of [
    ['FileImg=%2B5', 'BQ=='],
    ['FileImg=+5+&FileImg=6', 'BQY='],
    ['FileImg=%20255', '/w=='],
  ]) {
    it(`${given} is a byte a value`, async () => {
      echo.understood.length = 0;
      await send(`GET /WS01.asmx/InsertArticleImageFile?${given}`, {});
      assert.match(echo.understood[0]!, new RegExp(`"base64":"${RegExp.escape(base64!)}"`));
    });
  }

  for (const [written, expected] of [
    ['2024-02-29T12:34:56+14:01', '2024-02-28T22:33:56Z'],
    ['2024-02-29T12:34:56-99:00', '2024-03-04T15:34:56Z'],
  ]) {
    it(`the offset of ${written} is read over SOAP`, async () => {
      const body = envelope('text/xml', 't')
        .toString()
        .replaceAll('UpdateArticleCategory', 'UpdatePinnedTopDueDateByGuid')
        .replace('<guid>g</guid>', `<pinnedTopDueDate>${written}</pinnedTopDueDate>`);
      const { answer } = await post(typed, Buffer.from(body));
      assert.match(
        answer.body,
        new RegExp(`"pinnedTopDueDate":"${expected!.slice(0, -1)}(?:\\.000)?Z"`),
      );
    });
  }

  it('?WSDL&bindings=soap leaves out GET and POST; plain ?WSDL does not', async () => {
    const ask = async (query: string) => (await send(`GET /WS01.asmx?${query}`, {})).answer.body;
    const soap = await ask('WSDL&bindings=soap');
    assert.match(soap, /<wsdl:port name="WS01Soap12"/);
    assert.doesNotMatch(soap, /Http(?:Get|Post)|<http:|<mime:/);
    assert.equal(await ask('bindings=SOAP&wsdl'), soap);
    for (const plain of ['WSDL', 'WSDL&bindings=all', 'wsdl&x=1'])
      assert.match(await ask(plain), /"WS01HttpPost"/);
  });
});
