import { HOUR_MS } from '@ws01/asmx/time';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { siteNetworkOf } from '../values/internet-address.ts';
import { type KnownNetworks, upsertUse } from './known-networks.ts';
import type { KnownToken } from './token-cache.ts';

/** Precision of the last use: at most one write per token in this time. */
const STEP_MS = HOUR_MS;

/** Uses within this time are written together. */
const FLUSH_MS = 1_000;

/**
 * Stores the last use of tokens, to the hour, and their networks, to the day. It never delays a
 * call or makes it fail.
 */
export class LastUse {
  readonly #store: Store;
  readonly #networks: KnownNetworks;
  #noted = new Map<string, Instant>();
  #writing: ReadonlyMap<string, Instant> = new Map();
  /** Ends with the write that began last. */
  #written: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, networks: KnownNetworks) {
    this.#store = store;
    this.#networks = networks;
  }

  /**
   * @param address from which it is used. The same one is looked at once, as long as `TokenCache`
   *   remembers the token.
   */
  note(token: KnownToken, address: string, now: Instant): void {
    if (token.notedFrom === address) return;
    token.notedFrom = address;
    const id = token.caller.tokenId!;
    if (this.#networks.note(id, siteNetworkOf(address), now)) this.#flushSoon();
    if (now - token.lastUsedAt < STEP_MS) return;
    // The token may have been looked up again before its use was written.
    const pending = this.#noted.get(id) ?? this.#writing.get(id);
    if (pending !== undefined && now - pending < STEP_MS) {
      token.lastUsedAt = pending;
      return;
    }
    token.lastUsedAt = now;
    this.#noted.set(id, now);
    this.#flushSoon();
  }

  /** Writes pending uses. */
  close(): Promise<void> {
    return this.#flush();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#written = this.#written.then(() => this.#write());
    return this.#written;
  }

  async #write(): Promise<void> {
    const uses = this.#noted;
    this.#noted = new Map();
    this.#writing = uses;
    const places = this.#networks.take();
    if (uses.size === 0 && places.length === 0) return;
    try {
      await this.#store.write(async (tx) => {
        for (const [id, at] of uses) await setLastUse.run(tx, { id, at });
        for (const place of places) await upsertUse.run(tx, place);
      });
    } catch {
      // Nothing depends on it, and the next hour's use is recorded again.
    } finally {
      this.#writing = new Map();
    }
  }
}

const setLastUse = prepare((db, use: { id: string; at: Instant }) =>
  db
    .updateTable('tokens')
    .set({ last_used_at: use.at })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', use.at)])),
);
