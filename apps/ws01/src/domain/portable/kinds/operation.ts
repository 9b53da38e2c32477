import { LENGTHS } from '../../../contract/parameters.ts';
import * as forms from '../fields.ts';
import { field, type Kind, REQUIRED } from './kind.ts';

/** What operators did. */
export const OPERATION = [
  {
    name: 'switches',
    table: 'switches',
    key: ['name'],
    about: 'What an operator has switched off.',
    fields: [
      field('name', 'name', forms.line(LENGTHS.name), 'What.', REQUIRED),
      field('offSince', 'off_since', forms.instant, 'Since when.', REQUIRED),
    ],
  },
  {
    name: 'audit',
    table: 'audit',
    key: ['id'],
    about: 'Who did what, and when.',
    fields: [
      field('id', 'id', forms.key, 'UUIDv7.', REQUIRED),
      field('at', 'at', forms.instant, 'When.', REQUIRED),
      field('tokenId', 'token_id', forms.key, 'The id of the token.'),
      field('action', 'action', forms.line(LENGTHS.name), '`noun.verb`.', REQUIRED),
      field('targetKind', 'target_kind', forms.line(LENGTHS.name), 'The kind of record.', REQUIRED),
      field('targetKey', 'target_key', forms.line(400), 'Its key.'),
      field('address', 'address', forms.line(LENGTHS.name), 'Where the call came from.'),
      field('details', 'details', forms.object, 'What else is worth knowing.', { absent: '{}' }),
    ],
  },
] as const satisfies readonly Kind[];
