import { Ws01Error } from '../../contract/errors.ts';
import type { Scope } from '../../contract/parameters.ts';
import type { Guarded } from '../../contract/service.ts';
import type { Store } from '../../store/store.ts';
import type { CacheUse } from '../../turns/memory.ts';
import type { Caller, Clock } from '../context.ts';
import { siteNetworkOf } from '../values/internet-address.ts';
import { canonicalKey, NIL_GUID } from '../values/keys.ts';
import { GuessThrottle } from './guess-throttle.ts';
import { KnownNetworks } from './known-networks.ts';
import { LastUse } from './last-use.ts';
import { type KnownToken, TokenCache } from './token-cache.ts';
import { isOwnForm } from './token-text.ts';

/** Decides who calls, and whether they may call an operation (semantics 3). */
export interface Access {
  /**
   * The caller that a credential stands for. Not a promise when the credential was looked up within
   * the last seconds.
   *
   * @param credential the text of the operation's credential parameter; not looked at for open
   *   operations.
   * @param address the observed client address, canonical.
   * @throws {Ws01Error} `Unauthenticated` when the credential is absent, unknown, malformed,
   *   revoked or expired; `RateLimited` instead, after a while, when too many from that network
   *   were; `Forbidden` without the operation's scope. From such a network, tokens whose text
   *   somebody chose wait as well if they were not used there in the last 30 days. Texts that the
   *   service made cannot be guessed.
   * @throws {DependencyError} when it cannot be looked up.
   */
  authorize(
    operation: Guarded,
    credential: string | undefined,
    address: string,
  ): Caller | Promise<Caller>;

  /**
   * What a credential stands for, whatever its scopes; otherwise as {@link authorize}.
   * @throws {Ws01Error} `Unauthenticated` or `RateLimited`.
   */
  identify(guarded: Guarded, credential: string, address: string): Promise<Identity>;

  /**
   * Slows down who guesses; other ways to sign in count their failures there, too. `undefined`
   * where guessing is free.
   */
  readonly brake: GuessThrottle | undefined;

  /**
   * Makes the next call look up each credential again: to be called after a revocation in this
   * process.
   */
  forget(): void;

  /** Of the credentials that are remembered. */
  readonly cacheUse: CacheUse;

  /** Writes down what is not yet written of the credentials' last use. */
  close(): Promise<void>;
}

/** A usable credential. */
type Identity = Pick<KnownToken, 'caller' | 'label' | 'scopes'>;

export interface AccessOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Whether guessing is slowed down; `true` when absent. */
  readonly limitFailures?: boolean;
  /**
   * How often the nodes tell each other of unusable credentials; ms. `undefined` where there is one
   * node.
   */
  readonly shareEvery?: number | undefined;
  /** Waits so many ms; in real time when absent. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** A credential that is not let in, with what the answer does not tell and the log should. */
export class CredentialRefused extends Ws01Error {
  /** Whose it is; `undefined` where it is nobody's. */
  readonly caller: Caller | undefined;
  readonly reason: string;

  constructor(
    code: 'Unauthenticated' | 'Forbidden',
    message: string,
    parameter: string,
    reason = message,
    caller?: Caller,
  ) {
    super(code, message, { parameter });
    this.reason = reason;
    this.caller = caller;
  }
}

const ANONYMOUS: Caller = Object.freeze({
  kind: 'anonymous',
  tokenId: undefined,
  userId: undefined,
});

/** Blanks may stand around a token of 255 characters; anything longer is not worth hashing. */
const MAXIMUM_SENT_CHARS = 512;

export function createAccess({
  store,
  clock,
  limitFailures = true,
  shareEvery,
  wait,
}: AccessOptions): Access {
  const tokens = new TokenCache(store, clock);
  const networks = new KnownNetworks(store);
  const lastUse = new LastUse(store, networks);
  const brake = limitFailures
    ? new GuessThrottle({ store, clock, shareEvery, ...(wait && { wait }) })
    : undefined;

  /**
   * Lets what the look-up found pass, or gives the one answer for everything that is not usable.
   */
  function admit(
    operation: Guarded,
    token: KnownToken | undefined,
    address: string,
    isOurs: boolean,
  ): KnownToken | Promise<KnownToken> {
    const now = clock();
    if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= now)) {
      return refuse(operation, siteNetworkOf(address), token);
    }
    if (!isOurs && brake?.isCounting(now) && brake.slows(siteNetworkOf(address)))
      return admitSlowly(token, address);
    lastUse.note(token, address, now);
    return token;
  }

  async function refuse(
    operation: Guarded,
    network: string,
    expired: KnownToken | undefined,
  ): Promise<never> {
    await brake?.fail(network);
    throw unusable(operation, expired);
  }

  async function admitSlowly(token: KnownToken, address: string): Promise<KnownToken> {
    const network = siteNetworkOf(address);
    if (!(await networks.knows(token.caller.tokenId!, network, clock())))
      await brake?.delay(network);
    lastUse.note(token, address, clock());
    return token;
  }

  /** The usable token with the text of a credential. */
  function find(operation: Guarded, credential: string | undefined, address: string) {
    const text =
      credential === undefined || credential.length > MAXIMUM_SENT_CHARS
        ? credential
        : canonicalKey(credential);
    if (text === undefined || text === '' || text === NIL_GUID) {
      throw absent(operation);
    }
    const token = text.length > MAXIMUM_SENT_CHARS ? undefined : tokens.find(text, credential!);
    const isOurs = isOwnForm(text);
    return token instanceof Promise
      ? token.then((found) => admit(operation, found, address, isOurs))
      : admit(operation, token, address, isOurs);
  }

  return {
    brake,
    authorize(operation, credential, address) {
      if (operation.access === undefined) {
        return ANONYMOUS;
      }
      const token = find(operation, credential, address);
      return token instanceof Promise
        ? token.then((found) => callerWithScope(operation, found))
        : callerWithScope(operation, token);
    },
    identify: async (guarded, credential, address) => find(guarded, credential, address),
    forget: () => tokens.forget(),
    cacheUse: tokens.use,
    async close() {
      await brake?.close();
      await lastUse.close();
    },
  };
}

function absent({ name, access }: Guarded): Ws01Error {
  return new Ws01Error(
    'Unauthenticated',
    `${name} needs a credential: send the text of a token with the scope "${access!.scope}" in ${access!.credential}.`,
    { parameter: access!.credential },
  );
}

function unusable({ access }: Guarded, expired: KnownToken | undefined): Ws01Error {
  return new CredentialRefused(
    'Unauthenticated',
    `The credential in ${access!.credential} is not usable; send the text of a valid token with the scope "${access!.scope}".`,
    access!.credential,
    expired === undefined
      ? 'unknown or revoked'
      : `expired on ${new Date(expired.expiresAt!).toISOString()}`,
    expired?.caller,
  );
}

/** @throws {Ws01Error} `Forbidden` */
function callerWithScope(operation: Guarded, { caller, scopes }: KnownToken): Caller {
  const { scope } = operation.access!;
  if (!scopes.has(scope)) throw lacksScope(operation, scope, caller);
  return caller;
}

function lacksScope({ name, access }: Guarded, scope: Scope, caller: Caller): Ws01Error {
  const message = `The credential lacks the scope "${scope}", which ${name} needs.`;
  return new CredentialRefused('Forbidden', message, access!.credential, message, caller);
}
