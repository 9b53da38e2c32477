import { Ws01Error } from '../../contract/errors.ts';
import type { Moderated } from '../../store/tables/tables.ts';
import type { CallContext, Caller } from '../context.ts';
import { parseNamedAddress } from '../values/internet-address.ts';

/**
 * A kind of record, as its messages call it, and the parameter that carries its key in the call at
 * hand.
 */
export interface RecordName {
  readonly noun: 'article' | 'advert' | 'image' | 'record';
  readonly parameter: string;
}

/** An attempt to write an existing record (also one in the trash). */
export interface WriteAttempt {
  readonly caller: Caller;
  /**
   * `put` creates where the key is free (1, 4, 5); `change` needs an existing record (8, 15, 17,
   * 18).
   */
  readonly intent: 'put' | 'change';
  readonly record: RecordName;
  /** The record's owner; `undefined` or `null` when it has none. */
  readonly owner: string | null | undefined;
  /**
   * The user named by the call's `CreateUserId` or `createuserid`; `undefined` when empty or not
   * carried.
   */
  readonly namedId: string | undefined;
}

/** The result of an attempt: `allowed`, or the error code. */
export type WriteDecision = 'allowed' | 'Forbidden' | 'NotFound' | 'AlreadyExists';

/**
 * The user a call acts for (semantics 3): the bound user of a user token, whatever it leaves empty;
 * else the user the call names. It is also the owner of what the call creates: `undefined` is
 * nobody (an image then takes the owner of its `Link_Guid`).
 *
 * @param namedId the canonical user key in `parameter`; `undefined` when empty or not carried.
 * @param parameter the parameter that names the user, for the error.
 * @throws {Ws01Error} `Forbidden` when a user token names another user than its own.
 */
export function actingUser(
  caller: Caller,
  namedId: string | undefined,
  parameter: string,
): string | undefined {
  if (caller.kind !== 'user') {
    return namedId;
  }
  if (namedId !== undefined && namedId !== caller.userId) {
    throw new Ws01Error(
      'Forbidden',
      `The credential is bound to one user and ${parameter} names another; send that user's id or leave it empty.`,
      { parameter },
    );
  }
  return caller.userId;
}

/**
 * Applies the ownership rules of semantics 3 to an attempt. A user token learns nothing about
 * records of others: changing one is `NotFound`, as for an unused key; only a put must answer
 * `AlreadyExists`.
 */
export function authorizeWrite({ caller, intent, owner, namedId }: WriteAttempt): WriteDecision {
  switch (caller.kind) {
    case 'admin':
      return 'allowed';
    case 'service':
      return namedId === undefined || owner == null || owner === namedId ? 'allowed' : 'Forbidden';
    case 'user':
      if (namedId !== undefined && namedId !== caller.userId) {
        return 'Forbidden';
      }
      if (owner != null && owner === caller.userId) {
        return 'allowed';
      }
      return intent === 'put' ? 'AlreadyExists' : 'NotFound';
    case 'anonymous':
      return 'Forbidden';
  }
}

/**
 * Returns for a permitted attempt.
 * @throws {Ws01Error} the code of {@link authorizeWrite}: `Forbidden`, `NotFound` or
 *   `AlreadyExists`.
 */
export function assertMayWrite(attempt: WriteAttempt): void {
  const verdict = authorizeWrite(attempt);
  const { noun, parameter } = attempt.record;
  switch (verdict) {
    case 'allowed':
      return;
    case 'NotFound':
      throw recordNotFound(attempt.record);
    case 'AlreadyExists':
      throw new Ws01Error(
        'AlreadyExists',
        `The key in ${parameter} is in use; send another key for a new ${noun}.`,
        {
          parameter,
        },
      );
    case 'Forbidden':
      throw new Ws01Error(
        'Forbidden',
        `The ${noun} belongs to another user than the call acts for.`,
        { parameter },
      );
  }
}

/** The answer both for a missing record and for one that the caller must not know of. */
export function recordNotFound({ noun, parameter }: RecordName): Ws01Error {
  return new Ws01Error('NotFound', `There is no ${noun} with the key in ${parameter}.`, {
    parameter,
  });
}

/**
 * Allows only admins to write a record that a moderator removed, which restores it.
 * @throws {Ws01Error} `Forbidden` for others.
 */
export function assertNotRemoved(
  caller: Caller,
  { removed_at }: Pick<Moderated, 'removed_at'>,
  { noun, parameter }: RecordName,
): void {
  if (removed_at === null || caller.kind === 'admin') return;
  throw new Ws01Error(
    'Forbidden',
    `A moderator removed the ${noun}; only a moderator or an admin restores it.`,
    {
      parameter,
    },
  );
}

/** Where a call comes from (semantics 2, ip). Addresses are canonical. */
export interface Origin {
  /** The address that limits, counts and records go by. */
  readonly address: string;
  /** The address that the call named and that is not believed; `undefined` when there is none. */
  readonly claimed: string | undefined;
}

/**
 * Determines the address of a call. The `ip` parameter is trusted only from back ends: calls with a
 * service or admin credential and, for operations without a credential, from `TRUSTED_CALLERS`. For
 * other callers the observed address is used.
 *
 * @param supplied the call's `ip` parameter; what is no address counts as empty.
 */
export function originOf(
  { caller, address, isTrusted }: CallContext,
  supplied: string | undefined,
): Origin {
  const named = supplied === undefined ? undefined : parseNamedAddress(supplied);
  if (named === undefined) {
    return { address, claimed: undefined };
  }
  const believed =
    caller.kind === 'service' ||
    caller.kind === 'admin' ||
    (caller.kind === 'anonymous' && isTrusted === true);
  return believed ? { address: named, claimed: undefined } : { address, claimed: named };
}
