import { LENGTHS } from '../../../contract/parameters.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import type { Field, FieldForm, Stored } from '../fields.ts';
import * as forms from '../fields.ts';

/** A kind of record: a file of the format, a table of the database. */
export interface Kind {
  /** The name of its file, without extension. */
  readonly name: string;
  readonly table: keyof Tables;
  /** The columns that tell one record from another, and that exports are sorted by. */
  readonly key: readonly string[];
  readonly fields: readonly Field[];
  readonly about: string;
}

interface FieldOptions {
  readonly absent?: Stored | 'required';
  readonly changes?: boolean;
}

/** A field that may be absent, as `null`, unless it is said otherwise; one that `changes` may differ in one record. */
export function field(
  name: string,
  column: string,
  form: FieldForm,
  about: string,
  { absent = null, changes = false }: FieldOptions = {},
): Field {
  return { name, column, form, about, absent, changes };
}

/** A row without the field is refused. */
export const REQUIRED = { absent: 'required' } as const;
/** Absent is an empty text. */
export const EMPTY = { absent: '' } as const;

export const created = (about = 'When it was created.') =>
  field('createdAt', 'created_at', forms.instant, about, REQUIRED);
export const owner = field('owner', 'owner', forms.key, 'The user whose it is.');
/** Who wrote a record last. */
export const writer = [
  field('ip', 'ip', forms.address, 'Where the last call came from.'),
  field(
    'claimedIp',
    'claimed_ip',
    forms.text(LENGTHS.url),
    'The address that it named and that was not believed.',
  ),
  field('tokenId', 'token_id', forms.key, 'The id of its token.'),
];
/** What moderators did to a record. */
export const moderated = [
  field('heldAt', 'held_at', forms.instant, 'Held back by a moderator since then.'),
  field('removedAt', 'removed_at', forms.instant, 'Taken down by a moderator since then.'),
];
