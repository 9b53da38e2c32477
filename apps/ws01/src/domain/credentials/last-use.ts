import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { type KnownNetworks, writeUse } from './known-networks.ts';
import type { KnownToken } from './token-cache.ts';

/** How coarsely the last use is kept: at most one write a token in this time. */
const STEP_MS = 3_600_000;

/** Uses noted meanwhile are written together. */
const FLUSH_MS = 1_000;

/** Keeps when tokens were last used, to the hour, and from which networks, to the day. It never delays a call and never fails one. */
interface LastUse {
  note(token: KnownToken, network: string, now: Instant): void;
  /** Writes down what was noted. */
  close(): Promise<void>;
}

export function createLastUse(store: Store, networks: KnownNetworks): LastUse {
  let noted = new Map<string, Instant>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = noted;
    noted = new Map();
    const places = networks.take();
    if (uses.size === 0 && places.length === 0) {
      return;
    }
    try {
      await store.write(async (tx) => {
        for (const [id, at] of uses) {
          setLastUse.send(tx, { id, at });
        }
        for (const place of places) {
          await writeUse(tx, place);
        }
      });
    } catch {
      // Nothing depends on it, and the next hour's use is noted again.
    }
  }

  return {
    note(token, network, now) {
      const id = token.caller.tokenId!;
      if (networks.note(id, network, now)) {
        timer ??= setTimeout(flush, FLUSH_MS).unref();
      }
      if (now - token.lastUsedAt < STEP_MS) {
        return;
      }
      // Looked up anew before it was written down.
      token.lastUsedAt = noted.get(id) ?? now;
      noted.set(id, token.lastUsedAt);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    close: flush,
  };
}

const setLastUse = prepare((db, use: { id: string; at: Instant }) =>
  db
    .updateTable('tokens')
    .set({ last_used_at: use.at })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', use.at)])),
);
