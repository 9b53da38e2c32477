import { DAY_MS } from '@ws01/asmx/time';
import { deleteExpired } from '../../store/delete-expired.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { recentlyUsed } from '../../turns/memory.ts';
import { removeBefore } from '../shared/batches.ts';

/** How long a network is known to a token after its use (semantics 3); ms. */
const KNOWN_MS = 30 * DAY_MS;

/** Precision of stored uses: at most one write per token and network in this time; ms. */
const STEP_MS = DAY_MS;

/** Maximum number of uses in memory, about 10 MB; the oldest are written again, without effect. */
const USES_KEPT = 50_000;

interface Use {
  readonly tokenId: string;
  readonly network: string;
  readonly at: Instant;
}

/** The networks from which tokens were used. It never delays a call. */
export class KnownNetworks {
  readonly #store: Store;
  readonly #uses = recentlyUsed<Use>(USES_KEPT);
  #unwritten = new Map<string, Use>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** @returns whether the use must be written. */
  note(tokenId: string, network: string, now: Instant): boolean {
    const id = `${tokenId} ${network}`;
    const before = this.#uses.get(id);
    if (before !== undefined && now - before.at < STEP_MS) return false;
    const use = { tokenId, network, at: now };
    this.#uses.set(id, use);
    this.#unwritten.set(id, use);
    return true;
  }

  /**
   * Whether a token was used from a network recently.
   * @throws {DependencyError}
   */
  async knows(tokenId: string, network: string, now: Instant): Promise<boolean> {
    const noted = this.#uses.get(`${tokenId} ${network}`);
    if (noted !== undefined && now - noted.at < KNOWN_MS) return true;
    const after = now - KNOWN_MS;
    return (
      (await this.#store.read((db) => useSince.first(db, { tokenId, network, after }))) !==
      undefined
    );
  }

  /** Returns the uses to write, which count as written from now on. */
  take(): readonly Use[] {
    const taken = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    return taken;
  }
}

/** Deletes uses that are too old to count. */
export function purgeTokenNetworks(store: Store, now: Instant): Promise<number> {
  return removeBefore(store, deleteUses, now - KNOWN_MS);
}

const useSince = prepare((db, key: { tokenId: string; network: string; after: Instant }) =>
  db
    .selectFrom('token_networks')
    .select('used_at')
    .where('token_id', '=', key.tokenId)
    .where('network', '=', key.network)
    .where('used_at', '>', key.after),
);

/** Writes a use. */
export const upsertUse = prepare((db, use: Use) =>
  db
    .insertInto('token_networks')
    .values({ token_id: use.tokenId, network: use.network, used_at: use.at })
    .onConflict((conflict) =>
      conflict
        .columns(['token_id', 'network'])
        .doUpdateSet((eb) => ({ used_at: eb.ref('excluded.used_at') })),
    ),
);

const deleteUses = deleteExpired('token_networks', ['token_id', 'network'], 'used_at');
