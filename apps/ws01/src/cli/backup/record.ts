import type { Config } from '../../config/config.ts';
import type { BackupManifest } from '../../domain/backup/manifest.ts';
import { beginRecord, endRecord, isNameTaken, verifiedNames } from '../../domain/backup/records.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { openStore } from '../../store/open.ts';
import { remark } from '../io/output.ts';

/** The database row of a backup in progress. */
export interface BackupRecord {
  /** Writes the result: the manifest, or the reason of the failure. */
  end(outcome: BackupManifest | string): Promise<void>;
  /** The names of the verified backups that are recorded; none where nothing is recorded. */
  verified(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/**
 * Records the start of a backup, for `ws01 status` and the metrics. A database of another version is backed up without
 * a record, for example before an upgrade.
 * @param ofMoment whether the name is of this second.
 * @returns `not due` when another process makes the scheduled backup; `name taken` when one began in this second.
 */
export async function openRecord(
  { databaseUrl, dataDir }: Config,
  begun: { readonly slot: number | null; readonly target: string; readonly name: string },
  ofMoment: boolean,
): Promise<BackupRecord | 'not due' | 'name taken'> {
  let store: Awaited<ReturnType<typeof openStore>>;
  try {
    store = await openStore({
      databaseUrl,
      dataDir,
      poolSize: 1,
      startTimeout: 3_000,
      guest: true,
      schema: 'require',
    });
  } catch (error) {
    // The copy reports any other error of the database.
    if (isFailureOf('database', error, 'incompatible'))
      remark(`The backup is not recorded: ${error.message}`);
    return { end: async () => {}, verified: async () => new Set(), close: async () => {} };
  }
  if (ofMoment && (await isNameTaken(store, begun.name))) {
    await store.close();
    return 'name taken';
  }
  const id = await beginRecord(store, { ...begun, now: Date.now() }).catch(async (error) => {
    await store.close();
    throw error;
  });
  if (id === undefined) {
    await store.close();
    return 'not due';
  }
  return {
    end: (outcome) =>
      endRecord(store, id, outcome, Date.now()).catch((error) =>
        remark(`The backup is not recorded: ${error.message}`),
      ),
    verified: () => verifiedNames(store),
    close: () => store.close(),
  };
}
