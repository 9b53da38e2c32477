import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { signalAfter } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { remedyOf } from '../../adapters/files/errors.ts';
import { openFiles } from '../../adapters/files/open.ts';
import { endOfCertificate, readCertificate } from '../../app/certificate.ts';
import { disksOf, isShort, networkDisk, shortageOf } from '../../app/disks.ts';
import { LibrariesUntried, tryLibraries } from '../../app/library-trial.ts';
import { tryMailServer } from '../../app/mail-trial.ts';
import { type Config, publicAddresses, settingWarnings } from '../../config/config.ts';
import { backupLateness } from '../../domain/backup/lateness.ts';
import { backupState, scheduledSince } from '../../domain/backup/records.ts';
import { remedyIn } from '../../failure/remedy.ts';
import { shellWord } from '../../failure/shell-word.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { Store } from '../../store/store.ts';
import { changedConfig } from '../io/changed-config.ts';
import { counted } from '../io/output.ts';
import { openForReading } from '../io/session.ts';

/** The result of a check. */
export interface Result {
  readonly state: 'ok' | 'warn' | 'fail' | 'skipped';
  readonly what: string;
  /** The remedy for a problem. */
  readonly remedy?: string;
}

export interface Check {
  readonly name: string;
  readonly run: (config: Config) => Promise<readonly Result[]>;
}

/** Timeout of other servers; ms. */
const TIMEOUT_MS = 5_000;

/** Maximum difference between clocks; ms. */
const CLOCK_MS = 2_000;

const ok = (what: string): Result => ({ state: 'ok', what });
const warn = (what: string, remedy: string): Result => ({ state: 'warn', what, remedy });
const fail = (what: string, remedy: string): Result => ({ state: 'fail', what, remedy });
const skipped = (what: string): Result => ({ state: 'skipped', what });

/** Less room than this takes no commit and no upload; bytes. */
const FULL_BYTES = 1024 ** 2;

const NEEDED_NODE = 26;

export const CHECKS: readonly Check[] = [
  {
    name: 'settings',
    run: async (config) => [
      ...settingWarnings().map((line) => warn(line, 'ws01 config lists the settings')),
      ...(config.baseUrl === undefined
        ? [
            warn(
              'BASE_URL is not set: links in mails say http://localhost',
              'set BASE_URL to the public URL',
            ),
          ]
        : []),
      ...(config.rateLimits ? [] : [warn('RATE_LIMITS is off', 'leave it on in production')]),
      ...certificateResults(config),
      ok('they can be used'),
    ],
  },
  {
    name: 'node',
    run: async (config) => [
      Number(process.versions.node.split('.')[0]) >= NEEDED_NODE
        ? ok(`${process.versions.node}, ${processesOf(config)}`)
        : fail(
            `Node ${process.versions.node} is too old`,
            `install Node ${NEEDED_NODE}, see docs/deployment.md`,
          ),
    ],
  },
  { name: 'libraries', run: async () => [await checkLibraries()] },
  {
    name: 'files',
    run: async (config) => [
      await dataFolder(config),
      ...(await networkFolder(config)),
      ...(await fileOwners(config)),
    ],
  },
  {
    name: 'disk',
    run: async (config) =>
      (await disksOf(config)).map((disk) =>
        isShort(disk, config.diskWarnBelow)
          ? (disk.free < FULL_BYTES && !disk.isForBackups ? fail : warn)(
              shortageOf(disk),
              'delete what is not of the service, then old backups; or use a larger disk',
            )
          : ok(`${disk.folder}: ${Math.floor((100 * disk.free) / disk.size)} % free`),
      ),
  },
  { name: 'database', run: checkDatabase },
  { name: 'images', run: async (config) => [await checkFiles(config)] },
  { name: 'backup', run: checkBackups },
  { name: 'mail', run: async (config) => [await checkMail(config)] },
  { name: 'sms', run: async (config) => [await checkSms(config)] },
  { name: 'proxy', run: checkProxy },
];

