import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { WorkTimeoutError } from '../write-limits.ts';

/** SQLSTATEs of transactions that collided with others and may simply be run again. */
const COLLISIONS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Timeouts and cancellations on the server: lock, statement and transaction. The database itself works. */
const TIMEOUTS: ReadonlySet<string> = new Set(['55P03', '57014', '25P03', '25P04']);

/**
 * Classes and codes (PostgreSQL, appendix A) that say that the database cannot be used now, whatever is asked of it. The
 * code of a statement of ours that is wrong (22, 23, 42 …) is not among them: that is a defect, also when somebody has
 * dropped a table.
 */
const UNAVAILABLE: readonly string[] = [
  // Connection exception: lost, refused, or no PostgreSQL at the other end.
  '08',
  // Only reading is allowed: the primary has become a standby, or an operator holds writes back.
  '25006',
  // Invalid authorization: a password or a rule was changed under the running service; the operator changes it back.
  '28',
  // No such database: dropped or renamed, as for a restore.
  '3D000',
  // Not permitted to read or write a table: the role lost its rights, as SQLite's file may lose its own.
  '42501',
  // Insufficient resources: disk full, out of memory, too many connections.
  '53',
  // Operator intervention: shutting down, starting up, crashed, dropped.
  '57P',
  // System error, such as an I/O error of the server's disk.
  '58',
  // The server's own configuration, and its own defects and damaged files.
  'F0',
  'XX',
];

/** What Node says when a connection that stood is gone. */
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Classes: invalid authorization, invalid catalog name (no such database). At the start trying again does not help. */
const REFUSALS = /^(28|3D)/;

/** Whether the server was reached and refused to let us in. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.test(codeOf(error));
}

/** Whether a transaction failed only because it collided with another one. */
export function isCollision(error: unknown): boolean {
  return COLLISIONS.has(codeOf(error));
}

/**
 * Whether a query failed only because what was prepared on its connection does not hold any more: a newer node has
 * given a table another column, or something between us and the server has thrown the statement away. It was not run.
 */
export function isStalePlan(error: unknown): boolean {
  const code = codeOf(error);
  const { routine } = error as { routine?: unknown };
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}

/**
 * Whether the outcome of a failed commit is unknown. If PostgreSQL refuses a commit, it was rolled back; if the
 * connection breaks or times out, it may have been committed.
 */
export function isWithoutReply(error: unknown): boolean {
  return isFailureOf('database', error) && (error.kind === 'unavailable' || error instanceof WorkTimeoutError);
}

/** Translates an error of a query to a failure of the store; other errors are returned unchanged. */
export function postgresError(error: unknown): unknown {
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) {
    return new DependencyError('database', 'busy', `PostgreSQL did not finish in time: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
  if (UNAVAILABLE.some((known) => code.startsWith(known)) || NETWORK.has(code) || isConnectionLoss(error)) {
    return new DependencyError(
      'database',
      'unavailable',
      `PostgreSQL cannot be used at the moment: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
  return error;
}

/** The failure of the store for a connection that could not be opened: name, network, TLS, refusal, queue. */
export function connectError(error: unknown): DependencyError {
  if (isFailureOf('database', error)) return error;
  return new DependencyError(
    'database',
    'unavailable',
    `PostgreSQL cannot be reached at the moment: ${reasonOf(error)}.`,
    { cause: error },
  );
}

/** What the server or the driver said, for the operator: one line; of these errors none quotes a row or a password. */
export function reasonOf(error: unknown): string {
  const said = error instanceof Error && error.message !== '' ? error.message : codeOf(error) || 'no reason was given';
  return said.split('\n', 1)[0]!.replace(/\.$/, '');
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** The driver has no codes for these. */
function isConnectionLoss(error: unknown): boolean {
  return (
    error instanceof Error &&
    codeOf(error) === '' &&
    /^(Connection terminated|timeout e|Client has encountered|Client was closed)/.test(error.message)
  );
}
