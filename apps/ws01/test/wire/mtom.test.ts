import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blackPng } from '../kit/images/containers.ts';
import { multipart, type Part, postMtom, xopEnvelope } from '../kit/images/uploads.ts';
import { startService, TOKEN } from '../kit/service.ts';

const TYPE =
  'multipart/related; type="application/xop+xml"; start-info="text/xml"; start="<root>"; boundary=b';
const picture = blackPng(4, 4);
const params = { verifyCode: TOKEN, FileGuid: 'a' };

const root = (content: string, type = 'application/xop+xml; type="text/xml"'): Part => ({
  headers: { 'Content-Type': type, 'Content-ID': '<root>' },
  content,
});
const file = (
  id: string,
  content: Uint8Array | string = picture,
  more: Record<string, string> = {},
): Part => ({
  headers: { 'Content-ID': `<${id}>`, ...more },
  content,
});
const referring = (href: string): Part => root(xopEnvelope('soap11', params, href));

/** Messages with the code that they are answered with; `undefined` for one that goes well. */
const MESSAGES: Readonly<Record<string, [string | undefined, readonly Part[]]>> = {
  'other parts beside are read over': [
    undefined,
    [file('x', 'x'), referring('cid:f'), file('y', 'y'), file('f'), file('z', 'z')],
  ],
  'a part without headers is read over': [
    undefined,
    [referring('cid:f'), { headers: {}, content: 'x' }, file('f')],
  ],
  'a Content-ID that is encoded in its header as in the URL (CXF 3.5.3)': [
    undefined,
    [
      file('f@urn%3Ans', 'x'),
      referring('cid:g@urn%3Aexample%3A%C3%A9'),
      file('g@urn%3Aexample%3A%C3%A9'),
    ],
  ],
  'a Content-ID of escapes that are encoded again in the URL (RFC 2392)': [
    undefined,
    [referring('cid:g%2525h%2540x'), file('g%25h%40x')],
  ],
  'an empty file': ['InvalidParameter', [referring('cid:f'), file('f', '')]],
  'no part is referred to': ['MalformedRequest', [referring('cid:missing'), file('f')]],
  'the reference is no cid': ['MalformedRequest', [referring('http://127.0.0.1/f'), file('f')]],
  'there is no envelope': ['MalformedRequest', [file('f')]],
  'a transfer encoding that is not known': [
    'MalformedRequest',
    [referring('cid:f'), file('f', picture, { 'Content-Transfer-Encoding': 'x-uuencode' })],
  ],
  'a part that is not the base64 that it says': [
    'MalformedRequest',
    [referring('cid:f'), file('f', '!!!!', { 'Content-Transfer-Encoding': 'base64' })],
  ],
  'two parts of one Content-ID': [
    'MalformedRequest',
    [referring('cid:f'), file('f'), file('f', 'again')],
  ],
  'two parts before the envelope of one Content-ID': [
    'MalformedRequest',
    [file('f'), file('f'), referring('cid:f')],
  ],
  'a part that has the Content-ID of the envelope': [
    'MalformedRequest',
    [referring('cid:f'), file('root'), file('f')],
  ],
  'as many parts before the envelope as there may be': [
    undefined,
    [...'1234'].map((id) => file(id)).concat(referring('cid:1')),
  ],
  'too many parts before the envelope, without a Content-ID': [
    'MalformedRequest',
    [...'12345']
      .map((): Part => ({ headers: {}, content: 'x' }))
      .concat(referring('cid:f'), file('f')),
  ],
  'too many parts before the envelope': [
    'MalformedRequest',
    [...'12345'].map((id) => file(id)).concat(referring('cid:1')),
  ],
  'too many parts': [
    'MalformedRequest',
    [referring('cid:f'), ...Array.from({ length: 100 }, (_, at) => file(`f${at}`, ''))],
  ],
  'headers without end': [
    'TooLarge',
    [referring('cid:f'), file('f', picture, { 'X-Long': 'x'.repeat(70_000) })],
  ],
  'an envelope of another type': [
    'UnsupportedMediaType',
    [root(xopEnvelope('soap11', params, 'cid:f'), 'text/html'), file('f')],
  ],
  'an envelope that is no XML': ['MalformedRequest', [root('<a'), file('f')]],
  'two references in one file': [
    'MalformedRequest',
    [
      root(xopEnvelope('soap11', params, 'cid:f').replace(/(<xop:Include[^>]*>)/, '$1$1')),
      file('f'),
    ],
  ],
  'a reference where no file belongs': [
    'MalformedRequest',
    [
      root(
        xopEnvelope('soap11', params, 'cid:f').replace(
          '<FileGuid>a',
          '<FileGuid><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:f"/>',
        ),
      ),
      file('f'),
    ],
  ],
};

it('MTOM: what is read over, and what is refused and how', async (t) => {
  const { url } = await startService(t);
  for (const [name, [code, parts]] of Object.entries(MESSAGES)) {
    await t.test(name, async () => {
      const answer = await postMtom(url, TYPE, multipart('b', parts));
      assert.equal(answer.headers['x-error-code'], code, answer.body);
      if (code === undefined) assert.equal(answer.result, 'true');
      else assert.match(answer.body, /<soap:Fault>/);
    });
  }
});

it('MTOM: a message cut off, without boundary, or with one that it does not hold to', async (t) => {
  const { url } = await startService(t);
  const whole = multipart('b', [referring('cid:f'), file('f')]);
  for (const [type, body] of [
    [TYPE, whole.subarray(0, whole.length - 4)],
    [TYPE, whole.subarray(0, 100)],
    [TYPE.replace('; boundary=b', ''), whole],
    [TYPE.replace('boundary=b', 'boundary=other'), whole],
    [TYPE.replace('boundary=b', `boundary=${'b'.repeat(71)}`), whole],
  ] as const) {
    const answer = await postMtom(url, type, body);
    assert.deepEqual([answer.status, answer.headers['x-error-code']], [400, 'MalformedRequest']);
  }
});
