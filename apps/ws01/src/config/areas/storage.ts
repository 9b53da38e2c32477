import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const STORAGE = {
  dataDir: setting({
    variable: 'DATA_DIR',
    form: forms.folder,
    fallback: './data',
    documentation: 'Folder of the embedded database and of the image files; made when it does not exist.',
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    form: forms.postgresUrl,
    without: 'the embedded SQLite file in `DATA_DIR`',
    secret: 'url',
    documentation:
      '`postgres://user:password@host:5432/database` to run many nodes. Several servers: `host1:5432,host2:5432`, of which the one that can be written is taken.',
  }),
  databaseFlavour: setting({
    variable: 'DATABASE_FLAVOUR',
    form: forms.word('postgres', 'citus', 'yugabytedb', 'cockroachdb'),
    fallback: 'postgres',
    documentation:
      'What `DATABASE_URL` leads to: an empty database gets [its definitions](scaling.md#beyond-one-postgresql). All but `postgres` are known from documentation alone.',
  }),
  databaseReadUrl: setting({
    variable: 'DATABASE_READ_URL',
    form: forms.postgresUrl,
    without: 'none: `DATABASE_URL` answers everything',
    secret: 'url',
    documentation:
      'A standby of the PostgreSQL of `DATABASE_URL`, for [lists and counts](scaling.md#replicas). It needs `DATABASE_URL`.',
  }),
  databasePoolSize: setting({
    variable: 'DATABASE_POOL_SIZE',
    form: forms.integer(1, 1_000),
    fallback: '10',
    documentation: 'Connections to PostgreSQL at most, of each of the `WORKERS`.',
  }),
  databaseQueue: setting({
    variable: 'DATABASE_QUEUE',
    form: forms.integer(1, 100_000),
    fallback: '200',
    documentation:
      'Calls that wait for a connection to PostgreSQL at most, half of them from one address; more are `Busy` at once.',
  }),
  databaseStatementSeconds: setting({
    variable: 'DATABASE_STATEMENT_SECONDS',
    form: forms.integer(1, 600),
    fallback: '10',
    documentation: 'How long one statement may take on PostgreSQL, and a call wait for its turn.',
  }),
  databaseLockSeconds: setting({
    variable: 'DATABASE_LOCK_SECONDS',
    form: forms.integer(1, 600),
    fallback: '5',
    documentation: 'How long a statement may wait for a lock of another one on PostgreSQL.',
  }),
  databaseIdleSeconds: setting({
    variable: 'DATABASE_IDLE_SECONDS',
    form: forms.integer(1, 600),
    fallback: '10',
    documentation:
      'PostgreSQL rolls back a transaction that has been idle for so long, so that a node that hangs frees its locks.',
  }),
  filesUrl: setting({
    variable: 'FILES_URL',
    form: forms.filesLocation,
    without: '`{DATA_DIR}/files`',
    secret: 'url',
    documentation: 'Where image files are kept: a folder, or `s3://bucket/prefix?endpoint=…&region=…` to share them.',
  }),
  filesTimeoutSeconds: setting({
    variable: 'FILES_TIMEOUT_SECONDS',
    form: forms.integer(1, 300),
    fallback: '10',
    documentation: 'How long S3 may stay silent before a request is given up and tried once more.',
  }),
  diskWarnBelow: setting({
    variable: 'DISK_WARN_BELOW',
    form: forms.reserve,
    fallback: '10%',
    documentation:
      'Free room on the disks of `DATA_DIR` and the image files below which `/readyz?verbose` and `ws01 status` say that `disk` is degraded: `10%` or `5G`.',
  }),
} as const satisfies Record<string, Setting>;
