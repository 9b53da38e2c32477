import type { Config } from '../../config/config.ts';
import { type BackupManifest, nameOfMoment } from '../../domain/backup/manifest.ts';
import { beginRecord, endRecord, verifiedNames } from '../../domain/backup/records.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { openStore } from '../../store/open.ts';
import { remark } from '../io/output.ts';

/** The database row of a backup in progress. */
export interface BackupRecord {
  readonly name: string;
  /** Writes the result: the manifest, or the reason of the failure. */
  end(outcome: BackupManifest | string): Promise<void>;
  /** The names of the verified backups that are recorded; none where nothing is recorded. */
  verified(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/**
 * Records the start of a backup, for `ws01 status` and the metrics. A database of another version is backed up without
 * a record, for example before an upgrade.
 * @param begun `name`: `undefined` for one that is made from the present time.
 * @returns `not due` when another process makes the scheduled backup.
 */
export async function openRecord(
  { databaseUrl, dataDir }: Config,
  begun: Omit<Parameters<typeof beginRecord>[1], 'now'>,
): Promise<BackupRecord | 'not due'> {
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
    if (isFailureOf('database', error, 'misconfigured')) throw error;
    // The copy reports any other error of the database.
    if (isFailureOf('database', error, 'incompatible'))
      remark(`The backup is not recorded: ${error.message}`);
    return {
      name: begun.name ?? nameOfMoment(Date.now()),
      end: async () => {},
      verified: async () => new Set(),
      close: async () => {},
    };
  }
  const started = await beginRecord(store, { ...begun, now: Date.now() }).catch(async (error) => {
    await store.close();
    throw error;
  });
  if (started === undefined) {
    await store.close();
    return 'not due';
  }
  const { id } = started;
  return {
    name: started.name,
    end: (outcome) =>
      endRecord(store, id, outcome, Date.now()).catch((error) =>
        remark(`The backup is not recorded: ${error.message}`),
      ),
    verified: () => verifiedNames(store),
    close: () => store.close(),
  };
}
