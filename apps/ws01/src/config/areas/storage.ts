import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const STORAGE = {
  dataDir: setting({
    variable: 'DATA_DIR',
    form: addresses.folder,
    fallback: './data',
    documentation:
      'Folder of the embedded database and of the image files; created if it does not exist.',
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    form: addresses.postgresUrl,
    without: 'the embedded SQLite file in `DATA_DIR`',
    secret: 'url',
    documentation:
      '`postgres://user:password@host:5432/database` to run many nodes. Several servers: `host1:5432,host2:5432`; the one that accepts writes is used.',
  }),
  databaseReadUrl: setting({
    variable: 'DATABASE_READ_URL',
    form: addresses.postgresUrl,
    without: 'none: `DATABASE_URL` answers everything',
    secret: 'url',
    documentation:
      'A standby of the PostgreSQL server of `DATABASE_URL`, for [lists and counts](scaling.md#replicas). Needs `DATABASE_URL`.',
  }),
  databasePoolSize: setting({
    variable: 'DATABASE_POOL_SIZE',
    form: forms.integer(1, 1_000),
    fallback: '10',
    documentation: 'Largest number of connections to PostgreSQL, for each of the `WORKERS`.',
  }),
  filesUrl: setting({
    variable: 'FILES_URL',
    form: addresses.filesLocation,
    without: '`{DATA_DIR}/files`',
    secret: 'url',
    documentation:
      'Where image files are stored: a folder, or `s3://bucket/prefix?endpoint=…&region=…` to share them.',
  }),
} as const satisfies Record<string, Setting>;
