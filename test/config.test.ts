import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { SETTINGS, type Setting } from '../src/config/settings.ts';
import { ConfigError, loadConfig, publicAddresses, redactUrl } from '../src/config.ts';

type Variable = (typeof SETTINGS)[keyof typeof SETTINGS]['variable'];

/** Texts that a variable takes, with what they become in the configuration, and texts that it refuses. */
interface Sides {
  readonly property: keyof ReturnType<typeof loadConfig>;
  readonly takes: readonly (readonly [text: string, value: unknown])[];
  readonly refuses: readonly string[];
  /** Other variables that it needs. */
  readonly with?: Readonly<Record<string, string>>;
}

const MIB = 1024 ** 2;
const GUID = 'C56A4180-65AA-42EC-A945-5FD21DEC0538';

/** Budgets are written alike. */
const RATE_TEXTS = [
  ['off', []],
  ['600/min', [{ limit: 600, window: 60_000 }]],
  [
    '1/30s 5/10min',
    [
      { limit: 1, window: 30_000 },
      { limit: 5, window: 600_000 },
    ],
  ],
  [
    ' 600/h\t200/DAY'.toLowerCase(),
    [
      { limit: 600, window: 3_600_000 },
      { limit: 200, window: 86_400_000 },
    ],
  ],
] as const;
const NO_RATES = ['on', '0/min', '5', '5/', '/min', '5/0min', '5/min,6/h', '-1/h', '5/year', '1e3/h', '9999999999/s'];

const SMTP = {
  host: 'mail.example.com',
  port: undefined,
  secure: false,
  user: undefined,
  password: undefined,
  startTls: 'auto',
  verify: true,
  connections: 5,
  name: undefined,
};

const SMPP = {
  kind: 'smpp',
  port: 2775,
  tls: false,
  verify: true,
  systemId: 'u',
  password: 'p',
  systemType: '',
  source: '',
};

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const RSA_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(PEM).toString();
const ED25519_KEY = generateKeyPairSync('ed25519').privateKey.export(PEM).toString();

const keys = mkdtempSync(join(tmpdir(), 'ws01-keys-'));
after(() => rmSync(keys, { recursive: true }));

function keyFile(name: string, content: string): string {
  writeFileSync(join(keys, name), content);
  return join(keys, name);
}

