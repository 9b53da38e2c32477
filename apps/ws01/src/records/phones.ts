import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import type {
  NumberVerificationsTable,
  PhoneCodesTable,
  PhoneVerificationsTable,
  Tables,
} from '../store/tables/tables.ts';
import { byNumber, LAST_OF_USER, oneOf } from './persons.ts';
import { type Members, member, REQUIRED, type RecordOf, type Travelling } from './record.ts';
import * as types from './types.ts';

const PHONE = member<{ phone: string }>(
  'phone',
  types.line(LENGTHS.contactPhone),
  'The number, in E.164 or bare digits.',
  { ...REQUIRED, isPhone: true },
);

const VERIFIED: Members<Pick<PhoneVerificationsTable, 'phone' | 'verified_at'>> = {
  phone: PHONE,
  verifiedAt: member('verified_at', types.instant, 'When.', REQUIRED),
};

/** The newest verification code of each user and number. The code itself is not stored. */
export const PHONE_CODES = {
  table: 'phone_codes',
  members: {
    id: member('id', types.key, 'The verification id.', REQUIRED),
    userId: member('user_id', types.key, 'Whose code; empty for nobody yet.', REQUIRED),
    phone: PHONE,
    attempts: member('attempts', types.count, 'Answers so far.', { absent: 0 }),
    expiresAt: member('expires_at', types.instant, 'When it is worth nothing any more.', REQUIRED),
  },
  personal: { of: byNumber, fate: 'deleted', order: LAST_OF_USER, keys: ['user_id', 'phone'] },
} as const satisfies RecordOf<PhoneCodesTable>;

/** When users last proved to have a number. */
export const PHONE_VERIFICATIONS = {
  table: 'phone_verifications',
  members: { userId: member('user_id', types.key, 'Key of the user.', REQUIRED), ...VERIFIED },
  portable: {
    file: 'phone-verifications',
    about: 'When users last proved to have a number.',
    key: ['user_id', 'phone'],
  },
  personal: { of: ({ id }) => sql<boolean>`user_id = ${id}`, fate: 'deleted' },
  expires: { verifications: 'verified_at' },
} as const satisfies Travelling<PhoneVerificationsTable>;

/** When back ends last verified a number without naming a user. */
export const NUMBER_VERIFICATIONS = {
  table: 'number_verifications',
  members: { tokenId: member('token_id', types.key, 'Key of the token.', REQUIRED), ...VERIFIED },
  portable: {
    file: 'number-verifications',
    about: 'When back ends last verified a number without naming a user.',
    key: ['token_id', 'phone'],
  },
  personal: { of: ({ phones }) => oneOf('phone', phones), fate: 'deleted' },
} as const satisfies Travelling<NumberVerificationsTable>;

/** Codes that were used: they are right once. */
export const USED_CODES = {
  table: 'used_codes',
  members: {},
  personal: { of: byNumber, fate: 'deleted', given: false, order: LAST_OF_USER, keys: ['id'] },
} as const satisfies RecordOf<Tables['used_codes']>;