/** A certificate that ends soon, or has ended; nothing without TLS. */
function certificateResults(config: Config): readonly Result[] {
  const certificate = readCertificate(config);
  const end = certificate && endOfCertificate(certificate, Date.now());
  if (end === undefined) return [];
  const { what, remedy = 'renew it' } = remedyIn(end);
  return [(what.includes(' ended ') ? fail : warn)(what, remedy)];
}

/**
 * What `/readyz` checks, too: without the images' library none can be stored, though its folder can
 * be written.
 */
async function checkLibraries(): Promise<Result> {
  // The trial by itself keeps no process from ending.
  const held = setInterval(() => {}, TIMEOUT_MS);
  try {
    await tryLibraries();
    return ok('all can be loaded, that for images among them');
  } catch (error) {
    const { what, remedy = 'see its log' } = remedyIn((error as Error).message);
    return error instanceof LibrariesUntried ? warn(what, remedy) : fail(what, remedy);
  } finally {
    clearInterval(held);
  }
}

/** How many processes serve, on how many cores. */
function processesOf({ workers }: Config): string {
  const cores = availableParallelism();
  return `${counted(workers, 'process', 'processes')} on ${counted(cores, 'core')}`;
}

async function dataFolder({ dataDir }: Config): Promise<Result> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { mode } = await stat(dataDir);
    return (mode & 0o007) === 0
      ? ok(`${dataDir} can be written`)
      : warn(
          `${dataDir} can be read by every user of this machine`,
          `chmod o-rwx ${shellWord(resolve(dataDir))}`,
        );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && (await canBeWritten(await nearest(dataDir))))
      return ok(`${dataDir} is not there yet; the service makes it`);
    const remedy = code === 'EACCES' ? undefined : remedyOf(error);
    return fail(
      `${dataDir} cannot be written: ${code}`,
      remedy ?? 'run this as the user of the service, or set DATA_DIR',
    );
  }
}

/** Finds a database of SQLite on the disk of another machine. */
async function networkFolder(config: Config): Promise<readonly Result[]> {
  const found = await networkDisk(config);
  return found === undefined ? [] : [warn(found.what, found.remedy)];
}

/** Finds files of another user, usually root, which the service cannot write. */
async function fileOwners({ databaseUrl, dataDir }: Config): Promise<readonly Result[]> {
  if (databaseUrl !== undefined) return [];
  const own = await stat(dataDir).catch(() => undefined);
  const results: Result[] = [];
  for (const name of [SQLITE_FILE, `${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`, 'files']) {
    const found = await stat(join(dataDir, name)).catch(() => undefined);
    if (found === undefined || own === undefined || found.uid === own.uid) continue;
    const path = join(dataDir, name);
    results.push(
      fail(
        `${path} belongs to the user ${found.uid}, the folder to ${own.uid}`,
        `chown -R ${own.uid}: ${shellWord(resolve(dataDir))}`,
      ),
    );
  }
  return results;
}

