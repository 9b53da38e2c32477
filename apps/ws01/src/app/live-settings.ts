import type { Kysely } from 'kysely';
import type { Peers } from '../cluster/peers.ts';
import { type Config, ConfigError, shownSettings } from '../config/config.ts';
import {
  assertSettingValue,
  isSecret,
  LiveSettings,
  maskedValue,
  mayChange,
} from '../config/live.ts';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import type { Actor } from '../domain/audit/audit.ts';
import type { Clock } from '../domain/context.ts';
import { changeSetting, noSetting, storedSettings } from '../domain/settings/settings.ts';
import { periodically } from '../domain/shared/periodic.ts';
import { lockName } from '../store/row-lock.ts';
import type { Store } from '../store/store.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import type { PeerMessage } from './peer-messages.ts';

/** Interval at which a process reads what others have changed; ms. */
const READ_EVERY_MS = 2_000;

/** A change of a setting. */
interface SettingChange {
  readonly variable: string;
  /** `null` for what it is when nobody has changed it. */
  readonly value: string | null;
  /** What an error about the value names; `value` if absent. */
  readonly parameter?: string;
}

/** Changes that somebody asks for: all are made, or none. */
interface AskedChanges {
  /**
   * Called when {@link FollowedSettings.config} has what others changed, and nobody else changes
   * it.
   */
  readonly changes: () => readonly SettingChange[];
  readonly by: Actor;
  /** Whether it is only checked. */
  readonly isPreview?: boolean;
}

/** When a setting was changed while the service ran, and by whom. */
interface Change {
  readonly changedAt: Instant;
  readonly changedBy: string | null;
}

/** The settings of this process, which follow what is changed on any node. */
export interface FollowedSettings {
  /** Reads follow changes: keep the object, and read its members when they are needed. */
  readonly config: Config;
  readonly shown: () => readonly (ReturnType<LiveSettings['shown']>[0] & {
    readonly isFixed: boolean;
    readonly isSecret: boolean;
    readonly change: Change | undefined;
  })[];
  /**
   * Changes settings on every node: in this process and its peers at once, on the others within
   * seconds.
   * @returns whether that changed anything.
   * @throws {Ws01Error} `NotFound`, `Forbidden` for what the environment fixes, `InvalidParameter`
   */
  readonly change: (asked: AskedChanges) => Promise<boolean>;
  close(): Promise<void>;
}

/** Reads what was changed, before anything uses the settings, and from then on. */
export async function followSettings(
  base: Config,
  store: Store,
  clock: Clock,
  peers: Pick<Peers<PeerMessage>, 'tell' | 'hear'>,
): Promise<FollowedSettings> {
  const live = new LiveSettings(base, shownSettings(base));
  let changes: ReadonlyMap<string, Change> = new Map();
  let [begun, taken] = [0, 0];
  const read = async (db: Kysely<Tables>) => {
    const turn = ++begun;
    take(await storedSettings(db), turn);
  };
  const take = (stored: Awaited<ReturnType<typeof storedSettings>>, turn: number) => {
    // Of two reads at once, the one that began last has what is newer.
    if (turn < taken) return;
    taken = turn;
    live.take(stored);
    changes = new Map(
      stored.map(({ variable, changed_at, changed_by }) => [
        variable,
        { changedAt: Number(changed_at), changedBy: changed_by },
      ]),
    );
  };
  await store.read(read);
  const reading = periodically(READ_EVERY_MS, () => store.read(read));
  // A page that shows what was saved may come from another process of the node.
  peers.hear(({ about }) => {
    if (about === 'settings') store.read(read).catch(() => {});
  });
  return {
    config: live.config,
    shown: () =>
      live.shown().map((one) => ({
        ...one,
        isFixed: !mayChange(one.variable) || live.isFixed(one.variable),
        isSecret: isSecret(one.variable),
        change: live.isFixed(one.variable) ? undefined : changes.get(one.variable),
      })),
    async change({ changes, by, isPreview = false }) {
      if (isPreview) {
        for (const one of changes()) assertChange(live, one);
        return false;
      }
      const hasChanged = await store.write(async (tx) => {
        lockName(tx, 'settings');
        // Its turn is when it has the lock: what others began to read while it waited is older.
        const stored = await storedSettings(tx);
        take(stored, ++begun);
        const at = clock();
        let hasChanged = false;
        for (const one of changes()) {
          assertChange(live, one);
          const masked = (text: string) => maskedValue(one.variable, text);
          hasChanged = (await changeSetting(tx, { ...one, at, by, masked })) || hasChanged;
        }
        return hasChanged;
      });
      await store.read(read);
      if (hasChanged) peers.tell({ about: 'settings' });
      return hasChanged;
    },
    close: () => reading.stop(),
  };
}

function assertChange(
  live: LiveSettings,
  { variable, value, parameter: about = 'value' }: SettingChange,
): void {
  const parameter = 'variable';
  if (!live.shown().some((one) => one.variable === variable)) throw noSetting(variable);
  if (!mayChange(variable) || live.isFixed(variable)) {
    const message = say`${{ variable }} is fixed by the environment of the service; change it there.`;
    throw new Ws01Error('Forbidden', message, { parameter });
  }
  try {
    if (value !== null) assertSettingValue(variable, value);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = say`This is no value for the setting: ${{ reason: error.message }}`;
    throw new Ws01Error('InvalidParameter', message, { parameter: about });
  }
}
