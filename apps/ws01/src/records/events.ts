import { sql } from 'kysely';
import type { EventsTable } from '../store/tables/tables.ts';
import { textsOf } from './common.ts';
import { byText, createdBetweenKeys, narrows } from './conditions.ts';
import { targetsOf } from './persons.ts';
import { type Listing, member, REQUIRED } from './record.ts';
import * as types from './types.ts';

/**
 * Returns an event as it is sent: without texts, addresses, numbers and codes, but with the key of
 * the record.
 */
export function publicEvent({
  seq,
  at,
  type,
  kind,
  key,
  data,
  request_id,
}: Omit<EventsTable, 'id'>) {
  return {
    type,
    timestamp: new Date(at).toISOString(),
    data: { seq, kind, key, ...JSON.parse(data), requestId: request_id },
  };
}

/** What happened in the service. */
export const EVENTS = {
  table: 'events',
  name: 'events',
  title: 'Event',
  key: 'id',
  members: {
    id: member('id', types.key, 'The `webhook-id` of its calls, and of nothing else.', REQUIRED),
    seq: member(
      'seq',
      types.bytesCount,
      'Its number in the order of delivery; null for a moment.',
      { of: ({ seq }) => (seq === null ? null : Number(seq)) },
    ),
    at: member('at', types.instant, 'When it happened.', REQUIRED),
    type: member(
      'type',
      types.text(),
      'What happened: `article.create`, `mail.bounced`.',
      REQUIRED,
    ),
    kind: member('kind', types.text(), 'The kind of record.', REQUIRED),
    key: member('key', types.text(), 'The key of the record.'),
    data: member('data', types.texts, 'Numbers and words of ours.', {
      ...REQUIRED,
      of: ({ data }) => textsOf(data),
    }),
    requestId: member('request_id', types.text(), 'What finds the call in the log.'),
  },
  layout: { columns: ['at', 'type', 'kind', 'key', 'requestId'], called: ['type'] },
  orders: { created: byText('events.id') },
  sort: '-created',
  filters: {
    type: narrows('Only those of this type.', 'events.type'),
    kind: narrows('Only those about this kind of record.', 'events.kind'),
    key: narrows('Only those about this record.', 'events.key'),
    ...createdBetweenKeys('events.id'),
  },
  personal: {
    of: (person) => sql<boolean>`key in (${targetsOf(person)})`,
    found: false,
    fate: 'deleted',
    given: false,
  },
} as const satisfies Listing<EventsTable>;
