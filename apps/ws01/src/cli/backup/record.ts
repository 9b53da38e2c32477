import { operatorName } from '../../adapters/operator.ts';
import type { Config } from '../../config/config.ts';
import { auditAct } from '../../domain/audit/audit.ts';
import { type BackupManifest, nameOfMoment } from '../../domain/backup/manifest.ts';
import {
  type BackupProgress,
  backupOfName,
  beginCheck,
  beginRecord,
  begunCheck,
  type CheckResult,
  endCheck,
  endRecord,
  tellProgress,
  verifiedNames,
} from '../../domain/backup/records.ts';
import type { OnBackupStep } from '../../domain/backup/verify.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { shellWord } from '../../failure/shell-word.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { remark } from '../io/output.ts';

/** How often progress is recorded; ms. */
const TOLD_EVERY_MS = 2_000;

/**
 * Where there is none, every so many times it is recorded that the work goes on: a minute later it
 * counts as gone.
 */
const TOLD_ANYWAY = 5;

/** The database row of work in progress. */
interface WorkRecord<Outcome> {
  /** Records how far it is. */
  readonly tell: OnBackupStep;
  /** Writes the result. */
  end(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

/**
 * The database row of a backup in progress; its result is the manifest, or the reason of the
 * failure.
 */
export interface BackupRecord extends WorkRecord<BackupManifest | string> {
  readonly name: string;
  /** The names of the verified backups that are recorded; none where nothing is recorded. */
  verified(): Promise<ReadonlySet<string>>;
}

const UNRECORDED: WorkRecord<unknown> = {
  tell: () => {},
  end: async () => {},
  close: async () => {},
};

/**
 * Records the start of a backup, for `ws01 status`, the metrics and the console. A database of
 * another version, as before an upgrade, and one whose disk is full are backed up without a record.
 * @param begun `name`: `undefined` for one that is made from the present time.
 * @returns `not due` when another process makes the scheduled backup.
 */
export async function openRecord(
  config: Config,
  begun: Omit<Parameters<typeof beginRecord>[1], 'now'>,
): Promise<BackupRecord | 'not due'> {
  const store = await openForRecord(config);
  const name = begun.name ?? nameOfMoment(Date.now());
  const unrecorded = { ...UNRECORDED, name, verified: async () => new Set<string>() };
  if (store === undefined) return unrecorded;
  let started: Awaited<ReturnType<typeof beginRecord>>;
  try {
    started = await closingAtFailure(store, () =>
      beginRecord(store, { ...begun, now: Date.now() }),
    );
  } catch (error) {
    // On a full disk a copy to another one is wanted most.
    if (!isFailureOf('database', error, 'unavailable')) throw error;
    remark(`The backup is not recorded: ${error.message}`);
    return unrecorded;
  }
  if (started === undefined) {
    await store.close();
    return 'not due';
  }
  const { id } = started;
  return {
    ...recordOf(store, id, (outcome) => endRecord(store, id, outcome, Date.now())),
    name: started.name,
    verified: () => verifiedNames(store),
  };
}

/** Which backup is checked. */
interface CheckedBackup {
  readonly name: string;
  /** What the record of it may have as its place. */
  readonly targets: readonly string[];
  /** The record, where the service has begun the check. */
  readonly begunFor: string | undefined;
}

/**
 * Records the start of a check. Of a backup that the database does not know, there is no record.
 * @throws {Ws01Error} as {@link beginCheck}.
 */
export async function openCheckRecord(
  config: Config,
  { name, targets, begunFor }: CheckedBackup,
): Promise<WorkRecord<CheckResult>> {
  const store = await openForRecord(config);
  if (store === undefined) return UNRECORDED;
  const check = await closingAtFailure(store, async () => {
    if (begunFor !== undefined) {
      const begun = await begunCheck(store, begunFor);
      if (begun !== undefined && !targets.includes(begun.target)) {
        throw new CommandFailure(
          `The backup is in ${begun.target}; verify it there: ws01 backup --verify ${shellWord(begun.target)}`,
        );
      }
      return begun;
    }
    const id = await backupOfName(store, name, targets);
    if (id === undefined) return undefined;
    return store.write(async (tx) => {
      const now = Date.now();
      await auditAct(tx, 'backup.verify', id, now, undefined);
      return beginCheck(tx, { id, by: operatorName(), now });
    });
  });
  if (check === undefined) {
    await store.close();
    return UNRECORDED;
  }
  return recordOf(store, check.id, (result) => endCheck(store, check, result, Date.now()));
}

async function openForRecord({ databaseUrl, dataDir }: Config): Promise<Store | undefined> {
  const options = { poolSize: 1, startTimeout: 3_000, guest: true, schema: 'require' } as const;
  try {
    return await openStore({ databaseUrl, dataDir, ...options });
  } catch (error) {
    if (isFailureOf('database', error, 'misconfigured')) throw error;
    // The copy reports any other error of the database.
    if (isFailureOf('database', error, 'incompatible'))
      remark(`The backup is not recorded: ${error.message}`);
    return undefined;
  }
}

async function closingAtFailure<T>(store: Store, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await store.close();
    throw error;
  }
}

function recordOf<Outcome>(
  store: Store,
  id: string,
  end: (outcome: Outcome) => Promise<void>,
): WorkRecord<Outcome> {
  let progress: BackupProgress | undefined;
  let told: BackupProgress | undefined;
  let rounds = 0;
  let writing = Promise.resolve();
  const timer = setInterval(() => {
    rounds += 1;
    if (progress === told && rounds % TOLD_ANYWAY !== 0) return;
    told = progress;
    // Whoever cannot write this cannot write the end either, and that is reported.
    writing = writing.then(() => tellProgress(store, id, told, Date.now())).catch(() => {});
  }, TOLD_EVERY_MS).unref();
  const stop = () => {
    clearInterval(timer);
    return writing;
  };
  return {
    tell(step, done, total) {
      progress = { step, ...(total === 0 ? { done: null, total: null } : { done, total }) };
    },
    async end(outcome) {
      await stop();
      await end(outcome).catch((error) => remark(`The backup is not recorded: ${error.message}`));
    },
    async close() {
      await stop();
      await store.close();
    },
  };
}
