import { Ws01Error } from '../../contract/errors.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import { columns, prepare } from '../../store/prepared.ts';
import type { SmsTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import type { Outage } from '../outbox/outage.ts';
import { enqueue } from '../outbox/rows.ts';
import type { DeliverCode } from '../phone/operations.ts';
import { sealCode } from './sealed-code.ts';
import { smsOffSince } from './switch.ts';

/**
 * When the gateway has been unreachable for this long, a code would probably arrive too late; ms.
 */
const HOPELESS_MS = 30_000;

/** Retry-After while an operator has switched messages off; s. */
const SWITCHED_OFF_S = 300;

/**
 * Queues codes in the outbox, in the transaction that creates them. While the gateway is known to
 * be unreachable, codes are refused with `SmsUnavailable`, except for an occasional one that probes
 * the gateway.
 */
export function createDeliverCode(clock: Clock, outage: Outage): DeliverCode {
  return async (
    tx,
    { verificationId: id, userId, phone, code, expiresAt, key, requestId, traceparent },
  ) => {
    const now = clock();
    if ((await smsOffSince(tx)) !== undefined) {
      throw new Ws01Error(
        'SmsUnavailable',
        'Text messages are switched off now; nothing was done.',
        {
          retryAfter: SWITCHED_OFF_S,
        },
      );
    }
    if (
      outage.since !== undefined &&
      now - outage.since >= HOPELESS_MS &&
      outage.allows(1, now) === 0
    ) {
      throw new DependencyError('sms', 'unavailable', 'The SMS gateway cannot be reached.', {
        retryAfter: Math.max(1, Math.ceil((outage.reopensAt - now) / 1000)),
      });
    }
    insertSms.send(tx, {
      id,
      user_id: userId,
      phone,
      key_id: key.id,
      sealed: sealCode(key, id, code),
      expires_at: expiresAt,
      created_at: now,
      request_id: requestId,
      traceparent: traceparent ?? null,
    });
    await enqueue(tx, { id, kind: 'sms', state: 'queued', createdAt: now, giveUpAt: expiresAt });
  };
}

const insertSms = prepare((db, row: SmsTable) =>
  db
    .insertInto('sms')
    .values(
      columns(row, 'id user_id phone key_id sealed expires_at created_at request_id traceparent'),
    ),
);
