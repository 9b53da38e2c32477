import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { Ws01Error } from '../../apps/ws01/src/contract/errors.ts';
import { parseAddress } from '../../apps/ws01/src/domain/values/email-address.ts';
import {
  parseAddressLiteral,
  parseNamedAddress,
} from '../../apps/ws01/src/domain/values/internet-address.ts';
import { normalizePhone } from '../../apps/ws01/src/domain/values/phone.ts';
import { shortLinkTarget } from '../../apps/ws01/src/domain/values/web-url.ts';
import { formatInstant, parseDateTime } from '../../packages/asmx/src/lexical/date-time.ts';
import { LexicalError } from '../../packages/asmx/src/lexical/lexical-error.ts';
import {
  Base64Decoder,
  Base64Error,
  decodeGroups,
} from '../../packages/asmx/src/message/base64.ts';
import { charsetDecoder } from '../../packages/asmx/src/message/charset.ts';
import { outcome } from '../kit/outcome.ts';
import type { Target } from '../kit/target.ts';

const CHARSETS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'windows-1252',
  'iso-8859-1',
  'utf-32',
  'iso-2022-jp',
];

function decoded(
  name: string,
  pieces: readonly Buffer[],
  strict = false,
): { text: string; invalid: boolean } {
  const decoder = charsetDecoder(name, strict);
  assert.ok(decoder !== undefined, name);
  let text = '';
  for (const piece of pieces) text += decoder.decode(piece, false);
  text += decoder.decode(Buffer.alloc(0), true);
  return { text, invalid: decoder.invalid };
}

const cut = (input: Buffer, step: number): Buffer[] =>
  Array.from({ length: Math.ceil(input.length / step) }, (_, index) =>
    input.subarray(index * step, (index + 1) * step),
  );

function base64(text: string, step: number): Buffer {
  const decoder = new Base64Decoder();
  const bytes: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += step)
    bytes.push(decoder.push(text.slice(at, at + step)));
  bytes.push(decoder.end());
  return Buffer.concat(bytes);
}

