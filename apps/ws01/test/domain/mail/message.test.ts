import assert from 'node:assert/strict';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { CHARACTER } from '../../../../../packages/asmx/test/kit/random.ts';
import { isHtml } from '../../../src/adapters/mail/html.ts';
import { createComposer } from '../../../src/adapters/mail/message.ts';
import { headersOf } from '../../kit/mail-server.ts';
import { decodeWords, partsOf } from '../../kit/mime.ts';

const MAIL = {
  messageId: '<id-1@ws01.example>',
  date: Date.parse('2026-11-21T12:00:00Z'),
  from: { name: '留言板 & Co', address: 'board@ws01.example' },
  to: { name: 'Grace', address: 'grace@example.com' },
  replyTo: { name: 'Ada "漢字" <x>', address: 'ada@users.example' },
  subject: 'Subject',
  body: 'Body',
};
const compose = createComposer(undefined);

async function composed(given: Partial<typeof MAIL> = {}, smtpUtf8 = false): Promise<string> {
  return Buffer.from(await compose({ ...MAIL, ...given }, smtpUtf8)).toString('latin1');
}

describe('a message', () => {
  it('has the headers of a machine that writes to one person', async () => {
    const headers = headersOf(await composed());
    assert.deepEqual(
      Object.fromEntries([...headers].filter(([name]) => !name.startsWith('content-'))),
      {
        from: '=?UTF-8?B?55WZ6KiA5p2/ICYgQ28=?= <board@ws01.example>',
        to: 'Grace <grace@example.com>',
        'reply-to': headers.get('reply-to'),
        subject: 'Subject',
        'message-id': '<id-1@ws01.example>',
        date: 'Sat, 21 Nov 2026 12:00:00 +0000',
        'auto-submitted': 'auto-generated',
        'x-auto-response-suppress': 'All',
        'mime-version': '1.0',
      },
    );
    assert.equal(decodeWords(headers.get('reply-to')!), 'Ada "漢字" <x> <ada@users.example>');
  });

  it('is the same each time', async () => {
    const body = `<p>${'漢字😀 '.repeat(200)}</p>`;
    assert.equal(await composed({ body }), await composed({ body }));
  });

  it('carries text as text, in any script, line by line', async () => {
    const body = `Dear 漢字😀,\n\n<&>"' a < b > c, <grace@example.com>\r\n.\n${'x'.repeat(2_000)}\n`;
    const [part, ...others] = partsOf(await composed({ body }));
    assert.deepEqual(others, []);
    assert.equal(part?.type, 'text/plain');
    assert.equal(
      part?.text.replaceAll('\r\n', '\n').trimEnd(),
      body.replaceAll('\r\n', '\n').trimEnd(),
    );
  });

  it('carries HTML with its text', async () => {
    const body =
      '<h1>Hello 漢字</h1><p>An <a href="https://example.com/a">answer</a></p><script>x()</script>';
    const [text, html] = partsOf(await composed({ body }));
    assert.deepEqual([text?.type, html?.type], ['text/plain', 'text/html']);
    assert.equal(html?.text.trimEnd(), body);
    assert.match(text!.text, /HELLO 漢字\s+An answer \[https:\/\/example.com\/a\]/);
    assert.ok(!text!.text.includes('x()'));
  });

  it('has no line longer than SMTP takes', async () => {
    const body = `<p>${'漢'.repeat(5_000)}${'x'.repeat(5_000)}</p>`;
    for (const line of (await composed({ body, subject: '漢'.repeat(255) })).split('\r\n'))
      assert.ok(line.length <= 998);
  });

  it('leaves a Reply-To out that the server might not understand', async () => {
    const replyTo = { name: '', address: '漢字@users.example' };
    assert.equal(headersOf(await composed({ replyTo })).has('reply-to'), false);
    assert.equal(headersOf(await composed({ replyTo }, true)).has('reply-to'), true);
  });
});

