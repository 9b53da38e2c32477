import { sql } from 'kysely';
import type { FailedCallsTable } from '../store/tables/tables.ts';
import { byText, createdBetweenKeys, narrows } from './conditions.ts';
import { targetsOf, tokensOf } from './persons.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

/** Calls of operations that were answered with an error, or `false` for a picture that is none. */
export const FAILURES = {
  table: 'failed_calls',
  name: 'failures',
  title: 'FailedCall',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the entry.', REQUIRED),
    at: member('at', types.instant, 'When it was answered.', REQUIRED),
    operation: member('operation', types.text(), 'The operation; null where none was found.'),
    error: member('error', types.text(), 'The code of the error that was answered.', REQUIRED),
    parameter: member('parameter', types.text(), 'The parameter that was wrong, not its value.'),
    reason: member(
      'reason',
      types.text(),
      'The sentence that the caller got, without the values that were sent; null where that is unknown.',
    ),
    targetKind: member('target_kind', types.text(), 'The kind of record that the call named.'),
    targetKey: member('target_key', types.key, 'The key of that record, if there is one.'),
    userId: member('user_id', types.key, 'Whom its token acts for.'),
    tokenId: member('token_id', types.key, 'Its token.', { private: true }),
    address: member('address', types.text(), 'The observed address of the client.', REQUIRED),
    binding: member('binding', types.text(), 'How it was called.', REQUIRED),
    status: member('status', types.count, 'The HTTP status of its answer.', REQUIRED),
    ms: worked(
      types.hundredths,
      'From the arrival of the request to its answer; ms.',
      ({ us }) => Math.round(Number(us) / 10) / 100,
    ),
    requestId: member('request_id', types.text(), 'Finds the call in the log.', REQUIRED),
    moreAlike: worked(
      types.count,
      'How many more calls of this operation failed so within two seconds; they are counted, not listed.',
      (call) => call.more_alike ?? 0,
    ),
  },
  reads: 'failed_calls.us, failed_calls.more_alike',
  layout: {
    columns: ['at', 'operation', 'reason', 'targetKey', 'userId', 'address'],
    called: ['reason', 'error'],
    folded: ['id', 'reason', 'error', 'targetKind', 'binding', 'status', 'requestId', 'moreAlike'],
  },
  orders: { created: byText('failed_calls.id') },
  sort: '-created',
  filters: {
    operation: 'Only those of this operation.',
    error: 'Only those with this error.',
    targetKey: 'Only those about this record.',
    userId: 'Only those of tokens that act for this user.',
    requestId: 'Only this call.',
    binding: narrows('Only those over this binding.', 'failed_calls.binding'),
    ...createdBetweenKeys('failed_calls.id'),
  },
  personal: {
    of: (person) =>
      sql<boolean>`(user_id = ${person.id} or target_key in (${targetsOf(person)})
        or token_id in (${tokensOf(person)}))`,
    found: (person) =>
      sql<boolean>`(user_id = ${person.id} or target_key in (${targetsOf(person)}))`,
    fate: 'deleted',
    given: ({ id }) => sql<boolean>`user_id = ${id}`,
  },
} as const satisfies Listing<FailedCallsTable>;
