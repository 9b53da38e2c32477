import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import type { ReportsTable } from '../store/tables/tables.ts';
import { byText, createdBetweenKeys } from './conditions.ts';
import { oneOf, recordsOf } from './persons.ts';
import { EMPTY, type Listing, MADE, member, REQUIRED, type Travelling, worked } from './record.ts';
import * as types from './types.ts';

/** Why readers report a record. */
export const REPORT_REASONS = [
  'spam',
  'fraud',
  'illegal',
  'offensive',
  'personal',
  'other',
] as const satisfies readonly ReportsTable['reason'][];

/** What readers can report. */
export const REPORTED_KINDS = [
  'article',
  'advert',
  'image',
  'review',
] as const satisfies readonly ReportsTable['target_kind'][];

/** What a reader may say in words, in code points. */
export const REPORT_DETAIL = 1_000;

const STATE = types.word('open', 'closed');

/** What readers report of published records. */
export const REPORTS = {
  table: 'reports',
  name: 'reports',
  title: 'Report',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the report.', MADE),
    targetKind: member(
      'target_kind',
      types.word(...REPORTED_KINDS),
      'The kind of what was reported.',
      REQUIRED,
    ),
    targetKey: member(
      'target_key',
      { ...types.line(LENGTHS.key), canonical: canonicalKey },
      'The key of what was reported.',
      REQUIRED,
    ),
    reporter: member('reporter', types.line(64), 'The network that it was reported from.', {
      ...REQUIRED,
      internal: true,
    }),
    reason: member('reason', types.word(...REPORT_REASONS), 'Why.', REQUIRED),
    detail: member('detail', types.text(REPORT_DETAIL), "In the reader's words.", EMPTY),
    state: worked(STATE, 'Whether it waits for a moderator.', ({ closed_at }) =>
      closed_at === null ? 'open' : 'closed',
    ),
    createdAt: member('created_at', types.instant, 'When it was reported.', REQUIRED),
    closedAt: member('closed_at', types.instant, 'When a moderator decided.'),
  },
  layout: {
    columns: ['reason', 'state', 'detail', 'targetKind', 'targetKey', 'createdAt'],
    called: ['detail', 'reason'],
  },
  orders: { created: byText('reports.id') },
  sort: '-created',
  filters: {
    targetKey: 'Only those of this record.',
    state: {
      about: 'Only those in this state.',
      type: STATE,
      exact: 'each',
      condition: (state) =>
        state === 'open'
          ? { sql: sql<boolean>`reports.closed_at is null`, indexed: true }
          : { sql: sql<boolean>`reports.closed_at is not null`, indexed: false },
    },
    ...createdBetweenKeys('reports.id'),
  },
  searched: ['detail', 'targetKey'],
  portable: {
    file: 'reports',
    about: 'What readers report of published records, one of each reader.',
    key: ['target_kind', 'target_key', 'reporter'],
  },
  personal: {
    found: (person) => sql<boolean>`target_key in (${recordsOf(person)})`,
    of: (person) =>
      sql<boolean>`(target_key in (${recordsOf(person)}) or ${oneOf('reporter', person.networks)})`,
    fate: 'deleted',
    // A network is shared by others, and whose record was reported must not read who reported it.
    given: false,
    keys: ['id'],
  },
  expires: { reports: 'created_at' },
} as const satisfies Listing<ReportsTable> & Travelling<ReportsTable>;
