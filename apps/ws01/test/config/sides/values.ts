import type { Sides } from './sides.ts';

const MIB = 1024 ** 2;
const GUID = 'C56A4180-65AA-42EC-A945-5FD21DEC0538';

/** Credentials, how values are read, how large they may be. */
export const VALUES = {
  LEGACY_CHARSET: {
    property: 'legacyCharset',
    takes: [
      ['gb18030', 'gb18030'],
      ['windows-1252', 'windows-1252'],
      [' Big5 ', 'Big5'],
    ],
    refuses: ['utf-8', 'utf-16', 'iso-2022-jp', 'klingon', 'gb18030;', 'replacement'],
  },
  BOOTSTRAP_TOKEN: {
    property: 'bootstrapToken',
    takes: [
      ['8 chars!', '8 chars!'],
      ['x'.repeat(255), 'x'.repeat(255)],
      [GUID, GUID.toLowerCase()],
      ['ws1_anything-else', 'ws1_anything-else'],
    ],
    refuses: [
      'short',
      'x'.repeat(256),
      'tab\tinside',
      '00000000-0000-0000-0000-000000000000',
      `ws1_${'a'.repeat(38)}`,
    ],
  },
  TIME_ZONE: {
    property: 'timeZone',
    takes: [
      ['Asia/Shanghai', 'Asia/Shanghai'],
      ['europe/berlin', 'Europe/Berlin'],
      ['China Standard Time', 'Asia/Shanghai'],
      ['w. europe standard time', 'Europe/Berlin'],
      ['CET', 'Europe/Brussels'],
    ],
    refuses: [
      '+08:00',
      'Mars/Olympus',
      'Berlin',
      'EST5EDT,M3.2.0',
      'CST',
      'BST',
      'EST',
      'ist',
      'PST',
    ],
  },
  UPSTREAM_URL: {
    property: 'upstreamUrl',
    takes: [
      ['http://old/Old.asmx', 'http://old/Old.asmx'],
      ['https://old.example:8443/a/b.asmx', 'https://old.example:8443/a/b.asmx'],
    ],
    refuses: ['old', 'ftp://old/', 'http://a:b@old/', 'http://old/?WSDL', 'http://old/#x'],
  },
  UPSTREAM_OPERATIONS: {
    property: 'upstreamOperations',
    takes: [
      ['QueryAdvert', new Set(['QueryAdvert'])],
      ['QueryAdvert, SendEmail', new Set(['QueryAdvert', 'SendEmail'])],
    ],
    refuses: ['QueryAdvert,', 'Query Advert', '*'],
  },
  DEFAULT_COUNTRY: {
    property: 'defaultCountry',
    takes: [
      ['US', 'US'],
      ['cn', 'CN'],
    ],
    refuses: ['USA', 'XX', '1', '中国'],
  },
  CODE_SECRET: {
    property: 'codeSecret',
    takes: [['秘'.repeat(32), '秘'.repeat(32)]],
    refuses: ['x'.repeat(31), 'x'.repeat(1025)],
  },
  MAX_REQUEST_BYTES: {
    property: 'maxRequestBytes',
    takes: [
      ['1', 1],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['0', '4MiB', '4_000', '1073741825', '-1'],
  },
  MAX_IMAGE_BYTES: {
    property: 'maxImageBytes',
    takes: [
      ['1', 1],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['0', '10MB', '1073741825', 'unlimited'],
  },
  MAX_IMAGE_PIXELS: {
    property: 'maxImagePixels',
    takes: [
      ['1', 1],
      ['2147483647', 2147483647],
    ],
    refuses: ['0', '50e6', '2147483648'],
  },
} satisfies Readonly<Record<string, Sides>>;
