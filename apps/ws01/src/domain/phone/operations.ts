import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { OperationHandlers } from '../../contract/service.ts';
import { NO_USER } from '../../records/persons.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { doneByCall, recordAudit } from '../audit/audit.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { actingUser } from '../shared/ownership.ts';
import { ensureNamedUserExists } from '../users/users.ts';
import { MAX_ATTEMPTS } from '../values/code-outcome.ts';
import { optionalKey } from '../values/keys.ts';
import { maskPhone, phoneDigits, requiredPhone } from '../values/phone.ts';
import { isSeen } from '../values/unseen.ts';
import type { CodeKey } from './code-keys.ts';
import type { CodeHolder, CodeVerdict, PhoneCodes } from './codes.ts';
import { markNumberVerified } from './rows.ts';
import { assertCountryAllowed, spendOnSms } from './sms-budgets.ts';

/** A code to deliver to its phone. */
export interface CodeDelivery {
  readonly verificationId: string;
  readonly userId: string;
  /** A number in normal form. */
  readonly phone: string;
  readonly code: string;
  /** The code must not be delivered from this instant on. */
  readonly expiresAt: Instant;
  /** The key that the code is hashed with; it may also encrypt the code while it waits. */
  readonly key: CodeKey;
  /** The id of the request, and its trace. */
  readonly requestId: string;
  readonly traceparent: string | undefined;
}

/**
 * Accepts a code for delivery, in the transaction that creates it, so that neither exists without
 * the other. It may await only queries.
 * @throws {Ws01Error} `SmsUnavailable` to refuse it.
 */
export type DeliverCode = (tx: Kysely<Tables>, delivery: CodeDelivery) => Promise<void>;

/** Dependencies of the operations on phone codes. */
export interface PhoneDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly codes: PhoneCodes;
  /** ISO 3166 code of the country whose numbers are written without `+`. */
  readonly defaultCountry: string | undefined;
  /** ISO 3166 codes of the countries that text messages are sent to; `undefined` for all. */
  readonly smsCountries: ReadonlySet<string> | undefined;
  /** Codes that are always the same, by number in normal form; nothing is sent to these. */
  readonly testCodes?: ReadonlyMap<string, string> | undefined;
  /** `undefined` without an SMS gateway: the caller gets the code and delivers it. */
  readonly deliver: DeliverCode | undefined;
  /** Called after the commit that queued a code for delivery. */
  readonly onDelivery?: () => void;
}

/** Operations 10 and 20. */
export function phoneOperations(
  deps: PhoneDeps,
): Pick<OperationHandlers<CallContext>, 'VerifyCodeForPhone' | 'CreateVerifyCode'> {
  const { store, clock, budgets, codes, defaultCountry, smsCountries, onDelivery } = deps;
  return {
    CreateVerifyCode: async (params, { caller: context }) => {
      const named = optionalUser(context, params.userId);
      const phone = requiredPhone(params.cellphone, 'cellphone', defaultCountry);
      const holder = holderOf(context, named, phone);
      const { deliver } = deps;
      const fixed = deps.testCodes?.get(phone);
      const isSent = deliver !== undefined && fixed === undefined;
      if (deliver === undefined) assertMayDeliver(context);
      else if (isSent) assertCountryAllowed(phone, smsCountries);
      const now = clock();
      const key = await codes.currentKey(now);
      const made = await store.write(async (tx) => {
        if (!isSent) await budgets.spend(tx, 'codesPerPhone', phoneDigits(phone), now);
        else
          await spendOnSms(
            tx,
            budgets,
            { caller: context.caller, phone, homeCountry: defaultCountry },
            now,
          );
        await ensureNamedUserExists(tx, context.caller, named, now);
        const code = await codes.make(tx, holder, key, now, fixed);
        await auditPhone(tx, context, 'create', { ...holder, id: code.verificationId }, now);
        const { requestId, traceparent } = context;
        if (isSent) await deliver(tx, { ...holder, ...code, key, requestId, traceparent });
        return code;
      });
      if (deliver === undefined) return made.code;
      if (isSent) onDelivery?.();
      return made.verificationId;
    },

    VerifyCodeForPhone: async (params, { caller: context }) => {
      const named = optionalUser(context, params.userId);
      const answer = params.VerifyCode ?? '';
      const phone = requiredPhone(params.cellphone, 'cellphone', defaultCountry);
      const holder = holderOf(context, named, phone);
      const now = clock();
      if (!isSeen(answer)) return notGiven(await codes.attemptsLeft(holder, now));
      const verdict = await codes.answer(holder, answer, now, {
        tokenId: context.caller.tokenId,
        counted: (tx, attempt, id) =>
          auditPhone(tx, context, 'attempt', { ...holder, id }, now, { attempt }),
        verified: async (tx, id) => {
          if (holder.userId === NO_USER) await markNumber(tx, context, phone, now);
          await auditPhone(tx, context, 'verify', { ...holder, id }, now);
        },
      });
      return resultOf(verdict);
    },
  };
}

