import { sql } from 'kysely';
import type { OutboxKind, OutboxState, OutboxTable } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Filter } from '../kind.ts';
import { instant, integer, nullable, text, word } from '../schema.ts';

/** The states of a message, in the order in which they are reached. */
export const OUTBOX_STATES = [
  'queued',
  'sending',
  'deferred',
  'kept',
  'sent',
  'bounced',
  'failed',
  'cancelled',
  'suppressed',
] as const satisfies readonly OutboxState[];

type Sent = Pick<OutboxTable, 'state' | 'attempts' | 'due_at' | 'finished_at' | 'last_reply'>;

export const OUTBOX_COLUMNS = `outbox.state, outbox.attempts, outbox.due_at, outbox.finished_at, outbox.last_reply`;

/** The delivery members of a message. */
export function outboxFields<Row extends Sent>(): Fields<Row> {
  return {
    status: column(word('How far it is.', ...OUTBOX_STATES), 'state'),
    attempts: column(integer('How often it was tried.'), 'attempts'),
    nextAttemptAt: {
      schema: nullable(instant('When it is to be tried; null when it is not to be.')),
      of: ({ state, due_at }) =>
        due_at !== null && (state === 'queued' || state === 'deferred')
          ? new Date(due_at).toISOString()
          : null,
    },
    finishedAt: at(nullable(instant('When it came to its end.')), 'finished_at'),
    lastReply: column(nullable(text('The last reply of the server or gateway.')), 'last_reply'),
  };
}

/**
 * A filter by state. The index of the outbox finds the keys.
 * @param table the table of the messages.
 */
export function stateFilter(kind: OutboxKind, table: string): Filter {
  return {
    schema: word('Only those that are so far.', ...OUTBOX_STATES),
    condition: (state) => ({
      sql: sql<boolean>`outbox.kind = ${kind} and outbox.state = ${state}`,
      indexed: true,
      order: [{ sql: 'outbox.id', type: 'string' }],
      source: { from: 'outbox', lookUp: { table, on: `${table}.id = outbox.id` } },
    }),
  };
}
