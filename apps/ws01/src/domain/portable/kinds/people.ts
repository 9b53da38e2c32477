import { LENGTHS, SCOPES } from '../../../contract/parameters.ts';
import * as forms from '../fields.ts';
import { created, EMPTY, field, type Kind, REQUIRED } from './kind.ts';

/** People and their credentials. */
export const PEOPLE = [
  {
    name: 'users',
    table: 'users',
    key: ['id'],
    about: 'Whoever owns something, or may send mail.',
    fields: [
      field('id', 'id', forms.key, 'Key of the user.', REQUIRED),
      field('registered', 'registered', forms.flag, 'Whether the user may send mail.', {
        absent: 0,
      }),
      field('name', 'name', forms.line(LENGTHS.name), 'Shown as the sender of mails.'),
      field('email', 'email', forms.line(320), 'Where answers to mails go.'),
      field('firstName', 'first_name', forms.text(LENGTHS.name), 'First name.'),
      field('lastName', 'last_name', forms.text(LENGTHS.name), 'Last name.'),
      field('zipCode', 'zip_code', forms.text(LENGTHS.zip), 'Postal code.'),
      field('state', 'state', forms.text(LENGTHS.place), 'State or province.'),
      field('city', 'city', forms.text(LENGTHS.place), 'City.'),
      field('address', 'address', forms.text(LENGTHS.address), 'First line of the address.'),
      field('address2', 'address2', forms.text(LENGTHS.address), 'Second line.'),
      field(
        'cellPhone',
        'cell_phone',
        forms.line(LENGTHS.contactPhone),
        'Phone number, best in E.164.',
      ),
      field(
        'cellPhoneVerifiedAt',
        'cell_phone_verified_at',
        forms.instant,
        'When it was verified.',
      ),
      field('blockedAt', 'blocked_at', forms.instant, 'Blocked by a moderator since then.'),
      created(),
      field(
        'updatedAt',
        'updated_at',
        forms.instant,
        'When it last changed; `createdAt` when absent.',
      ),
    ],
  },
  {
    name: 'tokens',
    table: 'tokens',
    key: ['id'],
    about: 'Credentials, by their hashes: the text of one is stored nowhere.',
    fields: [
      field('id', 'id', forms.key, 'Key of the token, not its text.', REQUIRED),
      field('hash', 'hash', forms.hex(32), 'SHA-256 of its text.', REQUIRED),
      field('label', 'label', forms.line(LENGTHS.name), 'What people call it.', EMPTY),
      field('kind', 'kind', forms.word('service', 'user', 'admin'), 'What it may be used for.', {
        absent: 'service',
      }),
      field('userId', 'user_id', forms.key, 'Its user, or default sender.'),
      field('scopes', 'scopes', forms.words(SCOPES), 'What it is good for.', REQUIRED),
      created(),
      field('expiresAt', 'expires_at', forms.endOf, 'Works until then.'),
      field('revokedAt', 'revoked_at', forms.instant, 'Revoked since then.'),
      field('lastUsedAt', 'last_used_at', forms.instant, 'Last used, to the hour.', {
        changes: true,
      }),
    ],
  },
  {
    name: 'token-networks',
    table: 'token_networks',
    key: ['token_id', 'network'],
    about: 'Networks that tokens were used from: guesses from elsewhere do not slow these down.',
    fields: [
      field('tokenId', 'token_id', forms.key, 'Key of the token.', REQUIRED),
      field('network', 'network', forms.line(64), 'IPv4 /24 or IPv6 /48.', REQUIRED),
      field('usedAt', 'used_at', forms.instant, 'Last used, to the day.', {
        ...REQUIRED,
        changes: true,
      }),
    ],
  },
] as const satisfies readonly Kind[];
