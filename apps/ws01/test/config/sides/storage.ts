import { resolve } from 'node:path';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import { between, pairs, type Sides, same, switched } from './sides.ts';

/** Where data is kept. */
export const STORAGE = {
  DATA_DIR: {
    property: 'dataDir',
    takes: pairs({ '/var/lib/ws01': '/var/lib/ws01', 'some/folder': resolve('some/folder') }),
    refuses: ['a\0b'],
  },
  DATABASE_URL: {
    property: 'databaseUrl',
    takes: [
      ['postgres://u:p@h:5432/d', 'postgres://u:p@h:5432/d'],
      ['postgresql:///d?host=/run/postgresql', 'postgresql:///d?host=/run/postgresql'],
      ['postgres://u:p@a:1,[::1]:2,c/d', 'postgres://u:p@a:1,[::1]:2,c/d'],
      [
        'postgres://a,b/d?target_session_attrs=primary',
        'postgres://a,b/d?target_session_attrs=primary',
      ],
    ],
    refuses: words(
      'postgres://a,b:port/d postgres://a,b/d?target_session_attrs=standby mysql://u:hush@h/d',
      'ws01.sqlite postgres postgres://h:port/d',
    ),
  },
  DATABASE_READ_URL: {
    property: 'databaseReadUrl',
    with: { DATABASE_URL: 'postgres://u:p@h/d' },
    takes: same('postgres://u:p@standby:5432/d'),
    refuses: ['mysql://u:hush@h/d', 'postgres://h:port/d'],
  },
  DATABASE_POOL_SIZE: between('databasePoolSize', 1, 1000, 'many'),
  FILES_URL: {
    property: 'files',
    takes: [
      ['/srv/images', { kind: 'disk', folder: '/srv/images' }],
      ['images', { kind: 'disk', folder: resolve('images') }],
      ['file:///srv/some%20images', { kind: 'disk', folder: '/srv/some images' }],
      [
        's3://pictures',
        { kind: 's3', bucket: 'pictures', prefix: '', endpoint: undefined, region: undefined },
      ],
      [
        's3://pictures/a/b/?endpoint=http://127.0.0.1:9000&region=eu-west-1',
        {
          kind: 's3',
          bucket: 'pictures',
          prefix: 'a/b',
          endpoint: 'http://127.0.0.1:9000',
          region: 'eu-west-1',
        },
      ],
    ],
    refuses: [
      ...words(
        's3:// s3://p s3://UPPER_ s3://key:hush@pictures s3://pictures?bucket=other',
        's3://pictures?endpoint=nowhere s3://pictures/%zz https://example.com/images',
        'file://elsewhere/images file:///a%2Fb',
      ),
      'a\0b',
    ],
  },
  TRASH_KEPT_DAYS: between('trashKeptDays', 1, 36_500, 'ever'),
  REVISIONS_KEPT_DAYS: between('revisionsKeptDays', 1, 36_500, 'ever'),
  AUDIT_KEPT_DAYS: between('auditKeptDays', 1, 36_500, 'ever'),
  SMS_KEPT_DAYS: between('smsKeptDays', 1, 36_500, 'ever'),
  BACKUP_TO: {
    property: 'backupTo',
    takes: [
      ['/backup', { kind: 'disk', folder: '/backup' }],
      [
        's3://copies/ws01',
        { kind: 's3', bucket: 'copies', prefix: 'ws01', endpoint: undefined, region: undefined },
      ],
    ],
    refuses: ['s3://', 'https://example.com/backup'],
  },
  BACKUP_SCHEDULE: {
    property: 'backupSchedule',
    takes: pairs({
      '3:05': { kind: 'daily', minutes: [185] },
      '00:00, 23:59': { kind: 'daily', minutes: [0, 1439] },
      '1h': { kind: 'every', ms: 3_600_000 },
      '720h': { kind: 'every', ms: 720 * 3_600_000 },
    }),
    refuses: ['24:00', '3', '3:60', '0h', '721h', '03:00,', '* * * * *'],
  },
  BACKUP_KEEP: between('backupKeep', 1, 10_000),
  BACKUP_IMAGES: switched('backupImages'),
} satisfies Readonly<Record<string, Sides>>;
