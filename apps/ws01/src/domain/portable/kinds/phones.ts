import { LENGTHS } from '../../../contract/parameters.ts';
import * as forms from '../fields.ts';
import { field, type Kind, REQUIRED } from './kind.ts';

/** Phone numbers that were verified, and budgets. */
export const PHONES = [
  {
    name: 'phone-verifications',
    table: 'phone_verifications',
    key: ['user_id', 'phone'],
    about: 'When users last proved to have a number.',
    fields: [
      field('userId', 'user_id', forms.key, 'Key of the user.', REQUIRED),
      field(
        'phone',
        'phone',
        forms.line(LENGTHS.contactPhone),
        'The number, in E.164 or bare digits.',
        REQUIRED,
      ),
      field('verifiedAt', 'verified_at', forms.instant, 'When.', REQUIRED),
    ],
  },
  {
    name: 'number-verifications',
    table: 'number_verifications',
    key: ['token_id', 'phone'],
    about: 'When back ends last verified a number without naming a user.',
    fields: [
      field('tokenId', 'token_id', forms.key, 'Key of the token.', REQUIRED),
      field(
        'phone',
        'phone',
        forms.line(LENGTHS.contactPhone),
        'The number, in E.164 or bare digits.',
        REQUIRED,
      ),
      field('verifiedAt', 'verified_at', forms.instant, 'When.', REQUIRED),
    ],
  },
  {
    name: 'budgets',
    table: 'budgets',
    key: ['name', 'key'],
    about: 'What was used up of budgets in their windows: codes for a phone, mails to a recipient.',
    fields: [
      field(
        'name',
        'name',
        forms.line(LENGTHS.name),
        'The budget, with the length of its window.',
        REQUIRED,
      ),
      field(
        'key',
        'key',
        forms.line(400),
        'Whose: a phone number, a user, a network, an address.',
        REQUIRED,
      ),
      field('used', 'used', forms.count, 'So much of it.', { ...REQUIRED, changes: true }),
      field('resetsAt', 'resets_at', forms.instant, 'When its next window begins.', {
        ...REQUIRED,
        changes: true,
      }),
    ],
  },
] as const satisfies readonly Kind[];