const SIDES: Readonly<Record<Variable, Sides>> = {
  HOST: {
    property: 'host',
    takes: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['[::1]', '::1'],
      ['ws01.internal', 'ws01.internal'],
    ],
    refuses: ['http://localhost', 'a b', '127.0.0.1:80', '[localhost]', '1::2::3', '名'],
  },
  PORT: {
    property: 'port',
    takes: [
      ['0', 0],
      ['65535', 65_535],
      [' 80 ', 80],
    ],
    refuses: ['65536', '-1', '8080.5', '0x50', '1e3', 'http', '99999999999999999999'],
  },
  BASE_URL: {
    property: 'baseUrl',
    takes: [
      ['https://example.com', 'https://example.com'],
      ['https://Example.com:8443/ws/', 'https://example.com:8443/ws'],
      ['http://[::1]:8080/', 'http://[::1]:8080'],
    ],
    refuses: [
      'example.com',
      'ftp://example.com',
      'https://example.com/?a=b',
      'https://example.com/#top',
      'https://ada:secret@example.com',
      'https://example.com/WS01.asmx',
      '/ws',
    ],
  },
  SOAP_NAMESPACE: {
    property: 'soapNamespace',
    takes: [
      ['http://tempuri.org/', 'http://tempuri.org/'],
      ['urn:example:ws', 'urn:example:ws'],
      ['WS01', 'WS01'],
    ],
    refuses: ['a b', 'urn:"x"', 'urn:<x>', 'urn:名', `urn:${'x'.repeat(1024)}`],
  },
  DATA_DIR: {
    property: 'dataDir',
    takes: [
      ['/var/lib/ws01', '/var/lib/ws01'],
      ['some/folder', resolve('some/folder')],
    ],
    refuses: ['a\0b'],
  },
  DATABASE_URL: {
    property: 'databaseUrl',
    takes: [
      ['postgres://u:p@h:5432/d', 'postgres://u:p@h:5432/d'],
      ['postgresql:///d?host=/run/postgresql', 'postgresql:///d?host=/run/postgresql'],
    ],
    refuses: ['mysql://u:hush@h/d', 'ws01.sqlite', 'postgres', 'postgres://h:port/d'],
  },
  DATABASE_POOL_SIZE: {
    property: 'databasePoolSize',
    takes: [
      ['1', 1],
      ['1000', 1000],
    ],
    refuses: ['0', '1001', 'many'],
  },
  FILES_URL: {
    property: 'files',
    takes: [
      ['/srv/images', { kind: 'disk', folder: '/srv/images' }],
      ['images', { kind: 'disk', folder: resolve('images') }],
      ['file:///srv/some%20images', { kind: 'disk', folder: '/srv/some images' }],
      ['s3://pictures', { kind: 's3', bucket: 'pictures', prefix: '', endpoint: undefined, region: undefined }],
      [
        's3://pictures/a/b/?endpoint=http://127.0.0.1:9000&region=eu-west-1',
        { kind: 's3', bucket: 'pictures', prefix: 'a/b', endpoint: 'http://127.0.0.1:9000', region: 'eu-west-1' },
      ],
    ],
    refuses: [
      'a\0b',
      's3://',
      's3://p',
      's3://UPPER_',
      's3://key:hush@pictures',
      's3://pictures?bucket=other',
      's3://pictures?endpoint=nowhere',
      's3://pictures/%zz',
      'https://example.com/images',
      'file://elsewhere/images',
      'file:///a%2Fb',
    ],
  },
  BOOTSTRAP_TOKEN: {
    property: 'bootstrapToken',
    takes: [
      ['8 chars!', '8 chars!'],
      ['x'.repeat(255), 'x'.repeat(255)],
      [GUID, GUID.toLowerCase()],
      ['ws1_anything-else', 'ws1_anything-else'],
    ],
    refuses: ['short', 'x'.repeat(256), 'tab\tinside', '00000000-0000-0000-0000-000000000000', `ws1_${'a'.repeat(38)}`],
  },
  TIME_ZONE: {
    property: 'timeZone',
    takes: [
      ['Asia/Shanghai', 'Asia/Shanghai'],
      ['europe/berlin', 'Europe/Berlin'],
    ],
    refuses: ['+08:00', 'Mars/Olympus', 'Berlin', 'EST5EDT,M3.2.0'],
  },
  DEFAULT_COUNTRY: {
    property: 'defaultCountry',
    takes: [
      ['US', 'US'],
      ['cn', 'CN'],
    ],
    refuses: ['USA', 'XX', '1', '中国'],
  },
  TRUSTED_PROXIES: {
    property: 'trustedProxies',
    takes: [
      ['10.0.0.0/8, 192.0.2.7', ['10.0.0.0/8', '192.0.2.7/32']],
      ['2001:DB8::/32', ['2001:db8::/32']],
      ['::ffff:192.0.2.0/120', ['192.0.2.0/24']],
      ['Loopback', ['127.0.0.0/8', '::1/128']],
      ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
    ],
    refuses: [
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.1',
      'proxy',
      '10.0.0.1,',
      'fe80::1%eth0',
      '::ffff:10.0.0.0/8',
      '1.2.3.4/8/8',
    ],
  },
  SHORT_BASE_URL: {
    property: 'shortBaseUrl',
    takes: [['https://x.example/', 'https://x.example']],
    refuses: ['x.example', 'https://x.example/?u='],
  },
  SHORT_PRIVATE_TARGETS: {
    property: 'shortPrivateTargets',
    takes: [
      ['on', true],
      ['OFF', false],
    ],
    refuses: ['yes', '1'],
  },
  CODE_SECRET: {
    property: 'codeSecret',
    takes: [['秘'.repeat(32), '秘'.repeat(32)]],
    refuses: ['x'.repeat(31), 'x'.repeat(1025)],
  },
  LINKS_PER_ADDRESS: { property: 'linksPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  REVIEWS_PER_ADDRESS: { property: 'reviewsPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  QUERIES_PER_ADDRESS: { property: 'queriesPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_SENDER: { property: 'mailsPerSender', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_RECIPIENT: { property: 'mailsPerRecipient', takes: RATE_TEXTS, refuses: NO_RATES },
  RECIPIENTS_PER_BODY: { property: 'recipientsPerBody', takes: RATE_TEXTS, refuses: NO_RATES },
  CODES_PER_PHONE: { property: 'codesPerPhone', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_PHONE: { property: 'smsPerPhone', takes: RATE_TEXTS, refuses: NO_RATES },
  POSTS_PER_USER: { property: 'postsPerUser', takes: RATE_TEXTS, refuses: NO_RATES },
  RATE_LIMITS: {
    property: 'rateLimits',
    takes: [
      ['on', true],
      ['OFF', false],
    ],
    refuses: ['true', '0', 'none'],
  },
  LOG_LEVEL: {
    property: 'logLevel',
    takes: [
      ['DEBUG', 'debug'],
      ['silent', 'silent'],
    ],
    refuses: ['verbose', '30'],
  },
  WORKERS: {
    property: 'workers',
    takes: [
      ['1', 1],
      ['256', 256],
    ],
    refuses: ['0', '257', 'auto', '1.5'],
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
  SERVICE_NAME: {
    property: 'serviceName',
    takes: [
      ['留言板 & Co', '留言板 & Co'],
      ['x'.repeat(40), 'x'.repeat(40)],
    ],
    refuses: ['x'.repeat(41), 'a\nb', '\ud800'],
  },
  SMTP_URL: {
    property: 'smtpServer',
    takes: [
      ['smtp://u:p%40@mail.example.com:587', { ...SMTP, user: 'u', password: 'p@', port: 587, startTls: 'required' }],
      ['smtps://mail.example.com/', { ...SMTP, secure: true }],
      ['smtp://u:p@127.0.0.1', { ...SMTP, host: '127.0.0.1', user: 'u', password: 'p' }],
      ['smtp://u@[::1]:25', { ...SMTP, host: '::1', user: 'u', password: '', port: 25 }],
      [
        'smtp://mail.example.com?tls=off&verify=off&connections=100&name=ws01.example.com',
        { ...SMTP, startTls: 'off', verify: false, connections: 100, name: 'ws01.example.com' },
      ],
    ],
    refuses: [
      'mail.example.com',
      'https://mail.example.com',
      'smtp://',
      'smtp://u:hush@h:port',
      'smtp://h/path',
      'smtp://h?tls=maybe',
      'smtp://h?verify=no',
      'smtp://h?connections=0',
      'smtp://h?connections=1.5',
      'smtp://h?connections=101',
      'smtp://h?name=a%0d%0ab',
      'smtp://h?pool=true',
      'smtp://h#x',
      'smtp://u:%zz@h',
    ],
  },
  MAIL_FROM: {
    property: 'mailFrom',
    takes: [
      ['news@example.com', { name: '', address: 'news@example.com' }],
      ['留言板 <news@example.com>', { name: '留言板', address: 'news@example.com' }],
      ['"News, daily" <news@EXAMPLE.com>', { name: 'News, daily', address: 'news@example.com' }],
      ['ws01@localhost', { name: '', address: 'ws01@localhost' }],
    ],
    refuses: ['news', 'a@b.co, c@d.co', 'News <news>', 'News <a@b.co', 'a\nb <a@b.co>', '<x> <a@b.co>'],
  },
  MAIL_DKIM_KEY: {
    property: 'mailDkimKey',
    takes: [
      [RSA_KEY, RSA_KEY],
      [RSA_KEY.replaceAll('\n', '\\n'), RSA_KEY],
      [keyFile('rsa.pem', RSA_KEY), RSA_KEY],
    ],
    refuses: ['/nowhere/hush.pem', '-----BEGIN PRIVATE KEY-----hush', ED25519_KEY, keyFile('empty.pem', '')],
  },
  MAIL_DKIM_SELECTOR: {
    property: 'mailDkimSelector',
    takes: [
      ['S2026.mail', 's2026.mail'],
      ['x', 'x'],
    ],
    refuses: ['-a', 'a.', 'a b', '名', 'x'.repeat(64)],
  },
  MAIL_PACE: { property: 'mailPace', takes: RATE_TEXTS, refuses: NO_RATES },
  MAIL_KEPT_DAYS: {
    property: 'mailKeptDays',
    takes: [
      ['1', 1],
      ['36500', 36_500],
    ],
    refuses: ['0', '36501', 'for ever'],
  },
  SMS_URL: {
    property: 'smsGateway',
    with: { SMS_SECRET: 'x'.repeat(32) },
    takes: [
      [
        'twilio://AC1:secret@+15005550006',
        {
          kind: 'twilio',
          account: 'AC1',
          user: 'AC1',
          password: 'secret',
          from: '+15005550006',
          api: 'https://api.twilio.com',
        },
      ],
      [
        `twilio://SK1:s%2F@MG${'0'.repeat(32)}?account=AC1&api=http://127.0.0.1:9/`,
        {
          kind: 'twilio',
          account: 'AC1',
          user: 'SK1',
          password: 's/',
          from: `MG${'0'.repeat(32)}`,
          api: 'http://127.0.0.1:9',
        },
      ],
      ['https://hooks.example.com/sms?x=1', { kind: 'webhook', url: 'https://hooks.example.com/sms?x=1' }],
      ['smpp://u:p@carrier.example', { ...SMPP, host: 'carrier.example' }],
      [
        'smpps://u:p@[::1]:3551?source=+15005550006&system_type=web&verify=off',
        {
          ...SMPP,
          host: '::1',
          port: 3551,
          tls: true,
          verify: false,
          source: '+15005550006',
          systemType: 'web',
        },
      ],
      ['smpp://u:p@h?source=WS01', { ...SMPP, host: 'h', source: 'WS01' }],
    ],
    refuses: [
      '+15005550006',
      'tel:123',
      'smpp://',
      'smpp://u:p@h?source=a-name-that-is-too-long',
      'smpp://u:p@h?verify=no',
      'smpp://u:p@h?x=1',
      `smpp://${'u'.repeat(65)}:p@h`,
      'ftp://hooks.example.com',
      'https://hooks.example.com/#x',
      'twilio://sid@+15005550006',
      'twilio://SK1:hush@+15005550006',
      'twilio://sid:hush@not_a_sender_of_any_kind',
      'twilio://sid:hush@+15005550006?api=nowhere',
    ],
  },
  SMS_SECRET: {
    property: 'smsSecret',
    takes: [['秘'.repeat(32), '秘'.repeat(32)]],
    refuses: ['x'.repeat(31), 'x'.repeat(1025)],
  },
  SMS_TEXT: {
    property: 'smsText',
    takes: [['{service}：验证码 {code}', '{service}：验证码 {code}']],
    refuses: ['no place for it', `{code}${'x'.repeat(295)}`, '{code}\n'.concat('x')],
  },
};

function messageOf(variable: string, text: string): string {
  try {
    loadConfig({ [variable]: text });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  assert.fail(`${variable} took ${JSON.stringify(text)}`);
}

describe('each variable, on both sides', () => {
  for (const [variable, { property, takes, refuses, with: others }] of Object.entries(SIDES)) {
    test(variable, () => {
      for (const [text, value] of takes) {
        assert.deepEqual(loadConfig({ ...others, [variable]: text })[property], value, text);
      }
      for (const text of refuses) {
        const message = messageOf(variable, text);
        assert.match(message, /^[A-Z_]+ must be [^\n]+\.$/, text);
        assert.ok(message.startsWith(`${variable} must be `), message);
      }
    });
  }
});

describe('the defaults', () => {
  test('nothing set', () => {
    const { dataDir, files, ...others } = loadConfig({});
    assert.equal(dataDir, resolve('data'));
    assert.deepEqual(files, { kind: 'disk', folder: join(dataDir, 'files') });
    assert.deepEqual(others, {
      host: '127.0.0.1',
      port: 8080,
      baseUrl: undefined,
      soapNamespace: 'urn:ws01',
      databaseUrl: undefined,
      databasePoolSize: 10,
      bootstrapToken: undefined,
      timeZone: 'UTC',
      defaultCountry: undefined,
      trustedProxies: [],
      shortBaseUrl: undefined,
      shortPrivateTargets: true,
      codeSecret: undefined,
      rateLimits: true,
      linksPerAddress: [{ limit: 600, window: 60_000 }],
      reviewsPerAddress: [{ limit: 600, window: 60_000 }],
      queriesPerAddress: [{ limit: 6_000, window: 60_000 }],
      mailsPerSender: [{ limit: 600, window: 3_600_000 }],
      mailsPerRecipient: [{ limit: 10, window: 3_600_000 }],
      recipientsPerBody: [{ limit: 10, window: 600_000 }],
      codesPerPhone: [{ limit: 100, window: 600_000 }],
      smsPerPhone: [
        { limit: 1, window: 30_000 },
        { limit: 5, window: 600_000 },
      ],
      postsPerUser: [{ limit: 200, window: 86_400_000 }],
      logLevel: 'info',
      workers: 1,
      maxRequestBytes: 4 * MIB,
      maxImageBytes: 10 * MIB,
      maxImagePixels: 50_000_000,
      serviceName: 'WS01',
      smtpServer: undefined,
      mailFrom: undefined,
      mailDkimKey: undefined,
      mailDkimSelector: 'ws01',
      mailPace: [],
      mailKeptDays: 90,
      smsGateway: undefined,
      smsSecret: undefined,
      smsText: '{service}: your code is {code}. It is valid for 3 minutes.',
    });
  });

  test('a webhook without a secret to sign with stops the start', () => {
    assert.throws(() => loadConfig({ SMS_URL: 'https://hooks.example.com/sms' }), {
      name: 'ConfigError',
      message: 'SMS_SECRET must be set where SMS_URL is an HTTP webhook, to sign its calls.',
    });
  });

  test('an empty or blank variable is not set', () => {
    const empty = Object.fromEntries(Object.values(SETTINGS).map(({ variable }) => [variable, '']));
    const blank = Object.fromEntries(Object.values(SETTINGS).map(({ variable }) => [variable, ' \t']));
    assert.deepEqual(loadConfig(empty), loadConfig({}));
    assert.deepEqual(loadConfig(blank), loadConfig({}));
  });

  test('the files follow DATA_DIR', () => {
    assert.deepEqual(loadConfig({ DATA_DIR: '/srv/ws01' }).files, { kind: 'disk', folder: '/srv/ws01/files' });
  });

  test('public addresses follow the port that was taken, unless set', () => {
    assert.deepEqual(publicAddresses(loadConfig({ PORT: '0' }), 4711), {
      baseUrl: 'http://localhost:4711',
      shortBaseUrl: 'http://localhost:4711/s',
    });
    assert.deepEqual(publicAddresses(loadConfig({ BASE_URL: 'https://a.example/ws/' }), 4711), {
      baseUrl: 'https://a.example/ws',
      shortBaseUrl: 'https://a.example/ws/s',
    });
    assert.equal(
      publicAddresses(loadConfig({ SHORT_BASE_URL: 'https://s.example' }), 1).shortBaseUrl,
      'https://s.example',
    );
  });

  test('the configuration cannot be changed afterwards', () => {
    const config = loadConfig({});
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.files) && Object.isFrozen(config.trustedProxies));
  });
});

describe('what a message shows', () => {
  test('the value that is wrong, shortened', () => {
    assert.ok(messageOf('PORT', 'http').endsWith(', not "http".'));
    assert.ok(messageOf('TIME_ZONE', 'a\nb').endsWith(', not "a\\nb".'));
    assert.ok(messageOf('TIME_ZONE', 'x'.repeat(9_999)).length < 300);
  });

  test('of a URL with secrets no more than scheme and host', () => {
    assert.ok(
      messageOf('DATABASE_URL', 'mysql://ada:hush@db.example:1/x?password=hush').endsWith('not mysql://db.example:1.'),
    );
    assert.equal(redactUrl('https://hooks.example.com/services/hush?key=hush'), 'https://hooks.example.com');
    assert.equal(redactUrl('hush'), '');
  });

  test('never anything of a secret, whatever is written', () => {
    const secrets = Object.values(SETTINGS as Record<string, Setting>).filter(({ secret }) => secret !== undefined);
    const shapes = [
      (word: string) => word,
      (word: string) => `x://user:${word}@host/`,
      (word: string) => `x://${word}@host/`,
      (word: string) => `x://host/${word}?a=${word}#${word}`,
      (word: string) => `${word} x`,
    ];
    const hush = fc.stringMatching(/^hush[a-z0-9]{4,20}$/);
    fc.assert(
      fc.property(hush, fc.constantFrom(...shapes), fc.constantFrom(...secrets), (word, shape, { variable }) => {
        try {
          loadConfig({ [variable]: shape(word) });
        } catch (error) {
          assert.ok(!String(error).includes(word), String(error));
        }
      }),
    );
  });
});

test('docs/configuration.md holds the table of the settings, word for word', async () => {
  const page = await readFile(new URL('../docs/configuration.md', import.meta.url), 'utf8');
  const rows = Object.values(SETTINGS as Record<string, Setting>).map(
    ({ variable, fallback, without, documentation }) =>
      `| \`${variable}\` | ${fallback === undefined ? without : `\`${fallback}\``} | ${documentation} |`,
  );
  assert.deepEqual(
    page.split('\n').filter((line) => line.startsWith('| `')),
    rows,
  );
});
