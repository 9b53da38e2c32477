import { certificateProblem } from '../../failure/certificate.ts';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { WorkTimeoutError } from '../write-limits.ts';

/** SQLSTATEs of transactions that conflicted with others and can be retried. */
const COLLISIONS: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Timeouts and cancellations by the server: lock, statement and transaction. The database itself
 * works.
 */
const TIMEOUTS: ReadonlySet<string> = new Set(['55P03', '57014', '25P03', '25P04']);

/**
 * SQLSTATE classes and codes (PostgreSQL, appendix A) that mean that the database cannot be used at
 * present. Codes of wrong statements (22, 23, 42 …) are not among them: those are defects, even if
 * someone dropped a table.
 */
const UNAVAILABLE: readonly string[] = [
  // Connection exception: lost, refused, or the other end is not PostgreSQL.
  '08',
  // Read-only: the primary has become a standby, or an operator has stopped writes.
  '25006',
  // Invalid authorization: a password or a rule was changed while the service was running.
  '28',
  // No such database: dropped or renamed, for example during a restore.
  '3D000',
  // The role has lost its rights on a table.
  '42501',
  // Insufficient resources: disk full, out of memory, too many connections.
  '53',
  // Operator intervention: shutting down, starting up, crashed, dropped.
  '57P',
  // System error, such as an I/O error of the server's disk.
  '58',
  // The server's configuration, its defects and damaged files.
  'F0',
  'XX',
];

/** Node's error codes for a broken connection. */
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

/**
 * Classes: invalid authorization, invalid catalog name (no such database). At the start, retrying
 * does not help.
 */
const REFUSALS = /^(28|3D)/;

/** Whether the server was reached and refused the connection. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.test(codeOf(error));
}

/** Whether a transaction failed only because it conflicted with another one. */
export function isCollision(error: unknown): boolean {
  return COLLISIONS.has(codeOf(error));
}

/**
 * Whether a query failed only because a prepared statement of its connection is no longer valid: a
 * newer node has added a column, or a pooler has dropped the statement. The query was not run.
 */
export function isStalePlan(error: unknown): boolean {
  const code = codeOf(error);
  const { routine } = error as { routine?: unknown };
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery');
}

/**
 * Whether the outcome of a failed commit is unknown. If PostgreSQL refuses a commit, it was rolled
 * back; if the connection breaks or times out, it may have been committed.
 */
export function isWithoutReply(error: unknown): boolean {
  return (
    isFailureOf('database', error) &&
    (error.kind === 'unavailable' || error instanceof WorkTimeoutError)
  );
}

/** Returns the `DependencyError` for an error of a query; other errors are returned unchanged. */
export function postgresError(error: unknown): unknown {
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) {
    return new DependencyError(
      'database',
      'busy',
      `PostgreSQL did not finish in time: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  }
  if (
    UNAVAILABLE.some((known) => code.startsWith(known)) ||
    NETWORK.has(code) ||
    isConnectionLoss(error)
  ) {
    return new DependencyError(
      'database',
      'unavailable',
      `PostgreSQL cannot be used at the moment: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
  return error;
}

/**
 * Returns the `DependencyError` for a connection that could not be opened: DNS, network, TLS,
 * refusal, queue.
 */
export function connectError(error: unknown): DependencyError {
  if (isFailureOf('database', error)) return error;
  return new DependencyError(
    'database',
    'unavailable',
    `PostgreSQL cannot be reached at the moment: ${reasonOf(error)}; start the server, or correct DATABASE_URL.`,
    { cause: error },
  );
}

/**
 * Returns the message of the server or driver in one line, for the operator. These errors quote no
 * rows and no passwords.
 */
export function reasonOf(error: unknown): string {
  const certificate = error instanceof Error ? certificateProblem(error) : undefined;
  if (certificate !== undefined) return certificate;
  const said =
    error instanceof Error && error.message !== ''
      ? error.message
      : codeOf(error) || 'no reason was given';
  return said.split('\n', 1)[0]!.replace(/\.$/, '');
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** The driver has no codes for these errors. */
function isConnectionLoss(error: unknown): boolean {
  return (
    error instanceof Error &&
    codeOf(error) === '' &&
    /^(Connection terminated|timeout e|Client has encountered|Client was closed)/.test(
      error.message,
    )
  );
}
