import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { between, pairs, type Sides, same, switched } from './sides.ts';

/** Where and how the service serves. */
export const SERVICE = {
  HOST: {
    property: 'host',
    takes: pairs({
      '0.0.0.0': '0.0.0.0',
      '::': '::',
      '[::1]': '::1',
      'ws01.internal': 'ws01.internal',
    }),
    refuses: ['http://localhost', 'a b', '127.0.0.1:80', '[localhost]', '1::2::3', '名'],
  },
  PORT: {
    property: 'port',
    takes: pairs({ '0': 0, '65535': 65_535, ' 80 ': 80 }),
    refuses: ['65536', '-1', '8080.5', '0x50', '1e3', 'http', '99999999999999999999'],
  },
  METRICS_PORT: between('metricsPort', 0, 65_535, 'on'),
  SOCKET_PATH: {
    property: 'socketPath',
    takes: same('/run/ws01/http.sock'),
    refuses: ['a\0b'],
  },
  TLS_CERT_FILE: {
    property: 'tlsCertFile',
    with: { TLS_KEY_FILE: '/etc/ws01/key.pem' },
    takes: same('/etc/ws01/cert.pem'),
    refuses: ['a\0b'],
  },
  TLS_KEY_FILE: {
    property: 'tlsKeyFile',
    with: { TLS_CERT_FILE: '/etc/ws01/cert.pem' },
    takes: same('/etc/ws01/key.pem'),
    refuses: ['a\0b'],
  },
  METRICS_HOST: {
    property: 'metricsHost',
    takes: same('0.0.0.0', '::1'),
    refuses: ['http://localhost', 'a b'],
  },
  CONSOLE: switched('console'),
  CONSOLE_PORT: between('consolePort', 0, 65_535, 'on'),
  CONSOLE_HOST: {
    property: 'consoleHost',
    takes: same('0.0.0.0', '::1'),
    refuses: ['http://localhost', 'a b'],
  },
  PUBLIC_READING: switched('publicReading'),
  PUBLIC_ORIGINS: {
    property: 'publicOrigins',
    takes: [
      ['*', ['*']],
      [
        'https://example.com, http://localhost:3000/',
        ['https://example.com', 'http://localhost:3000'],
      ],
    ],
    refuses: ['example.com', 'https://example.com/path', 'https://a.example,', 'null'],
  },
  PUBLIC_ARTICLE_URL: {
    property: 'publicArticleUrl',
    takes: same('https://example.com/a/{guid}'),
    refuses: ['https://example.com/a', '/a/{guid}', 'javascript:{guid}'],
  },
  DRAIN_SECONDS: between('drainSeconds', 0, 3600, '1.5', '10s'),
  BASE_URL: {
    property: 'baseUrl',
    takes: pairs({
      'https://example.com': 'https://example.com',
      'https://Example.com:8443/ws/': 'https://example.com:8443/ws',
      'http://[::1]:8080/': 'http://[::1]:8080',
    }),
    refuses: words(
      'example.com ftp://example.com https://example.com/?a=b https://example.com/#top',
      'https://ada:secret@example.com https://example.com/WS01.asmx /ws',
    ),
  },
  LEGACY_IMAGE_PATHS: {
    property: 'legacyImagePaths',
    takes: [
      [
        '/Upload/*/{key}.JPG',
        [
          {
            segments: [{ text: 'upload' }, 'any', { before: '', after: '.jpg' }],
            parameters: new Map(),
          },
        ],
      ],
      [
        '/a/{key}, /img.aspx?ID={key}&size=1',
        [
          { segments: [{ text: 'a' }, { before: '', after: '' }], parameters: new Map() },
          {
            segments: [{ text: 'img.aspx' }],
            parameters: new Map<string, object>([
              ['id', { before: '', after: '' }],
              ['size', { text: '1' }],
            ]),
          },
        ],
      ],
    ],
    refuses: words(
      '/upload/ /{key} {key}.jpg /{key}/{key} /a/{id} /a*/{key} /*/{key} /a/*.{key} /a?{key}',
      '/a?b?c={key} /a/{key},',
    ),
  },
  LEGACY_LINK_PATHS: {
    property: 'legacyLinkPaths',
    takes: [
      [
        '/go.aspx?id={code}',
        [
          {
            segments: [{ text: 'go.aspx' }],
            parameters: new Map([['id', { before: '', after: '' }]]),
          },
        ],
      ],
    ],
    refuses: ['/go/{key}', '/go/', '/{code}'],
  },
  SOAP_SERVICE_NAME: {
    property: 'soapServiceName',
    takes: same('WS01', 'Old_Service-2.0', 'x'.repeat(100)),
    refuses: ['2nd', 'a b', 'a:b', '服务', 'x'.repeat(101)],
  },
  SERVICE_PATHS: {
    property: 'servicePaths',
    takes: pairs({
      '/Old.asmx': ['/Old.asmx'],
      '/a/Old.asmx, /WS01.asmx': ['/a/Old.asmx', '/WS01.asmx'],
      '/soap': ['/soap'],
    }),
    refuses: words('Old.asmx / /a//b /a/../b /a?b /media/x /s /healthz /A.asmx,/a.asmx /a,'),
  },
  SOAP_NAMESPACE: {
    property: 'soapNamespace',
    takes: same('http://tempuri.org/', 'urn:example:ws', 'WS01'),
    refuses: ['a b', 'urn:"x"', 'urn:<x>', 'urn:名', `urn:${'x'.repeat(1024)}`],
  },
  TRUSTED_CALLERS: {
    property: 'trustedCallers',
    takes: pairs({ '10.0.0.0/8': ['10.0.0.0/8'], '192.0.2.1': ['192.0.2.1/32'] }),
    refuses: ['10.0.0.0/33', 'site.example.com'],
  },
  REVIEWS_FROM: {
    property: 'reviewsFrom',
    with: { TRUSTED_CALLERS: '10.0.0.0/8' },
    takes: same('anyone', 'trusted'),
    refuses: ['nobody', 'off'],
  },
  REVIEW_SCALE: between('reviewScale', 1, 1000, '4.5', 'five'),
  TRUSTED_PROXIES: {
    property: 'trustedProxies',
    takes: pairs({
      '10.0.0.0/8, 192.0.2.7': ['10.0.0.0/8', '192.0.2.7/32'],
      '2001:DB8::/32': ['2001:db8::/32'],
      '::ffff:192.0.2.0/120': ['192.0.2.0/24'],
      Loopback: ['127.0.0.0/8', '::1/128'],
      '0.0.0.0/0,::/0': ['0.0.0.0/0', '::/0'],
    }),
    refuses: words(
      '10.0.0.0/33 10.0.0.0/ 10.1 proxy 10.0.0.1, fe80::1%eth0 ::ffff:10.0.0.0/8 1.2.3.4/8/8',
    ),
  },
  SHORT_BASE_URL: {
    property: 'shortBaseUrl',
    takes: [['https://x.example/', 'https://x.example']],
    refuses: ['x.example', 'https://x.example/?u='],
  },
  COUNTRY_HEADER: {
    property: 'countryHeader',
    takes: [
      ['CF-IPCountry', 'cf-ipcountry'],
      [`x-${'a'.repeat(62)}`, `x-${'a'.repeat(62)}`],
    ],
    refuses: ['CF IPCountry', 'Country:', `x-${'a'.repeat(63)}`],
  },
  FAST_PATH: switched('fastPath'),
  MCP: switched('mcp'),
  REFUSE_EMBEDDED_WRITES: switched('refuseEmbeddedWrites'),
  SERVICE_NAME: {
    property: 'serviceName',
    takes: same('留言板 & Co', 'x'.repeat(40)),
    refuses: ['x'.repeat(41), 'a\nb', '\ud800'],
  },
  LOG_LEVEL: {
    property: 'logLevel',
    takes: pairs({ DEBUG: 'debug', silent: 'silent' }),
    refuses: ['verbose', '30'],
  },
  WORKERS: {
    property: 'workers',
    takes: [
      ['1', 1],
      ['256', 256],
      // On SQLite, whatever the machine has.
      ['auto', 1],
    ],
    refuses: ['0', '257', 'all', '1.5'],
  },
} satisfies Readonly<Record<string, Sides>>;
