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
 * Determines the address of a call. The `ip` parameter is trusted only from back ends: calls with a service or admin
 * credential and, for operations without a credential, from `TRUSTED_CALLERS`. For other callers the observed address
 * is used.
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
