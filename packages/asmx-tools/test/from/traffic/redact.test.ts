import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { escapeAttribute, escapeText } from '../../../../asmx/src/xml/writer.ts';
import { assertWithin } from '../../../../asmx/test/kit/growth.ts';
import { keepExchange } from '../../../src/from/traffic/keep-exchange.ts';
import { Secrets } from '../../../src/from/traffic/redact.ts';

const XML = 'text/xml; charset=utf-8';
const FORM = 'application/x-www-form-urlencoded';

interface Sent {
  readonly target?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  readonly answer?: string;
  readonly headers?: readonly string[];
}

function keep(
  { target = '/Old.asmx', contentType = XML, body = '', answer = '', headers = [] }: Sent,
  secrets: readonly string[] = ['badge'],
) {
  return keepExchange(
    {
      at: 0,
      durationMs: 1.4,
      request: {
        method: 'POST',
        target,
        headers: ['Content-Type', contentType, ...headers],
        body: Buffer.from(body),
      },
      answer: {
        status: 200,
        headers: ['Content-Type', XML, 'Set-Cookie', 'session=1'],
        body: Buffer.from(answer),
        address: '',
      },
    },
    new Secrets(secrets),
  );
}

const textOf = (sent: Sent, secrets?: readonly string[]) => {
  const { body } = keep(sent, secrets).request;
  return 'text' in body ? body.text : JSON.stringify(body);
};

