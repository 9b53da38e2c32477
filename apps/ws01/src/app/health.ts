import { HOUR_MS, within } from '@ws01/asmx/time';
import type { Config } from '../config/config.ts';
import { backupLateness } from '../domain/backup/lateness.ts';
import { backupState } from '../domain/backup/records.ts';
import { doubtOf, doubtText } from '../domain/retention/absence.ts';
import { HOLD_REMEDY, purgeHeldSince } from '../domain/retention/purge-clock.ts';
import { lostCommits } from '../store/lost-commits.ts';
import type { Store } from '../store/store.ts';
import { HealthChecks, PublicFailure } from '../web/health.ts';
import type { Certificate } from '../web/listening.ts';
import { endOfCertificate } from './certificate.ts';
import { disksOf, isShort, shortageOf } from './disks.ts';
import { LibrariesUntried, tryLibraries } from './library-trial.ts';
import type { ResourceDeps, Resources, ServiceLog } from './resources.ts';

/**
 * Creates the checks of `/readyz`. Without the database or a library no call can be served. Without
 * the files, the mail server or the SMS gateway, other operations still work, and mails and codes
 * wait in the outbox. A disk that fills up, a paused purge, or a certificate that ends soon does no
 * harm yet.
 * @param certificate the one in use, once the service listens.
 */
export function createHealthChecks(
  { store, log, config }: ResourceDeps,
  { files, outgoing }: Pick<Resources, 'files' | 'outgoing'>,
  certificate: () => Certificate | undefined,
): HealthChecks {
  const startedAt = Date.now();
  const parts = [
    { name: 'database', failing: 'down', check: () => store.check() },
    { name: 'libraries', failing: 'down', check: librariesTried },
    { name: 'processes', failing: 'degraded', check: assertProcesses },
    { name: 'disk', failing: 'degraded', check: () => assertRoom(config) },
    { name: 'log', failing: 'degraded', check: async () => assertLogged(log) },
    { name: 'purge', failing: 'degraded', check: () => assertPurges(store) },
    { name: 'commits', failing: 'degraded', check: () => assertNoLoss(store) },
    { name: 'sweep', failing: 'degraded', check: () => assertSweeps(store) },
    ...(!config.isBackupToSet
      ? []
      : [
          {
            name: 'backup',
            failing: 'degraded',
            check: () => assertBackups(store, config, startedAt),
          } as const,
        ]),
    ...(config.tlsCertFile === undefined
      ? []
      : [
          {
            name: 'certificate',
            failing: 'degraded',
            check: async () => assertInTime(certificate()),
          } as const,
        ]),
    { name: 'files', failing: 'degraded', check: () => files.store.check() },
    ...outgoing.reachable.map(({ name, check }) => ({ name, failing: 'degraded', check }) as const),
  ] as const;
  return new HealthChecks(parts, log);
}

/** @throws when a disk has less free space than it should. */
async function assertRoom(config: Config): Promise<void> {
  const short = (await disksOf(config)).filter((disk) => isShort(disk, config.diskWarnBelow));
  if (short.length > 0) throw new Error(short.map(shortageOf).join(' '));
}

/** @throws while the log cannot be written. */
function assertLogged({ trouble }: ServiceLog): void {
  const code = trouble?.();
  if (code !== undefined)
    throw new PublicFailure(
      `Lines of the log are lost, it cannot be written: ${code}. Make room on its disk.`,
    );
}

/** @throws when the certificate ends soon, or has. */
function assertInTime(certificate: Certificate | undefined): void {
  const end = certificate && endOfCertificate(certificate, Date.now());
  if (end !== undefined) throw new PublicFailure(end);
}

/** @throws when purges are paused because the clock is not trusted. */
async function assertPurges(store: Store): Promise<void> {
  const since = await soon(store.read(purgeHeldSince));
  if (since !== undefined)
    throw new PublicFailure(`Nothing is purged since the clock is not believed; ${HOLD_REMEDY}.`);
}

/**
 * @throws when the database has lost commits, until somebody accepts it; when a later loss would
 *   not be noticed.
 */
async function assertNoLoss(store: Store): Promise<void> {
  if (store.unmarked !== undefined) throw new PublicFailure(UNMARKED, { cause: store.unmarked });
  const lost = await soon(store.read(lostCommits));
  if (lost === undefined) return;
  throw new PublicFailure(
    `The database has lost ${lost.commits} commits; bring the last backup back (ws01 restore), or run ws01 db accept-loss.`,
  );
}

const UNMARKED =
  'The number of the last commit cannot be written to ws01.commits, so that a later loss of commits would not be noticed; make room for the file and let the user of the service write it, or stop the service, delete the file and start again.';

/**
 * @throws when files without a record are not swept, because it is not believed that they are
 *   needed by nobody.
 */
async function assertSweeps(store: Store): Promise<void> {
  const doubt = await soon(store.read(doubtOf));
  if (doubt !== undefined) throw new PublicFailure(`${sentence(doubtText(doubt.why))}.`);
}

/** How long a service that has never tried to make a backup may take to try; ms. */
const FIRST_BACKUP_MS = HOUR_MS;

/** @throws when the scheduled backups are late, which they are when the first one failed. */
async function assertBackups(
  store: Store,
  { backupSchedule }: Config,
  startedAt: number,
): Promise<void> {
  const state = await soon(store.read(backupState));
  if (state === undefined) return;
  const now = Date.now();
  const late = backupLateness(state, backupSchedule, now);
  if (late === undefined || (state.last === undefined && now - startedAt < FIRST_BACKUP_MS)) return;
  const what =
    late === 'never'
      ? 'There is no good backup'
      : 'The last good backup is older than the schedule asks for';
  throw new PublicFailure(`${what}; ws01 status says why, ws01 backup makes one.`);
}

/** Returns what a query finds soon. A database failure is reported by its own check. */
function soon<T>(query: Promise<T>): Promise<T | undefined> {
  return within(
    TRIAL_MS,
    query.catch(() => undefined),
  );
}

function sentence(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/**
 * How long a probe waits for the library trial and the database checks; until they end, nothing is
 * reported against them; ms.
 */
const TRIAL_MS = 500;

/** @throws when a library cannot be used; not when it could not be tried. */
async function librariesTried(): Promise<void> {
  await within(TRIAL_MS, tryLibraries().catch(unlessUntried));
}

function unlessUntried(error: unknown): void {
  if (!(error instanceof LibrariesUntried)) throw error;
}

/**
 * @throws when the system started no process for the trial of the libraries. The next probe tries
 *   again.
 */
async function assertProcesses(): Promise<void> {
  const untried = await within(TRIAL_MS, tryLibraries().then(noError, asItIs));
  if (untried instanceof LibrariesUntried) throw untried;
}

const noError = (): undefined => undefined;
const asItIs = (error: unknown): unknown => error;