async function checkDatabase(config: Config): Promise<readonly Result[]> {
  const begun = performance.now();
  try {
    const store = await openForReading(config);
    try {
      const took = Math.ceil(performance.now() - begun);
      return [
        ok(`${store.engine} answers in ${took} ms, the schema is this version's`),
        clockResult(await clockDifference(store)),
        ...(store.engine === 'postgres' ? await checkServer(store, config) : []),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    const { what, remedy = 'ws01 db check checks a database that can be opened' } = remedyIn(
      (error as Error).message,
    );
    return [fail(what, remedy)];
  }
}

/** Connections that commands, backups and an operator need beside the nodes. */
const SPARE_CONNECTIONS = 5;

/**
 * Whether the server has connections enough for this node and others like it, and whether they are
 * encrypted.
 */
async function checkServer(
  store: Store,
  { workers, databasePoolSize, databaseUrl }: Config,
): Promise<readonly Result[]> {
  const { rows } = await store.read((db) =>
    sql<{ most: number; used: number; encrypted: boolean | null; local: boolean }>`
      select current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int as most,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
        (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted,
        inet_server_addr() is null or inet_server_addr() <<= '127.0.0.0/8'
          or inet_server_addr() = '::1' as local`.execute(db),
  );
  const { most, used, encrypted, local } = rows[0]!;
  const own = workers * databasePoolSize;
  const nodes = Math.floor((most - SPARE_CONNECTIONS) / own);
  const wanted = `WORKERS ${workers} × DATABASE_POOL_SIZE ${databasePoolSize} = ${own}`;
  const said = `${wanted} of its ${most} connections; ${used} are used`;
  const { host } = new URL(databaseUrl!);
  return [
    nodes < 1
      ? fail(`${said}: too many`, 'set DATABASE_POOL_SIZE lower, or max_connections higher')
      : ok(`${said}, ${nodes} such ${nodes === 1 ? 'node fits' : 'nodes fit'}`),
    ...(encrypted === false && !local
      ? [
          warn(
            `the connection to ${host} is not encrypted`,
            'add ?sslmode=verify-full&sslrootcert=… to DATABASE_URL',
          ),
        ]
      : []),
  ];
}

/**
 * Returns how far the database's clock is ahead of ours, in ms; for SQLite, how far its newest
 * record is ahead.
 */
async function clockDifference(store: Store): Promise<number> {
  const asked =
    store.engine === 'sqlite'
      ? sql<{ at: number }>`select max(at) as at from postings`
      : sql<{ at: number }>`select extract(epoch from clock_timestamp()) * 1000 as at`;
  const before = Date.now();
  const { rows } = await store.read((db) => asked.execute(db));
  const at = Number(rows[0]?.at);
  return store.engine === 'sqlite' ? at - before : Math.abs(at - (before + Date.now()) / 2);
}

function clockResult(difference: number): Result {
  if (difference <= CLOCK_MS) return ok('the clock agrees with the database');
  const seconds = Math.round(difference / 1_000);
  return fail(
    `the clock differs from the database's by ${seconds} s`,
    'let NTP set it: timedatectl set-ntp true',
  );
}

async function checkFiles(config: Config): Promise<Result> {
  const { files } = config;
  const where = files.kind === 'disk' ? files.folder : `s3://${files.bucket}`;
  try {
    const opened = await openFiles(files, config.dataDir);
    try {
      await opened.store.assertOwn();
      if (files.kind === 's3') await opened.store.check();
      else await access(files.folder, constants.W_OK).catch((error) => assertNotMadeYet(error));
    } finally {
      opened.store.close();
    }
    return ok(`${where} can be used`);
  } catch (error) {
    const { cause, message } = error as Error;
    if (files.kind === 'disk') {
      const { what, remedy = 'check the folder and its owner' } = remedyIn(message);
      return fail(`${where}: ${what}`, remedy);
    }
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : message;
    return fail(`${where}: ${reason}`, 'check FILES_URL, the credentials and the bucket');
  }
}

/** Accepts that the folder does not exist: the service makes it for the first image. */
function assertNotMadeYet(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Whether the place of scheduled backups can be written, and whether they are in time. */
async function checkBackups(config: Config): Promise<readonly Result[]> {
  const { backupTo } = config;
  if (backupTo === undefined)
    return [warn('BACKUP_TO is not set: nobody makes backups', 'set it, or run ws01 backup')];
  const place =
    backupTo.kind === 's3'
      ? ok(`s3://${backupTo.bucket}`)
      : await backupFolder(backupTo.folder, config.isBackupToSet);
  const store = await openForReading(config).catch(() => undefined);
  // The check of the database says why.
  if (store === undefined) return [place];
  try {
    const state = await store.read(backupState);
    const { backupSchedule } = await store.read((db) => changedConfig(config, db));
    if ((await store.read((db) => scheduledSince(db, config))) === undefined)
      return [place, warn('nobody has made the first backup there', 'ws01 backup makes one')];
    const late = backupLateness(state, backupSchedule, Date.now());
    const reason = state.last?.error == null ? '' : `: ${state.last.error}`;
    if (late === 'never')
      return [place, fail(`there is no good backup${reason}`, 'ws01 backup makes one')];
    if (late === 'late')
      return [place, fail(`the last good one is too old${reason}`, 'ws01 backup makes one')];
    return [place, ok('the last one is in time')];
  } finally {
    await store.close();
  }
}

async function backupFolder(folder: string, isBackupToSet: boolean): Promise<Result> {
  try {
    const above = await nearest(folder);
    if (!(await stat(above)).isDirectory())
      throw Object.assign(new Error(`${above} is a file`), { code: 'ENOTDIR' });
    await access(above, constants.W_OK | constants.X_OK);
    return ok(`${folder} can be written`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      `${isBackupToSet ? `BACKUP_TO=${folder}` : folder} cannot be written: ${code}`,
      'give it to the user of the service (install -d -o ws01), and name it in ReadWritePaths= of the unit',
    );
  }
}

const canBeWritten = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

/** The folder, or the one above it in which it would be made. */
async function nearest(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found === undefined && dirname(folder) !== folder ? nearest(dirname(folder)) : folder;
}

async function checkMail(config: Config): Promise<Result> {
  if (config.smtpServer === undefined)
    return skipped('SMTP_URL is not set: mails are kept, not sent');
  const { baseUrl } = publicAddresses(config, config.port);
  try {
    const reply = await tryMailServer(config, baseUrl, undefined, () => {});
    return ok(`${config.smtpServer.host} answers and accepts TLS and the credentials: ${reply}`);
  } catch (error) {
    return fail(
      `${config.smtpServer.host}: ${(error as Error).message}`,
      'check SMTP_URL; ws01 mail test ADDRESS shows the dialogue',
    );
  }
}

async function checkSms({ smsGateway }: Config): Promise<Result> {
  if (smsGateway === undefined)
    return skipped('SMS_URL is not set: CreateVerifyCode returns the code to the caller');
  const { host, port } =
    smsGateway.kind === 'smpp'
      ? smsGateway
      : addressOf(smsGateway.kind === 'twilio' ? smsGateway.api : smsGateway.url);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (result: Result) => {
      socket.destroy();
      resolve(result);
    };
    const remedy = 'check SMS_URL and the firewall';
    socket.once('connect', () => end(ok(`${host}:${port} is reachable; nothing was sent`)));
    socket.once('timeout', () => end(fail(`${host}:${port} does not answer`, remedy)));
    socket.once('error', (error) => end(fail(`${host}:${port}: ${error.message}`, remedy)));
  });
}

function addressOf(text: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(text);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** Checks that the public URL reaches this service and that the proxy forwards client addresses. */
async function checkProxy(config: Config): Promise<readonly Result[]> {
  const { baseUrl, host, socketPath, servicePaths, trustedProxies } = config;
  const results: Result[] = [];
  const local = socketPath !== undefined || ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (baseUrl !== undefined && local && trustedProxies.length === 0) {
    results.push(
      warn(
        'the service listens on the loopback address and TRUSTED_PROXIES is empty: every call seems to come from the proxy',
        'set TRUSTED_PROXIES=loopback',
      ),
    );
  }
  if (baseUrl === undefined) return [...results, skipped('BASE_URL is not set')];
  const wsdl = `${baseUrl}${servicePaths[0]}?WSDL`;
  try {
    const answer = await fetch(wsdl, { signal: signalAfter(TIMEOUT_MS) });
    const text = await answer.text();
    results.push(
      answer.ok && text.includes(`location="${baseUrl}/`)
        ? ok(`${baseUrl} leads to this service`)
        : fail(
            `${wsdl} answers ${answer.status}${answer.ok ? ', but the WSDL names other addresses' : ''}`,
            'check BASE_URL and the proxy',
          ),
    );
  } catch (error) {
    const { cause, message } = error as Error;
    results.push(
      fail(
        `${wsdl}: ${cause instanceof Error ? cause.message : message}`,
        'start the service, or check BASE_URL and the proxy',
      ),
    );
  }
  return results;
}
