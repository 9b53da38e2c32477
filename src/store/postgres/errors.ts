import { StoreError } from '../errors.ts';

/** SQLSTATEs of transactions that collided with others and may simply be run again. */
const COLLISIONS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Lock and statement timeouts. */
const TIMEOUTS: ReadonlySet<string> = new Set(['55P03', '57014']);

/** Classes: connection exception, insufficient resources, operator intervention, system error. */
const UNAVAILABLE = /^(08|53|57P|58)|^25006$/;

/** What Node and the driver say when the connection is gone or cannot be made. */
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Classes: invalid authorization, invalid catalog name (no such database). Trying again does not help. */
const REFUSALS = /^(28|3D)/;

/** Whether the server was reached and refused to let us in. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.test(codeOf(error));
}

/** Whether a transaction failed only because it collided with another one. */
export function isCollision(error: unknown): boolean {
  return COLLISIONS.has(codeOf(error));
}

/** The store's error for what the driver threw, or the error itself when it says nothing about the store. */
export function postgresError(error: unknown): unknown {
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) {
    return new StoreError('busy', 'PostgreSQL did not finish in time.', error);
  }
  if (UNAVAILABLE.test(code) || NETWORK.has(code) || isConnectionLoss(error)) {
    return new StoreError('unavailable', 'PostgreSQL cannot be used at the moment.', error);
  }
  return error;
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
