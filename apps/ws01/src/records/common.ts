import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import type {
  ArticleWriter,
  Instant,
  Moderated,
  OutboxKind,
  OutboxState,
  OutboxTable,
} from '../store/tables/tables.ts';
import { words } from '../store/words.ts';
import { byText } from './conditions.ts';
import type { Filter } from './list.ts';
import { MADE, type Members, member, REQUIRED } from './record.ts';
import * as types from './types.ts';

type Times = Moderated & { readonly created_at: Instant; readonly updated_at: Instant };

/** When a record was made and changed, and what moderators did to it. */
export const MODERATED: Members<Times> = {
  createdAt: member('created_at', types.instant, 'When it was created.', REQUIRED),
  updatedAt: member('updated_at', types.instant, 'When it was changed last.', MADE),
  heldAt: member('held_at', types.instant, 'Held back from the public by a moderator since then.'),
  removedAt: member('removed_at', types.instant, 'Taken down by a moderator since then.'),
};

/** Who wrote a record last. @param ip says what the address is. */
export const writerMembers = (ip: string): Members<ArticleWriter> => ({
  ip: member('ip', types.address, ip),
  claimedIp: member(
    'claimed_ip',
    types.text(LENGTHS.url),
    'The address that the call named and that is not believed.',
  ),
  tokenId: member('token_id', types.key, 'The token that wrote it.', { private: true }),
});

/** The states of a message, in the order in which they are reached. */
export const OUTBOX_STATES = words(
  'queued sending deferred kept sent bounced failed cancelled suppressed',
) satisfies readonly OutboxState[];

type Sent = Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

const OUTBOX = { table: 'outbox' } as const;

/** How far a message is. */
export const DELIVERY: Members<Sent> = {
  status: member('state', types.word(...OUTBOX_STATES), 'How far it is.', {
    ...OUTBOX,
    ...REQUIRED,
  }),
  attempts: member('attempts', types.count, 'How often it was tried.', { ...OUTBOX, absent: 0 }),
  nextAttemptAt: member(
    'due_at',
    types.instant,
    'When it is to be tried; null when it is not to be.',
    {
      ...OUTBOX,
      of: ({ state, due_at }) =>
        due_at !== null && (state === 'queued' || state === 'deferred')
          ? types.instant.write(due_at)
          : null,
    },
  ),
  finishedAt: member('finished_at', types.instant, 'When it came to its end.', OUTBOX),
  lastReply: member('last_reply', types.text(), 'The last reply of the server or gateway.', OUTBOX),
};

/** The members of a JSON object as texts: clients need not handle each type. */
export function textsOf(details: string): Record<string, string | null> {
  return Object.fromEntries(leavesOf('', JSON.parse(details)));
}

/** The plain values in a JSON value, each with its name: `a.b` for one within another. */
function leavesOf(name: string, value: unknown): (readonly [string, string | null])[] {
  if (typeof value !== 'object' || value === null)
    return [[name, value === null ? null : String(value)]];
  const within = (member: string) => (name === '' ? member : `${name}.${member}`);
  return Object.entries(value).flatMap(([member, one]) => leavesOf(within(member), one));
}

/**
 * A filter by how far messages are. The index of the outbox finds their keys.
 * @param table the table of the messages.
 */
export function deliveryFilter(kind: OutboxKind, table: string): Filter {
  const ofKind = sql<boolean>`outbox.kind = ${kind}`;
  const lookUp = { table, on: `${table}.id = outbox.id` };
  const way = {
    indexed: true,
    order: byText('outbox.id'),
    source: { from: 'outbox', lookUp, keyColumn: 'outbox.id' },
  };
  return {
    about: 'Only those that are so far.',
    type: types.word(...OUTBOX_STATES),
    order: { by: 'outbox.state', leading: { ...way, sql: ofKind } },
    condition: (state) => ({ ...way, sql: sql<boolean>`${ofKind} and outbox.state = ${state}` }),
  };
}
