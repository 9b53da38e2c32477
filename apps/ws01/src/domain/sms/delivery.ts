import type { Kysely } from 'kysely';
import type { OutgoingSms, SmsGateway } from '../../adapters/sms/gateway.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { PhoneCodesTable, SmsTable, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import {
  type AttemptOutcome,
  type Delivery,
  type OutboxMessage,
  outcomeOf,
} from '../outbox/delivery.ts';
import type { CodeKeys } from '../phone/code-keys.ts';
import { openCode } from './sealed-code.ts';
import { smsOffSince } from './switch.ts';

interface SmsDeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly gateway: SmsGateway;
  readonly keys: CodeKeys;
  /**
   * The text of a message, with the placeholders `{code}` and `{service}` (the name of the
   * service).
   */
  readonly template: string;
  readonly serviceName: string;
}

/** Delivers verification codes from the outbox to the SMS gateway. */
export class SmsDelivery implements Delivery {
  readonly kind = 'sms';
  readonly slots: number;
  /** Backoff in ms; short, since a code is valid for three minutes. */
  readonly waits = { first: 2_000, longest: 15_000 };
  readonly #deps: SmsDeliveryDeps;

  constructor(deps: SmsDeliveryDeps) {
    this.#deps = deps;
    this.slots = deps.gateway.connections;
  }

  async deliver(
    { id }: OutboxMessage,
    signal: AbortSignal,
    isHeld: () => boolean,
  ): Promise<AttemptOutcome> {
    const { store, clock, gateway, keys } = this.#deps;
    const sms = await store.read((db) => smsById.first(db, { id }));
    if (sms === undefined || sms.sealed === null || clock() >= sms.expires_at) {
      return { kind: 'failed', reply: 'The code expired before it could be delivered.' };
    }
    const newest = await store.read((db) =>
      newestCode.first(db, { user_id: sms.user_id, phone: sms.phone }),
    );
    if (newest?.id !== id)
      return { kind: 'cancelled', reply: 'The code was used, or a newer one took its place.' };
    if ((await store.read(smsOffSince)) !== undefined) {
      return { kind: 'cancelled', reply: 'An operator has switched text messages off.' };
    }
    const key = await keys.find(sms.key_id);
    if (key === undefined)
      return { kind: 'failed', reply: 'The key that the code was sealed with is gone.' };
    const code = openCode(key, id, sms.sealed);
    const message: OutgoingSms = {
      ...{ id, to: sms.phone, text: this.#textWith(code) },
      ...{ expiresAt: sms.expires_at, leftMs: sms.expires_at - clock() },
      requestId: sms.request_id ?? undefined,
      traceparent: sms.traceparent ?? undefined,
    };
    if (!isHeld()) return { kind: 'later', at: clock() };
    const outcome = await gateway
      .send(message, signal)
      .then((reply) => ({ kind: 'sent' as const, reply }), outcomeOf);
    return { ...outcome, reply: withoutSent(outcome.reply, { code, phone: sms.phone }) };
  }

  /** Deletes the code of a message that is sent or has failed. */
  async ended(tx: Kysely<Tables>, id: string): Promise<void> {
    wipe.send(tx, { id });
  }

  close(): Promise<void> {
    return this.#deps.gateway.close();
  }

  #textWith(code: string): string {
    return smsTextWith(this.#deps, code);
  }
}

/** Digits, with a few other signs between them. */
const DIGITS = /\d(?:[^\p{L}\p{N}]{0,3}\d)+/gu;

/** Digits at the end of a number that a gateway repeats however it writes the rest. */
const LOCAL_DIGITS = 7;

/**
 * A gateway may repeat the code and the number, with something between their digits, as `123-456`;
 * the log, which has its words, has neither.
 */
function withoutSent(reply: string, { code, phone }: { code: string; phone: string }): string {
  const local = phone.replaceAll(/\D/g, '').slice(-LOCAL_DIGITS);
  return reply.replace(DIGITS, (digits) => {
    const plain = digits.replaceAll(/\D/g, '');
    if (plain.includes(code)) return '******';
    return plain.includes(local) ? `…${plain.slice(-2)}` : digits;
  });
}

/** The text of a message. */
export function smsTextWith(
  { template, serviceName }: Pick<SmsDeliveryDeps, 'template' | 'serviceName'>,
  code: string,
): string {
  return template.split('{service}').join(serviceName).split('{code}').join(code);
}

const smsById = prepare((db, { id }: Pick<SmsTable, 'id'>) =>
  db.selectFrom('sms').selectAll().where('id', '=', id),
);

const newestCode = prepare((db, { user_id, phone }: Pick<PhoneCodesTable, 'user_id' | 'phone'>) =>
  db
    .selectFrom('phone_codes')
    .select('id')
    .where('user_id', '=', user_id)
    .where('phone', '=', phone),
);

const wipe = prepare((db, { id }: Pick<SmsTable, 'id'>) =>
  db.updateTable('sms').set({ sealed: null }).where('id', '=', id),
);
