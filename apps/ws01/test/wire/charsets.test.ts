import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { ECHO_NAMESPACE, echoForSuite } from '../kit/echo.ts';

/**
 * Of each code page that .NET has beside UTF-7: its number and name, a text of letters and symbols from
 * all over it, and what .NET 10 writes for that; hexadecimal.
 */
const ROWS = (await readFile('packages/asmx/test/message/dotnet-charsets.tsv', 'utf8'))
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [page: string, name: string, text: string, bytes: string]);

/** Where two code pages share a name, the one that .NET does not mean by it. */
const OTHER_OF_ITS_NAME = new Set(['20932', '50222']);

/** EBCDIC but for 037, and what only .NET names. */
const REFUSED = [
  ...'ibm500 ibm870 cp875 ibm1026 ibm01047 ibm01140 ibm01141 ibm01142 ibm01143 ibm01144'.split(' '),
  ...'ibm01145 ibm01146 ibm01147 ibm01148 ibm01149 johab x-mac-japanese'.split(' '),
  ...'x-mac-chinesetrad x-mac-korean x-mac-arabic x-mac-hebrew x-mac-chinesesimp'.split(' '),
  ...'x-mac-thai x-chinese-cns x-cp20001 x-chinese-eten x-cp20003 x-cp20004 x-cp20005'.split(' '),
  ...'x-ia5 x-ia5-german x-ia5-swedish x-ia5-norwegian x-cp20261 x-cp20269 ibm273 ibm277'.split(
    ' ',
  ),
  ...'ibm278 ibm280 ibm284 ibm285 ibm290 ibm297 ibm420 ibm423 ibm424'.split(' '),
  ...'x-ebcdic-koreanextended ibm-thai ibm871 ibm880 ibm905 ibm00924 cp1025 x-europa'.split(' '),
  ...'iso-2022-kr x-cp50227 hz-gb-2312 x-iscii-de x-iscii-be x-iscii-ta x-iscii-te'.split(' '),
  ...'x-iscii-as x-iscii-or x-iscii-ka x-iscii-ma x-iscii-gu x-iscii-pa'.split(' '),
];

const SENTENCE = /Texts in the charset \S+ are not read; send UTF-8\./;

describe('whatever charset .NET writes', () => {
  const echo = echoForSuite({ handlers: { InsertArticle: ({ content = '' }) => content } });
  const post = (path: string, type: string, body: string | Uint8Array) =>
    postTo(`${echo.url}${path}`, body, type);

  it('is read whole in a form, or refused with a sentence', async () => {
    const refused: string[] = [];
    for (const [page, name, text, bytes] of ROWS) {
      if (OTHER_OF_ITS_NAME.has(page)) continue;
      const escaped = bytes.replaceAll(/../g, '%$&');
      const type = `application/x-www-form-urlencoded; charset=${name}`;
      const answer = await post('/WS01.asmx/InsertArticle', type, `token=t&content=${escaped}`);
      if (answer.status === 415) {
        assert.match(answer.body, SENTENCE, name);
        refused.push(name);
      } else
        assert.ok(answer.body.includes(text), `${page} ${name}: ${answer.status} ${answer.body}`);
    }
    assert.deepEqual(refused.join(' '), REFUSED.join(' '));
  });

  const envelope = (declaration = '') =>
    `${declaration}<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>` +
    `<InsertArticle xmlns="${ECHO_NAMESPACE}"><token>t</token></InsertArticle></s:Body></s:Envelope>`;
  const part = (type: string) => `--b\r\nContent-Type: ${type}; charset=iso-2022-kr\r\n`;
  const OPERATION = '/WS01.asmx/InsertArticle';
  const DOORS = {
    'SOAP 1.1': ['/WS01.asmx', 'text/xml; charset=iso-2022-kr', envelope()],
    'SOAP 1.2': ['/WS01.asmx', 'application/soap+xml; charset="ISO-2022-KR"', envelope()],
    JSON: [OPERATION, 'application/json; charset=iso-2022-kr', '{"token":"t"}'],
    'multipart form': [
      OPERATION,
      'multipart/form-data; boundary=b',
      `${part('text/plain')}Content-Disposition: form-data; name=content\r\n\r\nx\r\n--b--\r\n`,
    ],
    MTOM: [
      '/WS01.asmx',
      'multipart/related; type="text/xml"; boundary=b',
      `${part('text/xml')}\r\n${envelope()}\r\n--b--\r\n`,
    ],
  } as const;
  for (const [door, [path, type, body]] of Object.entries(DOORS)) {
    it(`is refused in ${door}, too`, async () => {
      const answer = await post(path, type, body);
      assert.equal(answer.status, 415);
      assert.match(answer.body, SENTENCE);
    });
  }

  it('is refused where only the XML declaration names it', async () => {
    const declared = envelope('<?xml version="1.0" encoding="iso-2022-kr"?>');
    const answer = await post('/WS01.asmx', 'text/xml', declared);
    assert.equal(answer.status, 400);
    assert.match(answer.body, /The declared encoding iso-2022-kr is not read/);
  });
});
