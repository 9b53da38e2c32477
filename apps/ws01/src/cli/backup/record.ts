import type { Config } from '../../config/config.ts';
import type { BackupManifest } from '../../domain/backup/manifest.ts';
import { beginRecord, endRecord } from '../../domain/backup/records.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { openStore } from '../../store/open.ts';
import { remark } from '../io/output.ts';

/** The row with the result of a backup. */
export interface BackupRecord {
  /** Tells how it ended: with what it is, or with what failed. */
  end(outcome: BackupManifest | string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Records in the database that a backup is begun, for `ws01 status` and the metrics. A database of another version is
 * backed up all the same: that is what a backup before an upgrade is.
 * @returns `not due` when the scheduled time is somebody else's.
 */
export async function openRecord(
  { databaseUrl, databaseFlavour: flavour, dataDir }: Config,
  begun: { readonly slot: number | null; readonly target: string; readonly name: string },
): Promise<BackupRecord | 'not due'> {
  let store: Awaited<ReturnType<typeof openStore>>;
  try {
    store = await openStore({
      databaseUrl,
      flavour,
      dataDir,
      poolSize: 1,
      startTimeout: 3_000,
      guest: true,
      schema: 'require',
    });
  } catch (error) {
    // Whatever else is wrong with the database, the copy tells.
    if (isFailureOf('database', error, 'incompatible')) remark(`The backup is not recorded: ${error.message}`);
    return { end: async () => {}, close: async () => {} };
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
    close: () => store.close(),
  };
}
