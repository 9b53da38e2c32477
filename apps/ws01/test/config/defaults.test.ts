import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { loadConfig, publicAddresses } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const MIB = 1024 ** 2;

describe('the defaults', () => {
  test('nothing set', () => {
    const { dataDir, files, ...others } = loadConfig({});
    assert.equal(dataDir, resolve('data'));
    assert.deepEqual(files, { kind: 'disk', folder: join(dataDir, 'files') });
    assert.deepEqual(others, {
      drainSeconds: 0,
      metricsPort: undefined,
      metricsHost: '127.0.0.1',
      console: true,
      consolePort: undefined,
      consoleHost: '127.0.0.1',
      consoleExportRows: 100_000,
      publicReading: true,
      publicOrigins: undefined,
      publicArticleUrl: undefined,
      host: '127.0.0.1',
      port: 8080,
      socketPath: undefined,
      socketMode: 0o660,
      tlsCertFile: undefined,
      tlsKeyFile: undefined,
      baseUrl: undefined,
      soapNamespace: 'urn:ws01',
      soapServiceName: 'WS01',
      servicePaths: ['/WS01.asmx'],
      legacyImagePaths: undefined,
      legacyLinkPaths: undefined,
      databaseUrl: undefined,
      databaseReadUrl: undefined,
      databasePoolSize: 10,
      databaseQueue: 200,
      workerTimeoutSeconds: 30,
      databaseStatementSeconds: 10,
      databaseLockSeconds: 5,
      databaseIdleSeconds: 10,
      filesTimeoutSeconds: 10,
      backupTo: { kind: 'disk', folder: resolve('data', 'backups') },
      isBackupToSet: false,
      backupSchedule: { kind: 'daily', minutes: [180] },
      backupKeep: 14,
      backupImages: true,
      trashKeptDays: 30,
      removedImagesKeptDays: 365,
      revisionsKeptDays: 1095,
      revisionsKeptBytes: 67_108_864,
      revisionsKeptBytesPerUser: 1_073_741_824,
      postingsKeptDays: 3660,
      visitsKeptDays: 400,
      verificationsKeptDays: 30,
      auditKeptDays: 1095,
      unsentMailsKeptDays: 365,
      smsKeptDays: 30,
      diskWarnBelow: { percent: 10, bytes: 10 * 1024 * MIB },
      bootstrapToken: undefined,
      timeZone: 'UTC',
      legacyCharset: undefined,
      upstreamUrl: undefined,
      upstreamOperations: undefined,
      defaultCountry: undefined,
      trustedProxies: [],
      trustedCallers: [],
      reviewsFrom: 'anyone',
      reviewScale: 5,
      shortBaseUrl: undefined,
      visitSourcesPerDay: 50,
      countryHeader: undefined,
      fastPath: true,
      mcp: false,
      refuseEmbeddedWrites: true,
      codeSecret: undefined,
      rateLimits: true,
      linksPerAddress: [{ limit: 600, window: 60_000 }],
      reportsPerAddress: [{ limit: 60, window: 3_600_000 }],
      reviewsPerAddress: [{ limit: 600, window: 60_000 }],
      queriesPerAddress: [{ limit: 6_000, window: 60_000 }],
      picturesPerAddress: [{ limit: 600, window: 60_000 }],
      textBytesPerAddress: [{ limit: 16_777_216, window: 3_600_000 }],
      mailsPerSender: [{ limit: 600, window: 3_600_000 }],
      mailsPerRecipient: [{ limit: 10, window: 3_600_000 }],
      recipientsPerBody: [{ limit: 10, window: 600_000 }],
      recipientsPerBodyOfService: [{ limit: 100, window: 600_000 }],
      codesPerPhone: [{ limit: 100, window: 600_000 }],
      smsPerPhone: [
        { limit: 1, window: 30_000 },
        { limit: 5, window: 600_000 },
      ],
      smsPerUnassignedPhone: [{ limit: 1, window: 2_592_000_000 }],
      smsPerPrefix: [{ limit: 30, window: 3_600_000 }],
      smsPerCountry: [{ limit: 300, window: 3_600_000 }],
      smsPerUser: [{ limit: 10, window: 3_600_000 }],
      smsPerToken: [{ limit: 1_000, window: 3_600_000 }],
      smsPerDay: [{ limit: 5_000, window: 86_400_000 }],
      postsPerUser: [{ limit: 200, window: 86_400_000 }],
      textBytesPerUser: [{ limit: 67_108_864, window: 86_400_000 }],
      imageBytesPerUser: [{ limit: 1_073_741_824, window: 86_400_000 }],
      logLevel: 'info',
      logCalls: undefined,
      slowCallMs: 2_000,
      workers: 1,
      maxRequestBytes: 4 * MIB,
      maxImageBytes: 10 * MIB,
      maxUnauthenticatedBytes: undefined,
      maxCalls: 2_000,
      maxUnreadBytes: 16 * MIB,
      apiBodyBytes: 65_536,
      apiPageItems: 100,
      apiSearchChars: 200,
      apiRowsRead: 100_000,
      apiReadMs: 50,
      apiStreams: 100,
      apiStreamsPerPerson: 10,
      maxImagePixels: 50_000_000,
      imageCacheBytes: 32 * 1024 ** 2,
      imageDecoders: 2,
      imageMemoryBytes: 268_435_456,
      imageCpuMs: 10_000,
      imageQueue: 200,
      serviceName: 'WS01',
      smtpServer: undefined,
      mailFrom: undefined,
      mailDkimKey: undefined,
      mailDkimSelector: 'ws01',
      mailNotices: undefined,
      mailRefused: undefined,
      mailUnsubscribe: false,
      mailLookMs: 60_000,
      mailKeptDays: 90,
      smsGateway: undefined,
      webhookNetworks: undefined,
      webhookRetryDays: 7,
      reportsKeptDays: 365,
      eventsKeptDays: 30,
      callCountsKeptDays: 90,
      failedCallsKeptDays: 30,
      smsSecret: undefined,
      smsCountries: undefined,
      smsText: undefined,
      smsTestCodes: undefined,
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
    const blank = Object.fromEntries(
      Object.values(SETTINGS).map(({ variable }) => [variable, ' \t']),
    );
    assert.deepEqual(loadConfig(empty), loadConfig({}));
    assert.deepEqual(loadConfig(blank), loadConfig({}));
  });

  test('WORKERS=auto is one for each core on PostgreSQL, and one on SQLite', () => {
    const cores = Math.min(availableParallelism(), 256);
    assert.equal(
      loadConfig({ WORKERS: 'AUTO', DATABASE_URL: 'postgres://db/ws01' }).workers,
      cores,
    );
    assert.equal(loadConfig({ WORKERS: 'auto' }).workers, 1);
  });

  test('the files follow DATA_DIR', () => {
    assert.deepEqual(loadConfig({ DATA_DIR: '/srv/ws01' }).files, {
      kind: 'disk',
      folder: '/srv/ws01/files',
    });
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
    assert.ok(
      Object.isFrozen(config) &&
        Object.isFrozen(config.files) &&
        Object.isFrozen(config.trustedProxies),
    );
  });
});
