import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  call,
  envelopeOf,
  postSoap,
  SOAP11,
  SOAP12,
  type SoapAnswer,
  type TestVersion,
  VERSIONS,
} from '../../../../packages/asmx/test/kit/soap.ts';
import { ECHO_NAMESPACE, echoForSuite, startEcho } from '../kit/echo.ts';

const BODY = call('DeleImgById', '<FileGuid>f1</FileGuid>');
const READ = 'Server was unable to read request. ---> ';

function assertCalled(answer: SoapAnswer): void {
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.echo?.FileGuid, 'f1');
}

/** A fault with the status, side and words that ASP.NET's clients expect, and the typed detail. */
function assertFault(
  answer: SoapAnswer,
  status: number,
  code: string,
  fault: string,
  reason: RegExp | string,
): void {
  assert.equal(answer.status, status, answer.body);
  assert.equal(answer.fault?.code, fault);
  if (typeof reason === 'string') assert.equal(answer.fault.reason, reason);
  else assert.match(answer.fault.reason, reason);
  assert.equal(answer.headers['x-error-code'], code);
  if (code !== 'MustUnderstand') assert.equal(answer.detail.code, code);
}

for (const version of VERSIONS) {
  describe(`an envelope of ${version.name}`, () => {
    const echo = echoForSuite();
    const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      postSoap(echo.url, version, body, headers);
    const soap = (inside: string) =>
      `<soap:Envelope xmlns:soap="${version.envelope}">${inside}</soap:Envelope>`;

    const withGuid = (text: string) =>
      envelopeOf(version, call('DeleImgById', `<FileGuid>${text}</FileGuid>`));

    describe('is refused with 400 and a reason', () => {
      for (const [what, body] of [
        ['an empty body', ''],
        ['white space alone', ' \r\n '],
        ['text that is not XML', 'hello'],
        ['a DOCTYPE', `<!DOCTYPE x>${envelopeOf(version, BODY)}`],
        [
          'a DOCTYPE with an entity',
          `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${withGuid('&a;')}`,
        ],
        ['an unknown entity', withGuid('&nbsp;')],
        ['a bare ampersand', withGuid('a & b')],
        ['an element that is not closed', envelopeOf(version, call('DeleImgById', '<FileGuid>'))],
        ['an undeclared prefix', envelopeOf(version, '<x:DeleImgById/>')],
        ['something behind the envelope', `${envelopeOf(version, BODY)}x`],
        ['two envelopes', envelopeOf(version, BODY).repeat(2)],
        ['XML 1.1', `<?xml version="1.1"?>${envelopeOf(version, BODY)}`],
        ['a declaration that is not first', `\n<?xml version="1.0"?>${envelopeOf(version, BODY)}`],
        ['a control character', withGuid('\u0001')],
        ['an element in a value', withGuid('a<b>c</b>')],
      ] as const) {
        it(what, async () => {
          assertFault(await post(body), 400, 'MalformedRequest', version.sender, /./);
        });
      }

      it('and says where, as ASP.NET does', async () => {
        const answer = await post(soap('\n<soap:Header>\n<a></b>'));
        assert.match(
          answer.fault!.reason,
          /^Server was unable to read request\. ---> .*\(3, 6\)\. ---> /,
        );
      });
    });

    describe('is refused with 500, as by ASP.NET', () => {
      for (const [what, body, part] of [
        ['no Body', soap(''), 'Body'],
        ['a Header alone', soap('<soap:Header/>'), 'Body'],
        ['an element before the Body', soap(`<x/><soap:Body>${BODY}</soap:Body>`), 'Body'],
        [
          'another root in the namespace of SOAP',
          `<Body xmlns="${version.envelope}"/>`,
          'Envelope',
        ],
      ] as const) {
        it(what, async () => {
          const reason = `${READ}Request format is invalid: Missing required soap:${part} element.`;
          assertFault(await post(body), 500, 'MalformedRequest', version.sender, reason);
        });
      }

      for (const [what, namespace] of [
        ['no namespace', ''],
        ['an unknown namespace', 'http://www.w3.org/2001/12/soap-envelope'],
      ] as const) {
        it(`${what}: VersionMismatch in SOAP 1.1, with the Upgrade header`, async () => {
          const answer = await post(
            `<Envelope xmlns="${namespace}"><Body>${BODY}</Body></Envelope>`,
          );
          const reason = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${SOAP11.envelope}.`;
          assertFault(answer, 500, 'VersionMismatch', 'soap:VersionMismatch', reason);
          assert.equal(answer.envelope, SOAP11.envelope);
          assert.equal(answer.headers['content-type'], SOAP11.contentType);
          assert.ok(
            answer.body.includes(
              `<soap:Header><soap12:Upgrade xmlns:soap12="${SOAP12.envelope}">` +
                `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP11.envelope}" />` +
                `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP12.envelope}" />` +
                '</soap12:Upgrade></soap:Header>',
            ),
          );
        });
      }

      const withHeader = (attributes: string, inside = '') =>
        envelopeOf(
          version,
          BODY,
          `<soap:Header><h:Trust xmlns:h="urn:h" ${attributes}>${inside}</h:Trust></soap:Header>`,
        );
      for (const { name, envelope } of VERSIONS) {
        for (const value of ['1', 'true']) {
          it(`a header with mustUnderstand="${value}" of ${name}`, async () => {
            const answer = await post(
              withHeader(`xmlns:m="${envelope}" m:mustUnderstand="${value}"`),
            );
            const reason = 'SOAP header Trust was not understood.';
            assertFault(answer, 500, 'MustUnderstand', 'soap:MustUnderstand', reason);
            assert.doesNotMatch(
              answer.body,
              /<(?:soap:D|d)etail/,
              'a fault about a header has no detail',
            );
          });
        }
        for (const value of ['0', 'false', 'yes', '', ' 1 ']) {
          it(`but not one with mustUnderstand="${value}" of ${name}`, async () => {
            assertCalled(
              await post(withHeader(`xmlns:m="${envelope}" m:mustUnderstand="${value}"`)),
            );
          });
        }
      }

      it('a header for another actor or role too, which ASP.NET does not look at', async () => {
        const attributes = 'soap:mustUnderstand="1" soap:actor="urn:other" soap:role="urn:other"';
        const answer = await post(withHeader(attributes));
        assertFault(answer, 500, 'MustUnderstand', 'soap:MustUnderstand', /Trust/);
      });

      it('but not for a mustUnderstand in no namespace, or one deeper in a header', async () => {
        assertCalled(await post(withHeader('mustUnderstand="1"', '<x soap:mustUnderstand="1"/>')));
      });
    });

    describe('is understood', () => {
      const headers = '<soap:Header><a xmlns="urn:x">1<b/></a><c xmlns=""/></soap:Header>';
      for (const [what, body] of [
        ['with headers, which are ignored', envelopeOf(version, BODY, headers)],
        ['with an empty Header', envelopeOf(version, BODY, '<soap:Header/>')],
        [
          'with something behind its Body',
          soap(`<soap:Body>${BODY}</soap:Body><x/><soap:Header/>`),
        ],
        [
          'with the namespace as default',
          `<Envelope xmlns="${version.envelope}"><Body>${BODY}</Body></Envelope>`,
        ],
        [
          'with another prefix',
          envelopeOf(version, BODY)
            .replaceAll('soap:', 'SOAP-ENV:')
            .replace(':soap=', ':SOAP-ENV='),
        ],
        [
          'with namespaces declared on each child',
          soap(
            `<s:Body xmlns:s="${version.envelope}"><q:DeleImgById xmlns:q="${ECHO_NAMESPACE}">` +
              `<r:FileGuid xmlns:r="${ECHO_NAMESPACE}">f1</r:FileGuid></q:DeleImgById></s:Body>`,
          ),
        ],
        [
          'with prefixes and attributes of the encoded style',
          soap(
            `<soap:Body soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">` +
              `<m:DeleImgById xmlns:m="${ECHO_NAMESPACE}" id="1"><m:FileGuid id="2">f1</m:FileGuid></m:DeleImgById></soap:Body>`,
          ),
        ],
        [
          'with a declaration',
          `<?xml version="1.0" encoding="utf-8" standalone="no"?>${envelopeOf(version, BODY)}`,
        ],
        ['with a byte order mark', `\ufeff${envelopeOf(version, BODY)}`],
        [
          'with comments and instructions between',
          `<!-- a --><?b c?>${envelopeOf(version, `<!-- d -->${BODY}<?e?>`)}<!-- f -->`,
        ],
        ['with white space between', soap(`\r\n\t<soap:Body>\r\n\t${BODY}\r\n</soap:Body>\n`)],
      ] as const) {
        it(what, async () => assertCalled(await post(body)));
      }

      for (const [charset, encode] of [
        ['utf-8', (text: string) => Buffer.from(text)],
        ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
        ['utf-16le', (text: string) => Buffer.from(text, 'utf16le')],
        ['iso-8859-1', (text: string) => Buffer.from(text.replace('中', 'é'), 'latin1')],
      ] as const) {
        it(`in ${charset}`, async () => {
          const text = withGuid('中');
          const type = `${version.contentType.split(';')[0]}; charset=${charset}`;
          const answer = await post(encode(text), { 'Content-Type': type });
          assert.equal(answer.echo?.FileGuid, charset === 'iso-8859-1' ? 'é' : '中');
        });
      }

      it('in the encoding of its declaration, when the content type says none', async () => {
        const text = `<?xml version="1.0" encoding="gb2312"?>${withGuid('\xd6\xd0')}`;
        const type = version.contentType.split(';')[0]!;
        const answer = await post(Buffer.from(text, 'latin1'), { 'Content-Type': type });
        assert.equal(answer.echo?.FileGuid, '中');
      });
    });
  });
}