/**
 * The user of a code. A back end may leave the user out, such as for a sign-up form, where no user
 * exists yet; then the code belongs to the number only (semantics 5.20).
 * @returns the canonical user key; for a user token its bound user; `undefined` for none.
 */
function optionalUser({ caller }: CallContext, text: string | undefined): string | undefined {
  return optionalKey(text, 'userId') ?? (caller.kind === 'user' ? caller.userId : undefined);
}

/** @throws {Ws01Error} `Forbidden` when a user token names another user than its own. */
function holderOf({ caller }: CallContext, named: string | undefined, phone: string): CodeHolder {
  return { userId: actingUser(caller, named, 'userId') ?? NO_USER, phone };
}

/**
 * A caller that gets the code could verify any number, so only a back end may get it
 * (semantics 5.20).
 */
function assertMayDeliver({ caller }: CallContext): void {
  if (caller.kind === 'service' || caller.kind === 'admin') return;
  throw new Ws01Error(
    'Forbidden',
    'No SMS gateway is configured, so the code would be told to the caller; only service tokens may ask for it.',
    { parameter: 'tokenId' },
  );
}

/** The result for an empty code, which costs no attempt. */
function notGiven(attemptsLeft: number): string {
  return `CodeWrong: no code was given; ${attemptsLeft} attempts left`;
}

/**
 * Records that a back end verified a number without a user; it may soon set the number for a user.
 */
async function markNumber(
  tx: Kysely<Tables>,
  { caller }: CallContext,
  phone: string,
  at: Instant,
): Promise<void> {
  if (caller.tokenId !== undefined) {
    markNumberVerified.send(tx, { token_id: caller.tokenId, phone, verified_at: at });
  }
}

/** The text before the colon and "n attempts left" must never change (semantics 5.10). */
function resultOf(verdict: CodeVerdict): string {
  switch (verdict.kind) {
    case 'right':
      return '';
    case 'wrong':
      return `CodeWrong: this is not the code that was made last; ${verdict.attemptsLeft} attempts left`;
    case 'expired':
      return 'CodeExpired: the code is older than 3 minutes; ask for a new one';
    case 'notFound':
      return 'CodeNotFound: no code is waiting for this user and number; ask for one';
    case 'tooMany':
      return `TooManyAttempts: the code was answered ${MAX_ATTEMPTS} times; ask for a new one`;
  }
}

/**
 * The audit trail shows the user and a masked number, never the whole number or the code. A code
 * without a user is known by its verification id, by which a search finds what happened to a
 * number.
 */
async function auditPhone(
  tx: Kysely<Tables>,
  context: CallContext,
  verb: 'create' | 'attempt' | 'verify',
  { userId, phone, id }: CodeHolder & { readonly id: string },
  at: Instant,
  details: Readonly<Record<string, number>> = {},
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: `code.${verb}`,
    target: userId === NO_USER ? { kind: 'phone', key: id } : { kind: 'user', key: userId },
    details: { phone: maskPhone(phone), ...details },
  });
}
