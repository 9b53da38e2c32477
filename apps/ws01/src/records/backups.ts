import type { BackupsTable } from '../store/tables/tables.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

const STATES = ['running', 'verified', 'failed'] as const;

function stateOf({ verified_at, finished_at }: BackupsTable): (typeof STATES)[number] {
  if (verified_at !== null) return 'verified';
  return finished_at === null ? 'running' : 'failed';
}

/** Backups of this database. */
export const BACKUPS = {
  table: 'backups',
  name: 'backups',
  title: 'Backup',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key.', REQUIRED),
    name: member('name', types.text(), 'What it is called where it is kept.', REQUIRED),
    state: worked(
      types.word(...STATES),
      'How far it is; what is verified was restored to a temporary place and compared.',
      stateOf,
    ),
    scheduledAt: member(
      'slot',
      types.instant,
      'The time of BACKUP_SCHEDULE that it is made for; null for one that was asked for.',
    ),
    startedAt: member('started_at', types.instant, 'When it was begun.', REQUIRED),
    finishedAt: member('finished_at', types.instant, 'When it ended.'),
    verifiedAt: member('verified_at', types.instant, 'When it was verified.'),
    bytes: member('bytes', types.bytesCount, 'Of the database.'),
    images: member('images', types.count, 'Image files in it; null where they are not copied.'),
    error: member('error', types.text(), 'What went wrong.'),
  },
  layout: { columns: ['name', 'state', 'startedAt', 'verifiedAt', 'bytes'], called: ['name'] },
  orders: { created: byText('backups.id') },
  sort: '-created',
  filters: createdBetweenKeys('backups.id'),
  expires: { 'backup-records': 'started_at' },
} as const satisfies Listing<BackupsTable>;