export const VALUE_TARGETS: readonly Target[] = [
  {
    name: 'base64',
    summary: 'any cut gives the same bytes; what is written as base64 is read back',
    seeds: ['QUJDRA==', 'QUJD\r\nRA', '-_8=', 'data:image/png;base64,QUJD', ''],
    tokens: ['=', '==', '\r\n', ' ', '+', '/', '-', '_', 'data:', ';base64,', '\0'],
    run(input) {
      const text = input.toString('latin1');
      const whole = outcome(() => base64(text, text.length + 1), Base64Error);
      for (const step of [1, 3, 7])
        assert.deepEqual(
          outcome(() => base64(text, step), Base64Error),
          whole,
          `cut after ${step}`,
        );
      assert.ok(base64(input.toString('base64'), 5).equals(input), 'read back');
      assert.ok(
        base64(input.toString('base64url'), 4).equals(input),
        'read back, of the other alphabet',
      );
      const groups = (read: (room: Buffer) => number) =>
        outcome(() => {
          const room = Buffer.alloc(text.length + 3);
          return room.subarray(0, read(room)).toString('hex');
        }, SyntaxError);
      const ours = groups((room) => decodeGroups(room, text).written);
      const engines = groups(
        (room) => room.setFromBase64(text, { lastChunkHandling: 'stop-before-partial' }).written,
      );
      assert.deepEqual(ours, engines, 'the engine’s own reader differs');
    },
  },
  {
    name: 'charset',
    summary: 'any cut gives the same text; UTF-8 is read as the platform reads it',
    seeds: [
      '\u0000abc',
      '\u0003\u4e2d\u6587',
      Buffer.from([3, 0x81, 0x30, 0x81, 0x30]),
      Buffer.from([11, 0x1b, 0x24, 0x42, 0x30, 0x21]),
    ],
    tokens: ['\ufeff', '\u4e2d', '\u{1f600}', '\u001b$B', '\u001b(B', '\0'],
    run(input) {
      const name = CHARSETS[(input[0] ?? 0) % CHARSETS.length]!;
      const bytes = input.subarray(1);
      const whole = decoded(name, [bytes]);
      for (const step of [1, 2, 3, 5])
        assert.deepEqual(decoded(name, cut(bytes, step)), whole, `${name}, cut after ${step}`);
      if (name === 'utf-8') {
        assert.equal(decoded(name, [bytes], true).invalid, !isUtf8(bytes), 'valid or not');
        assert.equal(whole.text, bytes.toString('utf8'));
      }
    },
  },
  {
    name: 'dates',
    summary: 'what is read is written, and read as the same instant again',
    seeds: [
      '2026-11-22T10:11:12.345+02:00',
      '22 Nov 2026 10:11 PM',
      '11/22/26',
      '/Date(1700000000000+0100)/',
      '2026年11月22日 下午3时5分',
      '--11-22',
    ],
    tokens: [
      'T',
      'Z',
      '+14:00',
      '-00:00',
      '0001-01-01',
      '9999-12-31',
      '24:00:00',
      '60',
      'AM',
      '下午',
      '年',
      '/Date(',
      ')/',
      'GMT',
      'Feb 29',
      '.999999999',
      ' ',
    ],
    run(input) {
      const form = (input[0] ?? 0) % 2 === 0 ? 'xml' : 'form';
      const context = { timeZone: 'Europe/Berlin', now: () => 1_700_000_000_000, form } as never;
      const { value } = outcome(() => parseDateTime(input.toString('utf8'), context), LexicalError);
      if (value === undefined) return;
      assert.ok(Number.isSafeInteger(value), 'an instant');
      const written = formatInstant(value);
      const again = parseDateTime(written, context);
      assert.ok(again === value || again === undefined, `${written} is read as ${again}`);
    },
  },
  {
    name: 'phone',
    summary: 'a normal form is its own normal form',
    seeds: ['+1 (212) 555-0100', '0086 13800138000', '138-0013-8000', '\uff0b\uff11'],
    tokens: ['+', '00', '(', ')', '-', ' ', '\u200b', '\u202d', '\uff11', '+86', '+1'],
    run(input) {
      const text = input.toString('utf8');
      for (const country of [undefined, 'CN', 'US']) {
        const { value } = outcome(() => normalizePhone(text, 'phone', country), Ws01Error);
        if (value === undefined) continue;
        assert.match(value, /^\+?[0-9]{1,20}$/);
        assert.equal(normalizePhone(value, 'phone', country), value);
      }
    },
  },
  {
    name: 'address',
    summary: 'addresses of mail and of the Internet: what is read is read back as itself',
    seeds: [
      'ada@example.com',
      ' x+y@\u4e2d\u56fd.cn ',
      '::ffff:192.0.2.1',
      '2001:db8::1',
      '[2001:db8::1]:443',
      '192.0.2.1:80',
    ],
    tokens: [
      '@',
      '.',
      '..',
      '"',
      '<',
      '>',
      ',',
      ';',
      '\r\n',
      '%',
      '::',
      ':',
      '[',
      ']',
      '/',
      '\u0000',
      '\u202e',
      'xn--',
      '\ufdfa',
    ],
    run(input) {
      const text = input.toString('utf8');
      const parsed = parseAddress(text);
      if (parsed.kind === 'address') {
        assert.doesNotMatch(parsed.address, /[\s\p{Cc},;<>"()[\]\\]/u);
        assert.deepEqual(parseAddress(parsed.address), parsed);
      }
      for (const read of [parseAddressLiteral, parseNamedAddress]) {
        const literal = read(text);
        if (literal !== undefined) assert.equal(parseAddressLiteral(literal), literal);
      }
    },
  },
  {
    name: 'url',
    summary: 'targets of short links: ASCII, http or https, never private, read back as itself',
    seeds: [
      'https://example.com/a?b#c',
      'example.com:8080',
      '//example.com',
      'http://\u4e2d\u56fd.cn/',
      'http://2130706433/',
    ],
    tokens: [
      'http:',
      'https://',
      '//',
      '\\',
      '@',
      '%00',
      '127.0.0.1',
      'localhost',
      '.local',
      '[::1]',
      '0x7f.1',
      '#',
      '?',
      ':80',
      '\t',
      '\u3002',
      'javascript:',
      '..',
    ],
    run(input) {
      const { value } = outcome(() => shortLinkTarget(input.toString('utf8'), 'url'), Ws01Error);
      if (value === undefined) return;
      assert.match(value, /^https?:\/\/[!-~]+$/);
      // Encoded, it may be longer than what is taken.
      if (value.length <= 2_048) assert.equal(shortLinkTarget(value, 'url'), value);
    },
  },
];
