import type { CallContext } from '../context.ts';
import { parseNamedAddress } from '../values/internet-address.ts';

/** Where a call comes from (semantics 2, ip). Addresses are canonical. */
export interface Origin {
  /** The address that limits, counts and records go by. */
  readonly address: string;
  /** The address that the call named and that is not believed; `undefined` when there is none. */
  readonly claimed: string | undefined;
}

/**
 * Tells where a call comes from. Only a trusted back end is trusted when it names the address of the person it acts
 * for: one with a service or admin credential and, where no credential is asked for, one of `TRUSTED_CALLERS`. Whoever
 * else names one is known by the address observed.
 *
 * @param supplied the call's `ip` parameter; what is no address counts as empty.
 */
export function originOf({ caller, address, isTrusted }: CallContext, supplied: string | undefined): Origin {
  const named = supplied === undefined ? undefined : parseNamedAddress(supplied);
  if (named === undefined) {
    return { address, claimed: undefined };
  }
  const believed =
    caller.kind === 'service' || caller.kind === 'admin' || (caller.kind === 'anonymous' && isTrusted === true);
  return believed ? { address: named, claimed: undefined } : { address, claimed: named };
}
