import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { between, pairs, type Sides, same } from './sides.ts';

const GUID = 'C56A4180-65AA-42EC-A945-5FD21DEC0538';

/** Credentials, how values are read, how large they may be. */
export const VALUES = {
  LEGACY_CHARSET: {
    property: 'legacyCharset',
    takes: pairs({ gb18030: 'gb18030', 'windows-1252': 'windows-1252', ' Big5 ': 'Big5' }),
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
    takes: pairs({
      'Asia/Shanghai': 'Asia/Shanghai',
      'europe/berlin': 'Europe/Berlin',
      'China Standard Time': 'Asia/Shanghai',
      'w. europe standard time': 'Europe/Berlin',
      CET: 'Europe/Brussels',
    }),
    refuses: words('+08:00 Mars/Olympus Berlin EST5EDT,M3.2.0 CST BST EST ist PST'),
  },
  UPSTREAM_URL: {
    property: 'upstreamUrl',
    takes: same('http://old/Old.asmx', 'https://old.example:8443/a/b.asmx'),
    refuses: ['old', 'ftp://old/', 'http://a:b@old/', 'http://old/?WSDL', 'http://old/#x'],
  },
  UPSTREAM_OPERATIONS: {
    property: 'upstreamOperations',
    takes: pairs({
      QueryAdvert: new Set(['QueryAdvert']),
      'QueryAdvert, SendEmail': new Set(['QueryAdvert', 'SendEmail']),
    }),
    refuses: ['QueryAdvert,', 'Query Advert', '*'],
  },
  DEFAULT_COUNTRY: {
    property: 'defaultCountry',
    takes: pairs({ US: 'US', cn: 'CN' }),
    refuses: ['USA', 'XX', '1', '中国'],
  },
  CODE_SECRET: {
    property: 'codeSecret',
    takes: [['秘'.repeat(32), '秘'.repeat(32)]],
    refuses: ['x'.repeat(31), 'x'.repeat(1025)],
  },
  MAX_REQUEST_BYTES: between('maxRequestBytes', 1, 1_073_741_824, '4MiB', '4_000', '-1'),
  MAX_IMAGE_BYTES: between('maxImageBytes', 1, 1_073_741_824, '10MB', 'unlimited'),
  MAX_IMAGE_PIXELS: between('maxImagePixels', 1, 2_147_483_647, '50e6'),
} satisfies Readonly<Record<string, Sides>>;
