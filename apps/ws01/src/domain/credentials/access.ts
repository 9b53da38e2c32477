import { Ws01Error } from '../../contract/errors.ts';
import type { Scope, Ws01Operation } from '../../contract/parameters.ts';
import type { Store } from '../../store/store.ts';
import type { Caller, Clock } from '../context.ts';
import { NIL_GUID } from '../values/guid.ts';
import { canonicalKey } from '../values/keys.ts';
import { createFailureLimiter } from './failure-limiter.ts';
import { createLastUse } from './last-use.ts';
import { createTokenCache, type KnownToken } from './token-cache.ts';

/** Decides who calls, and whether they may call an operation (semantics 3). */
export interface Access {
  /**
   * The caller that a credential stands for. Not a promise when the credential was looked up within the last seconds.
   *
   * @param credential the text of the operation's credential parameter; not looked at for open operations.
   * @param address the observed client address, canonical.
   * @throws {Ws01Error} `Unauthenticated` when the credential is absent, unknown, malformed, revoked or expired;
   *   `RateLimited` instead, when too many from that address were; `Forbidden` without the operation's scope.
   * @throws {StoreError} when it cannot be looked up.
   */
  authorize(operation: Ws01Operation, credential: string | undefined, address: string): Caller | Promise<Caller>;

  /** Counts an unusable credential that another process was sent, from a network as {@link AccessOptions.onUnusable} tells. */
  hearUnusable(network: string): void;

  /** Makes the next call look up each credential anew: to be called after a revocation in this process. */
  forget(): void;

  /** Writes down what is not yet written of the credentials' last use. */
  close(): Promise<void>;
}

export interface AccessOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Whether failing attempts are limited by address; `true` when absent. */
  readonly limitFailures?: boolean;
  /** Told of networks that unusable credentials come from, for the other processes that serve the same addresses. */
  readonly onUnusable?: (network: string) => void;
}

const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous', tokenId: undefined, userId: undefined });

/** Blanks may stand around a token of 255 characters; anything longer is not worth hashing. */
const MAXIMUM_SENT_CHARS = 512;

export function createAccess({ store, clock, limitFailures = true, onUnusable }: AccessOptions): Access {
  const tokens = createTokenCache(store, clock);
  const lastUse = createLastUse(store);
  const failures = limitFailures ? createFailureLimiter(clock, onUnusable) : undefined;

  /** Turns what the look-up found into the caller, or into the one answer for everything that is not usable. */
  function admit(operation: Ws01Operation, token: KnownToken | undefined, address: string): Caller {
    const { scope } = operation.access!;
    const now = clock();
    if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= now)) {
      failures?.count(address);
      throw unusable(operation);
    }
    lastUse.note(token, now);
    if (!token.scopes.has(scope)) {
      throw lacksScope(operation, scope);
    }
    return token.caller;
  }

  return {
    authorize(operation, credential, address) {
      if (operation.access === undefined) {
        return ANONYMOUS;
      }
      const text =
        credential === undefined || credential.length > MAXIMUM_SENT_CHARS ? credential : canonicalKey(credential);
      if (text === undefined || text === '' || text === NIL_GUID) {
        throw absent(operation);
      }
      const token = text.length > MAXIMUM_SENT_CHARS ? undefined : tokens.find(text);
      return token instanceof Promise
        ? token.then((found) => admit(operation, found, address))
        : admit(operation, token, address);
    },
    hearUnusable: (network) => failures?.hear(network),
    forget: () => tokens.forget(),
    close: () => lastUse.close(),
  };
}

function absent({ name, access }: Ws01Operation): Ws01Error {
  return new Ws01Error(
    'Unauthenticated',
    `${name} needs a credential: send the text of a token with the scope "${access!.scope}" in ${access!.credential}.`,
    { parameter: access!.credential },
  );
}

function unusable({ access }: Ws01Operation): Ws01Error {
  return new Ws01Error(
    'Unauthenticated',
    `The credential in ${access!.credential} is not usable; send the text of a valid token with the scope "${access!.scope}".`,
    { parameter: access!.credential },
  );
}

function lacksScope({ name, access }: Ws01Operation, scope: Scope): Ws01Error {
  return new Ws01Error('Forbidden', `The credential lacks the scope "${scope}", which ${name} needs.`, {
    parameter: access!.credential,
  });
}