describe('injection', () => {
  const hostile = fc.oneof(
    fc.string({ unit: CHARACTER, maxLength: 60 }),
    fc.constantFrom(
      '"x" <evil@example.org>',
      'x>, <evil@example.org',
      'a\r\nBcc: evil@example.org',
      '=?utf-8?Q?a=0D=0ABcc:_evil@example.org?=',
      '=?utf-8?B?ZXZpbEBleGFtcGxlLm9yZw==?= <evil@example.org>',
      '\\"; Bcc: evil@example.org; "',
      '(comment) group: evil@example.org;',
      'x'.repeat(60),
      ' lead and trail ',
    ),
  );

  it('no name, subject or body adds, changes or ends a header', async () => {
    const names = [...headersOf(await composed({ body: 'x' })).keys()];
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (name, subject, body) => {
        const raw = await composed({
          to: { name, address: 'grace@example.com' },
          subject,
          body: `${body}x`,
        });
        const headers = headersOf(raw);
        const found = [...headers.keys()].filter((header) => !header.startsWith('content-'));
        const expected = names.filter(
          (header) =>
            !header.startsWith('content-') && (header !== 'subject' || headers.has('subject')),
        );
        assert.deepEqual(found.toSorted(), expected.toSorted());
        assert.ok(
          headers.get('to')?.endsWith('grace@example.com>') ||
            headers.get('to') === 'grace@example.com',
        );
        assert.ok(
          !raw
            .slice(0, raw.indexOf('\r\n\r\n'))
            .replaceAll('\r\n', '')
            .match(/[\r\n\0]/),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('what looks like an encoded word is shown as it was written', async () => {
    const trick = '=?utf-8?Q?Bank?=';
    const headers = headersOf(
      await composed({ to: { name: trick, address: 'grace@example.com' }, subject: trick }),
    );
    assert.equal(decodeWords(headers.get('subject')!), trick);
    assert.ok(!headers.get('to')!.includes(trick));
    assert.equal(
      decodeWords(headers.get('to')!).replaceAll('\u2060', ''),
      `${trick} <grace@example.com>`,
    );
  });

  it('an address in a name stays within the quotes', async () => {
    const headers = headersOf(
      await composed({ to: { name: 'x" <evil@example.org>, "y', address: 'grace@example.com' } }),
    );
    assert.equal(headers.get('to'), '"x\\" <evil@example.org>, \\"y" <grace@example.com>');
  });
});

describe('HTML', () => {
  for (const body of [
    '<p>x',
    'a <br> b',
    '<A HREF="x">',
    '</div>',
    '<!-- x -->',
    '<!DOCTYPE html>',
    '<h1\n>',
    '<br/>',
  ]) {
    it(`is ${JSON.stringify(body)}`, () => assert.equal(isHtml(body), true));
  }
  for (const body of [
    ...words('<grace@example.com> <3 i<b <bold> <漢字>'),
    'a < b > c',
    'x <y> z',
    '< p >',
    '',
  ]) {
    it(`is not ${JSON.stringify(body)}`, () => assert.equal(isHtml(body), false));
  }

  it('hostile bodies of full length come to an end, as HTML', async () => {
    const size = 256 * 1024;
    for (const piece of [...words('< <b> </p> <div><p> <!-- &# <table><tr><td>'), '<a href="']) {
      const body = piece.repeat(Math.floor(size / piece.length)).concat('<p>');
      assert.equal(
        partsOf(await composed({ body }))
          .map(({ type }) => type)
          .at(-1),
        'text/html',
        piece,
      );
    }
  });
});

describe('DKIM', () => {
  it('signs what receivers look at, with a signature that verifies', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const sign = createComposer({ domain: 'ws01.example', selector: 's1', privateKey: pem });
    const raw = Buffer.from(await sign({ ...MAIL, body: '<p>漢字</p>' }, false)).toString('latin1');
    const signature = headersOf(raw).get('dkim-signature')!;
    const tags = new Map(
      signature
        .split(';')
        .map((tag) => [
          tag.slice(0, tag.indexOf('=')).trim(),
          tag.slice(tag.indexOf('=') + 1).trim(),
        ]),
    );
    assert.deepEqual(
      [tags.get('d'), tags.get('s'), tags.get('a'), tags.get('c')],
      ['ws01.example', 's1', 'rsa-sha256', 'relaxed/relaxed'],
    );
    const signed = tags
      .get('h')!
      .toLowerCase()
      .split(':')
      .map((name) => name.trim());
    for (const name of ['from', 'to', 'subject', 'date', 'message-id'])
      assert.ok(signed.includes(name), name);
    // RFC 6376 3.7: the signed headers, relaxed, then the signature's own without its value.
    const relaxed = (value: string) => value.replaceAll(/[ \t]+/g, ' ').trim();
    const headers = headersOf(raw);
    const lines = signed
      .filter((name) => headers.has(name))
      .map((name) => `${name}:${relaxed(headers.get(name)!)}\r\n`);
    const own = `dkim-signature:${relaxed(signature.replace(/(\bb=)[^;]*$/, '$1'))}`;
    const verify = createVerify('RSA-SHA256').update(lines.join('') + own);
    assert.ok(verify.verify(publicKey, tags.get('b')!.replaceAll(/\s/g, ''), 'base64'));
  });
});
