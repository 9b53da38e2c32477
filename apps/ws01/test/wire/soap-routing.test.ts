import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
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
import { ECHO_NAMESPACE, echoForSuite } from '../kit/echo.ts';

const ACTION = `${ECHO_NAMESPACE}/DeleImgById`;
const BODY = call('DeleImgById', '<FileGuid>f1</FileGuid>');

/** The echo answered for DeleImgById with its parameter. */
function assertRouted(answer: SoapAnswer): void {
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.echo?.op, 'DeleImgById');
  assert.equal(answer.echo?.FileGuid, 'f1');
}

interface ExpectedFault {
  readonly code: string;
  readonly fault: string;
  readonly reason: RegExp | string;
}

function assertFault(answer: SoapAnswer, { code, fault, reason }: ExpectedFault): void {
  assert.equal(answer.status, 500, answer.body);
  assert.equal(answer.detail.code, code);
  assert.equal(answer.headers['x-error-code'], code);
  assert.equal(answer.fault?.code, fault);
  if (typeof reason === 'string') assert.equal(answer.fault.reason, reason);
  else assert.match(answer.fault.reason, reason);
}

describe('routing of SOAP', () => {
  const echo = echoForSuite();
  const post = (version: TestVersion, body: string, headers: Record<string, string> = {}) =>
    postSoap(echo.url, version, envelopeOf(version, body), headers);

  for (const [what, action] of [
    ['quoted', `"${ACTION}"`],
    ['unquoted', ACTION],
    ['with blanks around', `  "${ACTION}"  `],
    ['with two slashes before the operation', `"${ECHO_NAMESPACE}//DeleImgById"`],
    ['with %-escapes', `"${encodeURIComponent(ACTION)}"`],
    ['empty in quotes: the Body routes', '""'],
    ['empty: the Body routes', ''],
    ['*, as Mono’s svcutil has it: the Body routes', '"*"'],
  ] as const) {
    it(`SOAP 1.1, SOAPAction ${what}`, async () => {
      assertRouted(await post(SOAP11, BODY, { SOAPAction: action }));
    });
  }

  it('SOAP 1.1, SOAPAction missing: the Body routes', async () => {
    assertRouted(await post(SOAP11, BODY));
  });

  for (const [what, action, shown] of [
    ['unknown', `"${ECHO_NAMESPACE}/Nothing"`, `${ECHO_NAMESPACE}/Nothing`],
    ['in another case', `"${ACTION.toUpperCase()}"`, ACTION.toUpperCase()],
    ['an operation without the namespace', '"DeleImgById"', 'DeleImgById'],
    ['quoted at one end', `"${ACTION}`, `"${ACTION}`],
    ['in single quotes', `'${ACTION}'`, `'${ACTION}'`],
    ['of 1,000 characters', `"urn:${'x'.repeat(1_000)}"`, `urn:${'x'.repeat(1_000)}`],
    ['a name of every object', `"${ECHO_NAMESPACE}/constructor"`, `${ECHO_NAMESPACE}/constructor`],
  ] as const) {
    it(`SOAP 1.1, SOAPAction ${what}: ASP.NET’s fault`, async () => {
      assertFault(await post(SOAP11, BODY, { SOAPAction: action }), {
        code: 'UnknownOperation',
        fault: 'soap:Client',
        reason: `Server did not recognize the value of HTTP Header SOAPAction: ${shown}.`,
      });
    });
  }

  for (const [sent, shown] of [
    [Buffer.from('"urn:заказы/НайтиЗаказ"').toString('latin1'), 'urn:заказы/НайтиЗаказ'],
    ['"urn:caf\xe9"', 'urn:café'],
  ] as const) {
    it(`SOAP 1.1, SOAPAction beyond ASCII: ${shown} stands in the fault as it was sent`, async (test) => {
      const connection = await RawConnection.open(test, echo.port);
      connection.ask(
        'POST /WS01.asmx',
        ['Content-Type: text/xml', `SOAPAction: ${sent}`, 'Content-Length: 4'],
        '<a/>',
      );
      assert.match((await connection.answer()).body, new RegExp(`Header SOAPAction: ${shown}\\.<`));
    });
  }

  it('SOAP 1.1, SOAPAction that contradicts the Body: a fault that names both', async () => {
    const answer = await post(SOAP11, BODY, {
      SOAPAction: `"${ECHO_NAMESPACE}/UpdateArticleCategory"`,
    });
    assertFault(answer, {
      code: 'MalformedRequest',
      fault: 'soap:Client',
      reason: /UpdateArticleCategory.*DeleImgById/,
    });
  });

  it('SOAP 1.1, SOAPAction and an empty Body: the operation with nothing given', async () => {
    const answer = await post(SOAP11, '', { SOAPAction: `"${ACTION}"` });
    assert.equal(answer.status, 200);
    assert.equal(answer.echo?.FileGuid, null);
  });

  for (const [what, parameter] of [
    ['known', ACTION],
    ['with two slashes', `${ECHO_NAMESPACE}//DeleImgById`],
    ['unknown: the Body routes', `${ECHO_NAMESPACE}/Nothing`],
    ['empty: the Body routes', ''],
  ] as const) {
    it(`SOAP 1.2, action ${what}`, async () => {
      const type = `application/soap+xml; charset=utf-8; action="${parameter}"`;
      assertRouted(await post(SOAP12, BODY, { 'Content-Type': type }));
    });
  }

  it('SOAP 1.2 without any action: the Body routes', async () => {
    assertRouted(await post(SOAP12, BODY));
  });

  it('SOAP 1.2 with a SOAPAction beside it: that is ignored, even an unknown one', async () => {
    assertRouted(await post(SOAP12, BODY, { SOAPAction: '"urn:nothing"' }));
  });

  it('SOAP 1.2, action that contradicts the Body: a fault that names both', async () => {
    const type = `application/soap+xml; action="${ECHO_NAMESPACE}/UpdateArticleCategory"`;
    const answer = await post(SOAP12, BODY, { 'Content-Type': type });
    assertFault(answer, {
      code: 'MalformedRequest',
      fault: 'soap:Sender',
      reason: /UpdateArticleCategory.*DeleImgById/,
    });
  });

  it('SOAP 1.2, unknown action and unknown Body: the fault names the action', async () => {
    const type = 'application/soap+xml; action="urn:x/Nothing"';
    assertFault(await post(SOAP12, call('Nothing'), { 'Content-Type': type }), {
      code: 'UnknownOperation',
      fault: 'soap:Sender',
      reason: "Unable to handle request. The action 'urn:x/Nothing' was not recognized.",
    });
  });

  it('a SOAP 1.2 envelope sent as text/xml is answered in SOAP 1.2', async () => {
    const answer = await post(SOAP12, BODY, { 'Content-Type': 'text/xml; charset=utf-8' });
    assertRouted(answer);
    assert.equal(answer.envelope, SOAP12.envelope);
    assert.equal(answer.headers['content-type'], SOAP12.contentType);
  });

  for (const version of VERSIONS) {
    const missing =
      'Unable to handle request without a valid action parameter. Please supply a valid soap action.';
    const wrong = { code: 'UnknownOperation', fault: version.sender, reason: missing };

    for (const [what, body] of [
      ['an unknown operation', call('Nothing')],
      ['an operation in another case', call('deleimgbyid')],
      ['an operation in no namespace', '<DeleImgById/>'],
      ['an operation in another namespace', '<DeleImgById xmlns="urn:other"/>'],
      ['a name of every object', call('__proto__')],
      ['nothing', ''],
      ['text alone', 'DeleImgById'],
    ] as const) {
      it(`${version.name}, no action, the Body holds ${what}`, async () => {
        const answer = await post(version, body);
        assertFault(answer, wrong);
        assert.ok(
          answer.detail.message?.includes(ECHO_NAMESPACE),
          'the message says which namespace is right',
        );
      });
    }

    it(`${version.name}, several elements in the Body: the first is called`, async () => {
      assertRouted(await post(version, BODY + call('UpdateArticleCategory')));
    });
  }

  it('SOAP 1.1, several elements in the Body: the one that SOAPAction names is called', async () => {
    assertRouted(await post(SOAP11, call('UpdateArticleCategory') + BODY, { SOAPAction: ACTION }));
  });
});
