import { canonicalKey } from '../../domain/values/keys.ts';
import type { BackupsTable } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Kind } from '../kind.ts';
import { instant, integer, nullable, text, word } from '../schema.ts';
import { createdBetweenKeys } from './shared.ts';

type BackupRow = Omit<BackupsTable, 'target'>;

const STATES = ['running', 'verified', 'failed'] as const;

const fields: Fields<BackupRow> = {
  id: column(text('The key.'), 'id'),
  name: column(text('What it is called where it is kept.'), 'name'),
  state: {
    schema: word(
      'How far it is; what is verified was restored to a temporary place and compared.',
      ...STATES,
    ),
    of: stateOf,
  },
  scheduledAt: at(
    nullable(
      instant('The time of BACKUP_SCHEDULE that it is made for; null for one that was asked for.'),
    ),
    'slot',
  ),
  startedAt: at(instant('When it was begun.'), 'started_at'),
  finishedAt: at(nullable(instant('When it ended.')), 'finished_at'),
  verifiedAt: at(nullable(instant('When it was verified.')), 'verified_at'),
  bytes: column(nullable(integer('Of the database.')), 'bytes'),
  images: column(nullable(integer('Image files in it; null where they are not copied.')), 'images'),
  error: column(nullable(text('What went wrong.')), 'error'),
};

function stateOf({ verified_at, finished_at }: BackupRow): (typeof STATES)[number] {
  if (verified_at !== null) return 'verified';
  return finished_at === null ? 'running' : 'failed';
}

export const BACKUPS: Kind<BackupRow> = {
  name: 'backups',
  title: 'Backup',
  key: { name: 'id', column: 'backups.id', canonical: canonicalKey },
  from: 'backups',
  columns: 'backups.id, name, slot, started_at, finished_at, verified_at, bytes, images, error',
  orders: { created: [{ sql: 'backups.id', type: 'string' }] },
  sort: '-created',
  filters: { ...createdBetweenKeys('backups.id') },
  fields,
};
