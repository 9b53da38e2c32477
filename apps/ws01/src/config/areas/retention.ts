import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const RETENTION = {
  backupTo: setting({
    variable: 'BACKUP_TO',
    form: addresses.filesLocation,
    without: '`backups` in `DATA_DIR`; none with `DATABASE_URL` or `FILES_URL`',
    secret: 'url',
    documentation:
      'Where backups are stored: a folder, best on another disk, or `s3://bucket/prefix?endpoint=…&region=…`, see [backup](operations/backup.md). When it is not set, scheduled backups begin after the first one that somebody makes.',
  }),
  backupSchedule: setting({
    variable: 'BACKUP_SCHEDULE',
    changes: true,
    form: forms.schedule,
    fallback: '03:00',
    documentation:
      'When backups are made: times of the day in `TIME_ZONE`, such as `03:00,15:00`, or an interval in hours, such as `6h`.',
  }),
  backupKeep: setting({
    variable: 'BACKUP_KEEP',
    changes: true,
    form: forms.integer(1, 10_000),
    fallback: '14',
    documentation:
      'Number of backups to keep; older ones are deleted after a new one was verified.',
  }),
  backupImages: setting({
    variable: 'BACKUP_IMAGES',
    changes: true,
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Backups include the image files, also those in S3. `off` if the bucket keeps versions, or the files have their own backups.',
  }),
  trashKeptDays: setting({
    variable: 'TRASH_KEPT_DAYS',
    changes: true,
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation:
      'Days that a deleted article stays in the trash. Then it is purged with its images.',
  }),
  revisionsKeptDays: setting({
    variable: 'REVISIONS_KEPT_DAYS',
    changes: true,
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation:
      'Days that an old revision of an article is kept; the audit trail still shows who wrote it.',
  }),
  auditKeptDays: setting({
    variable: 'AUDIT_KEPT_DAYS',
    changes: true,
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation: 'Days that entries of the audit trail are kept.',
  }),
} as const satisfies Record<string, Setting>;
