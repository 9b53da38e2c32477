import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Kysely } from 'kysely';
import { openFiles } from '../../adapters/files/open.ts';
import { type Config, toolEnvironment } from '../../config/config.ts';
import { recordInAnyVersion } from '../../domain/audit/audit.ts';
import type { Source } from '../../domain/backup/location.ts';
import type { BackupManifest } from '../../domain/backup/manifest.ts';
import { endInCopy } from '../../domain/backup/records.ts';
import { type Restored, restore } from '../../domain/backup/restore.ts';
import { filesIdIn, handOver } from '../../domain/images/file-owner.ts';
import { countStates } from '../../domain/outbox/rows.ts';
import type { OnProgress } from '../../domain/shared/progress.ts';
import { openStore, openUnchanged } from '../../store/open.ts';
import { logOf, SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store, StoreOptions } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { isOpenByService } from '../io/open-elsewhere.ts';
import { examinerOf } from './location.ts';

const UNWRITTEN =
  'The restored database could not be written whole; the disk may be full. Nothing was replaced.';

export const IN_USE = 'A service has the database open; stop it first. Nothing was done.';

/** Who restores, and what goes into the restored database. */
interface Replacement {
  readonly config: Config;
  /** Of the backup. */
  readonly name: string;
  /** A folder for the database that is there; created if there is one. */
  readonly keptIn: string;
  /** Whether the database that is there is kept. */
  readonly keeps: boolean;
  /** Whether missing image files are restored, too. */
  readonly files: boolean;
  /** What the audit trail of the restored database says. */
  readonly details: Readonly<Record<string, string>>;
  /**
   * What the service writes besides, in a database of this version; absent: the database stays of
   * the version that it has.
   */
  readonly settle?: (tx: Kysely<Tables>) => Promise<void>;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** What came of it. */
interface Replaced extends Restored {
  /** Mails that are sent when the service starts. */
  readonly waiting: number;
  /** Whether the image files belong to the restored database. */
  readonly handed: boolean;
}

/**
 * Replaces the database of a service, which is stopped, by that of a backup. On SQLite the other
 * database is complete before it takes the place of the one that is there.
 * @throws {DependencyError} for a damaged backup, and when another process has the database open.
 */
export async function replaceBy(source: Source, replacement: Replacement): Promise<Replaced> {
  const { config, keptIn, keeps, files, onProgress, signal } = replacement;
  // A copy without a manifest has its images on disk, where its service kept them.
  const withFiles =
    files &&
    (source.manifest?.images !== undefined || (!source.manifest && config.files.kind === 'disk'));
  const images = await openFiles(config.files, config.dataDir);
  const before = await filesIdAt(config);
  let waiting = 0;
  try {
    const restored = await restore({
      source,
      examine: examinerOf(config),
      replace: async (path) => {
        waiting = await replace(path, source, replacement);
      },
      files: withFiles ? images : undefined,
      // Objects in S3 cannot be hard-linked; the bucket's versions keep them.
      keptIn: config.files.kind === 'disk' && keeps ? keptIn : undefined,
      dataDir: config.dataDir,
      onProgress,
      signal,
    });
    const handed = await handOver(images.store, before, await filesIdAt(config)).catch(() => false);
    return { ...restored, waiting, handed };
  } finally {
    images.store.close();
  }
}

/** @returns the number of waiting mails. */
async function replace(path: string, source: Source, to: Replacement): Promise<number> {
  const { config, keptIn, keeps, signal } = to;
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === undefined) {
    const { replaceDatabase } = await import('../../store/sqlite/replace.ts');
    const waiting = await settle({ dataDir: dirname(path) }, source.manifest, to);
    // What could not be put into the one file, as on a full disk, would be lost.
    if (existsSync(logOf(path))) throw new CommandFailure(UNWRITTEN);
    signal.throwIfAborted();
    await replaceDatabase(path, join(dataDir, SQLITE_FILE), keptIn);
    return waiting;
  }
  const { restoreDump, saveDump } = await import('../../store/postgres/snapshot.ts');
  if (keeps) await saveDump(keptIn, databaseUrl, toolEnvironment(), signal);
  // The check of the backup took its time.
  if (await isOpenByService(config)) throw new CommandFailure(IN_USE);
  await restoreDump(path, databaseUrl, toolEnvironment());
  return settle({ databaseUrl, dataDir }, source.manifest, to);
}

/**
 * Records in the restored database that it was restored; and the end of the backup itself, which
 * was being made when it was copied.
 * @returns the number of waiting mails.
 */
async function settle(
  at: Pick<StoreOptions, 'databaseUrl' | 'dataDir'>,
  manifest: BackupManifest | undefined,
  { name, details, settle: more }: Replacement,
): Promise<number> {
  const options = { ...at, poolSize: 1, guest: true };
  const store = await (more === undefined ? openUnchanged(options) : openStore(options));
  try {
    await store.write(async (tx) => {
      // Earlier versions have no such table.
      if (manifest?.rows.backups !== undefined) await endInCopy(tx, name, manifest);
      if (more !== undefined) return more(tx);
      await recordInAnyVersion(tx, {
        at: Date.now(),
        tokenId: undefined,
        action: 'database.restore',
        target: { kind: 'database', key: undefined },
        address: undefined,
        details,
      });
    });
    return await waitingMails(store);
  } finally {
    await store.close();
  }
}

async function waitingMails(store: Store): Promise<number> {
  const counts = await store.read((db) => countStates(db, 'mail'));
  return (counts.get('queued') ?? 0) + (counts.get('deferred') ?? 0) + (counts.get('sending') ?? 0);
}

/**
 * Returns the id of the files that belong to the database; `undefined` if it has none, or cannot be
 * read.
 */
async function filesIdAt({ databaseUrl, dataDir }: Config): Promise<string | undefined> {
  try {
    const store = await openUnchanged({
      databaseUrl,
      dataDir,
      poolSize: 1,
      guest: true,
      readsOnly: true,
      schema: 'require',
    });
    try {
      return await store.read(filesIdIn);
    } finally {
      await store.close();
    }
  } catch {
    // A database of an earlier version, or a damaged one.
    return undefined;
  }
}
