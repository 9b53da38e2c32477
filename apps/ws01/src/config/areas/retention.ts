import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const RETENTION = {
  backupTo: setting({
    variable: 'BACKUP_TO',
    form: forms.filesLocation,
    without: 'none: the service makes no backups',
    secret: 'url',
    documentation:
      'Where backups are kept: a folder, best on another disk, or `s3://bucket/prefix?endpoint=…&region=…`, see [backup](operations/backup.md).',
  }),
  backupSchedule: setting({
    variable: 'BACKUP_SCHEDULE',
    form: forms.schedule,
    fallback: '03:00',
    documentation:
      'When backups are made: times of the day in `TIME_ZONE`, such as `03:00,15:00`, or every so many hours: `6h`.',
  }),
  backupKeep: setting({
    variable: 'BACKUP_KEEP',
    form: forms.integer(1, 10_000),
    fallback: '14',
    documentation: 'Backups that are kept; older ones are removed when a new one has been verified.',
  }),
  backupImages: setting({
    variable: 'BACKUP_IMAGES',
    form: forms.toggle,
    fallback: 'on',
    documentation:
      'Whether backups have the image files, also those that `FILES_URL` keeps in S3. `off` where the bucket keeps versions, or its disk has copies of its own.',
  }),
  trashKeptDays: setting({
    variable: 'TRASH_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days that a deleted article stays in the trash; then it is purged with its images.',
  }),
  removedImagesKeptDays: setting({
    variable: 'REMOVED_IMAGES_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '365',
    documentation: 'Days that an image a moderator removed can be restored; then it is purged.',
  }),
  revisionsKeptDays: setting({
    variable: 'REVISIONS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation:
      'Days that an earlier content of an article is kept after it was replaced; the audit trail still tells who wrote it.',
  }),
  postingsKeptDays: setting({
    variable: 'POSTINGS_KEPT_DAYS',
    form: forms.integer(3_651, 36_500),
    fallback: '3660',
    documentation:
      'Days that a creation is counted by `countUserPosted` and `countIpPosted`; no fewer than they can be asked for.',
  }),
  visitsKeptDays: setting({
    variable: 'VISITS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '400',
    documentation: 'Days that visits of short links are kept by day; older ones are added up by month.',
  }),
  verificationsKeptDays: setting({
    variable: 'VERIFICATIONS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation:
      'Days that the record of which user verified which number is kept; calls look at its last 30 minutes only.',
  }),
  auditKeptDays: setting({
    variable: 'AUDIT_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '1095',
    documentation: 'Days that an entry of the audit trail is kept.',
  }),
} as const satisfies Record<string, Setting>;
