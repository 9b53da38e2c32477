import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import {
  type BudgetsTable,
  type CategoriesTable,
  POSTING_KINDS,
  type PostingsTable,
  type SwitchesTable,
} from '../store/tables/tables.ts';
import { budgetsOf } from './persons.ts';
import { EMPTY, member, REQUIRED, type Travelling } from './record.ts';
import * as types from './types.ts';

/** Categories that were used. */
export const CATEGORIES = {
  table: 'categories',
  members: {
    key: member('key', types.key, 'Key of the category.', REQUIRED),
    createdAt: member('created_at', types.instant, 'When it was first used.', {
      ...REQUIRED,
      changes: true,
    }),
  },
  portable: {
    file: 'categories',
    about:
      'Categories that were used. Made of the articles and adverts where there is no such file.',
    key: ['key'],
  },
} as const satisfies Travelling<CategoriesTable>;

/** The ledger of creations. */
export const POSTINGS = {
  table: 'postings',
  members: {
    kind: member('kind', types.coded(POSTING_KINDS), 'Of what.', REQUIRED),
    key: member('record_key', types.key, 'Key of the record; of a review its `id`.', REQUIRED),
    userId: member('user_id', types.key, 'Whose it was.'),
    network: member(
      'network',
      types.line(64),
      'IPv4 address or IPv6 /64 that it came from.',
      EMPTY,
    ),
    at: member('at', types.instant, 'When.', REQUIRED),
  },
  portable: {
    file: 'postings',
    about:
      'Every creation, for the counts, also of records that are gone. Made of articles, adverts, images and reviews where there is no such file.',
    key: ['kind', 'record_key', 'at'],
  },
  personal: { of: ({ id }) => sql<boolean>`user_id = ${id}`, fate: 'emptied', keys: ['id'] },
  expires: { postings: 'at' },
} as const satisfies Travelling<PostingsTable>;

/** What was used up of budgets. */
export const BUDGETS = {
  table: 'budgets',
  members: {
    name: member(
      'name',
      types.line(LENGTHS.name),
      'The budget, with the length of its window.',
      REQUIRED,
    ),
    key: member(
      'key',
      types.line(400),
      'Whose: a phone number, a user, a network, an address.',
      REQUIRED,
    ),
    used: member('used', types.count, 'So much of it.', { ...REQUIRED, changes: true }),
    resetsAt: member('resets_at', types.instant, 'When its next window begins.', {
      ...REQUIRED,
      changes: true,
    }),
  },
  portable: {
    file: 'budgets',
    about: 'What was used up of budgets in their windows: codes for a phone, mails to a recipient.',
    key: ['name', 'key'],
  },
  personal: { of: budgetsOf, found: false, fate: 'deleted', given: false },
} as const satisfies Travelling<BudgetsTable>;

/** What an operator has switched off. */
export const SWITCHES = {
  table: 'switches',
  members: {
    name: member('name', types.line(LENGTHS.name), 'What.', REQUIRED),
    offSince: member('off_since', types.instant, 'Since when.', REQUIRED),
  },
  portable: {
    file: 'switches',
    about: 'What an operator has switched off.',
    key: ['name'],
  },
} as const satisfies Travelling<SwitchesTable>;
