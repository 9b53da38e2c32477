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
    ],
    refuses: ['+08:00', 'Mars/Olympus', 'Berlin', 'EST5EDT,M3.2.0'],
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
  UPSTREAM_NETWORKS: {
    property: 'upstreamNetworks',
    takes: [['10.0.0.0/8,::1', ['10.0.0.0/8', '::1/128']]],
    refuses: ['10.0.0.0/33', 'lan'],
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
  MAX_UNAUTHENTICATED_BYTES: {
    property: 'maxUnauthenticatedBytes',
    takes: [
      ['1048576', MIB],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['0', '1048575', '16MiB', '1073741825'],
  },
  MAX_CALLS: {
    property: 'maxCalls',
    takes: [
      ['1', 1],
      ['1000000', 1_000_000],
    ],
    refuses: ['0', '1000001', 'unlimited'],
  },
  MAX_UNREAD_BYTES: {
    property: 'maxUnreadBytes',
    takes: [
      ['1048576', MIB],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['0', '1048575', '16MiB', '1073741825'],
  },
  MIN_BODY_RATE: {
    property: 'minBodyRate',
    takes: [
      ['1', 1],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['0', '240/s', '1073741825'],
  },
  BODY_GRACE_SECONDS: {
    property: 'bodyGraceSeconds',
    takes: [
      ['1', 1],
      ['300', 300],
    ],
    refuses: ['0', '5s', '301'],
  },
  API_BODY_BYTES: {
    property: 'apiBodyBytes',
    takes: [
      ['1024', 1_024],
      ['1073741824', 1024 * MIB],
    ],
    refuses: ['1023', '64KiB', '1073741825'],
  },
  API_PAGE_ITEMS: {
    property: 'apiPageItems',
    takes: [
      ['100', 100],
      ['10000', 10_000],
    ],
    refuses: ['99', 'all', '10001'],
  },
  API_SEARCH_CHARS: {
    property: 'apiSearchChars',
    takes: [
      ['1', 1],
      ['1000', 1_000],
    ],
    refuses: ['0', '200c', '1001'],
  },
  API_ROWS_READ: {
    property: 'apiRowsRead',
    takes: [
      ['100', 100],
      ['10000000', 10_000_000],
    ],
    refuses: ['99', '1e6', '10000001'],
  },
  API_READ_MS: {
    property: 'apiReadMs',
    takes: [
      ['0', 0],
      ['60000', 60_000],
    ],
    refuses: ['-1', '1s', '60001'],
  },
  API_STREAMS: {
    property: 'apiStreams',
    takes: [
      ['1', 1],
      ['100000', 100_000],
    ],
    refuses: ['0', 'many', '100001'],
  },
  API_STREAMS_PER_PERSON: {
    property: 'apiStreamsPerPerson',
    takes: [
      ['1', 1],
      ['100000', 100_000],
    ],
    refuses: ['0', 'all', '100001'],
  },
  MAX_IMAGE_PIXELS: {
    property: 'maxImagePixels',
    takes: [
      ['1', 1],
      ['2147483647', 2147483647],
    ],
    refuses: ['0', '50e6', '2147483648'],
  },
  IMAGE_DECODERS: {
    property: 'imageDecoders',
    takes: [
      ['1', 1],
      ['64', 64],
    ],
    refuses: ['0', '65', 'auto'],
  },
  IMAGE_CACHE_BYTES: {
    property: 'imageCacheBytes',
    takes: [
      ['0', 0],
      ['17179869184', 16 * 1024 * MIB],
    ],
    refuses: ['-1', '17179869185', '32MiB'],
  },
  IMAGE_MEMORY_BYTES: {
    property: 'imageMemoryBytes',
    takes: [
      ['134217728', 128 * MIB],
      ['17179869184', 16 * 1024 * MIB],
    ],
    refuses: ['134217727', '17179869185', '256MiB'],
  },
  IMAGE_CPU_MS: {
    property: 'imageCpuMs',
    takes: [
      ['100', 100],
      ['600000', 600_000],
    ],
    refuses: ['99', '600001', '10s'],
  },
  IMAGE_QUEUE: {
    property: 'imageQueue',
    takes: [
      ['0', 0],
      ['100000', 100_000],
    ],
    refuses: ['-1', '100001', 'off'],
  },
} satisfies Readonly<Record<string, Sides>>;