describe('the content type of SOAP', () => {
  const echo = echoForSuite();
  const post = (version: TestVersion, type: string) =>
    postSoap(echo.url, version, envelopeOf(version, BODY), { 'Content-Type': type });

  for (const [type, version] of [
    ['text/xml', SOAP11],
    ['TEXT/XML; CHARSET="UTF-8"', SOAP11],
    ['text/xml;charset=utf-8', SOAP11],
    ['text/xml; charset=nonsense', SOAP11],
    ['application/soap+xml', SOAP12],
    ['Application/Soap+Xml;action="";charset=utf-8', SOAP12],
  ] as const) {
    it(`${type} is taken`, async () => assertCalled(await post(version, type)));
  }

  for (const type of [
    'text/plain',
    'application/xml',
    'application/json',
    'application/x-www-form-urlencoded',
    'x',
  ]) {
    for (const version of VERSIONS) {
      it(`${type} is 415 with a fault, ${version.name}`, async () => {
        const answer = await post(version, type);
        assert.equal(answer.status, 415);
        assert.equal(answer.detail.code, 'UnsupportedMediaType');
        assert.ok(answer.fault);
      });
    }
  }

  it('application/soap+xml around a SOAP 1.1 envelope is 415, as ASP.NET has it', async () => {
    const answer = await post(SOAP11, SOAP12.contentType);
    assert.equal(answer.status, 415);
    assert.equal(answer.fault?.code, 'soap:Client');
  });
});

it('bytes that are no UTF-8 in SOAP 1.2, when nothing says a charset, are refused with 400 and a reason', async (t) => {
  const { url } = await startEcho(t);
  const bytes = Buffer.from(
    envelopeOf(SOAP12, call('DeleImgById', '<FileGuid>\xff</FileGuid>')),
    'latin1',
  );
  const answer = await postSoap(url, SOAP12, bytes, { 'Content-Type': 'application/soap+xml' });
  assertFault(answer, 400, 'MalformedRequest', SOAP12.sender, /utf-8/i);
});
