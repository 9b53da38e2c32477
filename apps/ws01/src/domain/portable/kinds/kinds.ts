import type { Tables } from '../../../store/tables/tables.ts';
import { ANSWERS } from './answers.ts';
import type { Kind } from './kind.ts';
import { LINKS } from './links.ts';
import { MAILS } from './mails.ts';
import { OPERATION } from './operation.ts';
import { PEOPLE } from './people.ts';
import { PHONES } from './phones.ts';
import { POSTS } from './posts.ts';

/**
 * The portable format, in one place: readers, writers, the JSON Schema and the page of the format are made of it. A change
 * that an older version could not read is another {@link FORMAT_VERSION}.
 */
export const FORMAT = 'ws01-portable';
export const FORMAT_VERSION = 1;

/** The kinds, in the order in which they are written and read: what others refer to comes first. */
export const KINDS = [
  ...PEOPLE,
  ...POSTS,
  ...ANSWERS,
  ...LINKS,
  ...PHONES,
  ...MAILS,
  ...OPERATION,
] as const satisfies readonly Kind[];

export type KindName = (typeof KINDS)[number]['name'];

const BY_NAME: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The kind of a name; `undefined` when there is none. */
export function kindOf(name: string): Kind | undefined {
  return BY_NAME.get(name);
}

type Travelling = (typeof KINDS)[number]['table'];

/** The tables that do not travel, and why. A new table stands here or among {@link KINDS}, or nothing compiles. */
export const NOT_PORTABLE: Readonly<Record<Exclude<keyof Tables, Travelling>, string>> = {
  image_totals: 'Counted again from the images.',
  review_tallies: 'Summed again from the reviews.',
  code_keys:
    'Secrets of verification codes, which live for three minutes: people ask for another one.',
  phone_codes: 'Verification codes live for three minutes: people ask for another one.',
  used_codes: 'Verification codes live for three minutes: people ask for another one.',
  admins: 'Console accounts belong to an installation: create them again.',
  admin_links: 'Console accounts belong to an installation: create them again.',
  admin_sessions: 'Console accounts belong to an installation: create them again.',
  admin_passkeys: 'Passkeys are of the address of the console that they were made for.',
  admin_challenges: 'Lasts for minutes.',
  backups: 'Tells of the backups of this very database.',
  sms: 'Text messages carry codes, sealed with a secret that stays.',
  legal_holds: 'Names the people of this installation who set them: set them again.',
  imports: 'How far an import into this database is.',
  absent_indexes: 'Lasts as long as an import into this database.',
  events: 'Tells of changes of this very database.',
  event_sequence: 'Tells of changes of this very database.',
  webhooks: 'Has secrets, and servers that expect this installation: add them again.',
  webhook_deliveries: 'Tells of changes of this very database.',
  store_probe: 'Written by the readiness check.',
  service_time: 'The time by the clock of this very installation.',
};
