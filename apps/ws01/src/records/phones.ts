import { LENGTHS } from '../contract/parameters.ts';
import type { NumberVerificationsTable, PhoneVerificationsTable } from '../store/tables/tables.ts';
import { type Members, member, REQUIRED, type Travelling } from './record.ts';
import * as types from './types.ts';

const VERIFIED: Members<Pick<PhoneVerificationsTable, 'phone' | 'verified_at'>> = {
  phone: member(
    'phone',
    types.line(LENGTHS.contactPhone),
    'The number, in E.164 or bare digits.',
    REQUIRED,
  ),
  verifiedAt: member('verified_at', types.instant, 'When.', REQUIRED),
};

/** When users last proved to have a number. */
export const PHONE_VERIFICATIONS = {
  table: 'phone_verifications',
  members: { userId: member('user_id', types.key, 'Key of the user.', REQUIRED), ...VERIFIED },
  portable: {
    file: 'phone-verifications',
    about: 'When users last proved to have a number.',
    key: ['user_id', 'phone'],
  },
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
} as const satisfies Travelling<NumberVerificationsTable>;