describe('a recording', () => {
  const json = (body: string): Sent => ({ contentType: 'application/json', body });
  const kept: readonly (readonly [what: string, sent: string | Sent, text: string])[] = [
    [
      'elements by local name, in whatever case',
      '<a:Badge xmlns:a="u">geheim</a:Badge><x>1</x>',
      '<a:Badge xmlns:a="u">***</a:Badge><x>1</x>',
    ],
    [
      'a CDATA section that holds an end tag',
      '<badge><![CDATA[ge</badge>heim]]></badge><x/>',
      '<badge>***</badge><x/>',
    ],
    [
      'elements inside',
      '<badge><badge>geheim</badge><b/>heim</badge><x/>',
      '<badge><badge>***</badge><b/>***</badge><x/>',
    ],
    ['attributes', `<x badge="ge>heim" y='1'>t</x>`, `<x badge="***" y='1'>t</x>`],
    ['an element that never ends', '<x><badge>geheim', '<x><badge>***'],
    [
      'comments and instructions are passed over',
      '<!-- <badge> --><?p <badge>?><x>1</x>',
      '<!-- <badge> --><?p <badge>?><x>1</x>',
    ],
    [
      'empty elements are no secret',
      '<badge></badge><badge/><badge> </badge>',
      '<badge></badge><badge/><badge> </badge>',
    ],
    [
      'WS-Security',
      '<w:Username>ada</w:Username><w:Password Type="t">geheim</w:Password><w:Nonce>abc</w:Nonce>',
      '<w:Username>ada</w:Username><w:Password Type="t">***</w:Password><w:Nonce>***</w:Nonce>',
    ],
    [
      'forms',
      { contentType: FORM, body: 'a=1&B%61dge=ge%20heim&badge=' },
      'a=1&B%61dge=***&badge=',
    ],
    ['JSON', json('{"a":{"Badge":"geheim"},"b":[1]}'), '{"a":{"Badge":"***"},"b":[1]}'],
    [
      'JSON as ASMX reads it',
      json('{badge:\'geheim\',"token": "abc",x:1}'),
      '{"badge":"***","token":"***","x":1}',
    ],
    ['JSON without a secret is kept to the byte', json('{ "a" : 1.0 }'), '{ "a" : 1.0 }'],
    [
      'several parts are not kept',
      { contentType: 'multipart/related; boundary=x', body: '--x' },
      '{"omitted":"it has several parts"}',
    ],
    [
      'what is not text is not kept',
      { body: new Uint8Array([0x3c, 0xff, 0xfe]) },
      '{"omitted":"it is not readable as text"}',
    ],
  ];
  for (const [what, sent, text] of kept)
    test(what, () => assert.equal(textOf(typeof sent === 'string' ? { body: sent } : sent), text));

  test('names what was taken out, and keeps only headers that hold no credential', () => {
    const exchange = keep({
      body: '<Badge>geheim</Badge>',
      headers: ['Authorization', 'Basic x', 'Cookie', 'a=b', 'X-Api-Key', 'k', 'SOAPAction', '"a"'],
    });
    assert.deepEqual(exchange.redacted, ['Badge']);
    assert.deepEqual(exchange.request.headers, { 'content-type': XML, soapaction: '"a"' });
    assert.deepEqual(exchange.answer?.headers, { 'content-type': XML });
    assert.equal(exchange.durationMs, 1);
  });

  test('has a secret taken out of the query, and of an answer that repeats it', () => {
    const exchange = keep({
      target: '/Old.asmx/Ask?a=1&badge=ge%26heim',
      answer: '<r>wrong badge: ge&amp;heim</r>',
    });
    assert.equal(exchange.target, '/Old.asmx/Ask?a=1&badge=***');
    // In the answer it is written in another way.
    assert.doesNotMatch(JSON.stringify(exchange), /ge(&|%26)heim/);
  });

  for (const [what, sent] of Object.entries<Sent>({
    'an address in a value': {
      contentType: FORM,
      body: 'text=see+http%3A%2F%2Fh%2F%3Fa%3D1%26badge%3Dgeheim%26b%3D2',
    },
    'an address in XML': { body: '<a>see &lt;a href="http://h/?badge=geheim"&gt; or so</a>' },
    'an address in JSON': { contentType: 'application/json', body: '{"u":"/a?badge=geheim#b"}' },
    'the user of an address': { target: '/Old.asmx/Add?u=http%3A%2F%2Fada%3Ageheim%40h%2Fa' },
    'a parameter of a path': { target: '/Old.asmx/Add;badge=geheim?a=b' },
    'a session in a path': { target: '/(S(geheimgeheim))/Old.asmx/Add' },
    'a form that is sent as plain text': { contentType: 'text/plain', body: 'badge=geheim&a=b' },
    'a form without a type': { contentType: '', body: 'badge=geheim' },
  }))
    test(`has no secret of ${what}`, () => {
      const exchange = JSON.stringify(keep(sent));
      assert.doesNotMatch(exchange, /geheim/);
      assert.match(exchange, /\*\*\*/);
    });

  test('is in UTF-8, whatever the charset was', () => {
    const body = Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>', 'latin1');
    const { request } = keep({ contentType: 'text/xml; charset=iso-8859-1', body });
    assert.deepEqual(request, {
      headers: { 'content-type': 'text/xml; charset=utf-8' },
      body: { text: '<?xml version="1.0" encoding="utf-8"?><a>é</a>' },
    });
  });

  test('never has a secret in it, however it is sent', () => {
    const secret = fc
      .string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 20 })
      .map((text) => `§${text.trim()}§secret`);
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('badge', 'Password', 'TokenId', 'apiKey'),
        (value, name) => {
          const sent: Sent[] = [
            { body: `<s><${name}>${escapeText(value)}</${name}></s>` },
            { body: `<s ${name}="${escapeAttribute(value)}"/>` },
            { contentType: FORM, body: `a=1&${name}=${encodeURIComponent(value)}` },
            { contentType: 'application/json', body: JSON.stringify({ x: { [name]: value } }) },
            { target: `/Old.asmx/Ask?${name}=${encodeURIComponent(value)}` },
          ];
          for (const each of sent) {
            const exchange = keep({ ...each, answer: `<e>${escapeText(value)}</e>` });
            const written = JSON.stringify(exchange);
            assert.ok(
              !written.includes('§secret') && !written.includes(encodeURIComponent('§secret')),
              written,
            );
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('of a long message is made in time that grows with its length', async () => {
    const read = (count: number) =>
      textOf({ body: `<a>${'<b x="1">'.repeat(count)}<badge>${'<c>'.repeat(count)}` });
    // A quadratic scan would take a hundred times as long.
    await assertWithin(
      40,
      () => read(100_000),
      () => read(10_000),
    );
  });
});
