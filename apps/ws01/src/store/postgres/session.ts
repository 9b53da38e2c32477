import { connect } from 'node:net';
import { time } from '@ws01/asmx/time';
import type { ClientBase } from 'pg';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { withinTime } from '../write-limits.ts';

/**
 * Timeouts enforced by the server, so that nothing of a blocked or dead process goes on there; ms.
 */
export interface SessionLimits {
  /** Of one statement. */
  readonly statement: number;
  /** Of the wait for one lock. */
  readonly lock: number;
  /** Of an idle transaction, which holds locks. */
  readonly idle: number;
}

/** Properties of a new connection. */
interface Session {
  /** Whether a pooler such as PgBouncer assigns server connections per transaction. */
  readonly pooled: boolean;
  /** Whether the server is read-only: a standby. */
  readonly readOnly: boolean;
}

/** Timeout of setting up a connection; ms. */
const SET_UP_MS = 10_000;

const SETTINGS: Readonly<Record<keyof SessionLimits, string>> = {
  statement: 'statement_timeout',
  lock: 'lock_timeout',
  idle: 'idle_in_transaction_session_timeout',
};

const settings = (set: string, limits: SessionLimits, present?: SessionLimits): readonly string[] =>
  (['statement', 'lock', 'idle'] as const)
    .filter((name) => limits[name] !== present?.[name])
    .map((name) => `${set} ${SETTINGS[name]} = ${limits[name]}`);

/**
 * Returns the statements that begin a transaction with limits.
 * @param present the limits of the connection; `undefined` if it may lead to any server connection.
 */
export const beginWithin = (
  limits: SessionLimits,
  present: SessionLimits | undefined,
  mode: string,
): readonly string[] => [`begin ${mode}`.trim(), ...settings('set local', limits, present)];

/**
 * Sets the limits of a connection and reads its properties, in one round trip. It uses statements,
 * because PgBouncer rejects unknown startup parameters.
 * @param within timeout; ms.
 * @throws {DependencyError} `unavailable` when the server does not answer.
 */
export async function setUp(
  client: ClientBase,
  limits: SessionLimits,
  within = SET_UP_MS,
): Promise<Session> {
  const look = `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as read_only`;
  const asked = client.query([...settings('set', limits), look].join('; '));
  asked.catch(() => {});
  const results = (await withinTime(asked, within, 'Setting up a connection').catch((error) => {
    if (isFailureOf('database', error))
      throw new DependencyError('database', 'unavailable', 'PostgreSQL says nothing.', {
        cause: error,
      });
    throw error;
  })) as unknown as readonly { readonly rows: readonly { pid: number; read_only: boolean }[] }[];
  const { pid, read_only } = results.at(-1)!.rows[0]!;
  return { pooled: pid !== keyOf(client).processID, readOnly: read_only };
}

/** The key with which a client cancels statements; `@types/pg` does not declare it. */
interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: {
    readonly stream: { readonly remoteAddress?: string; readonly remotePort?: number };
  };
}

const keyOf = (client: ClientBase) => client as unknown as CancelKey;

/** `CancelRequest` of the protocol (PostgreSQL, 54.7): length, code, process id, key. */
const CANCEL = [16, 80_877_102] as const;
const CANCEL_MS = 2_000;

/**
 * Asks the server to cancel the current statement of a connection. Does not wait, and ignores
 * failures: the statement ends by its own timeout.
 */
export function cancel(client: ClientBase): void {
  const { processID, secretKey, connection } = keyOf(client);
  const { remoteAddress, remotePort } = connection.stream;
  // A server on a Unix socket is on this machine; it is not asked.
  if (remoteAddress === undefined || remotePort === undefined) return;
  const message = Buffer.alloc(CANCEL[0]);
  for (const [index, word] of [...CANCEL, processID, secretKey].entries())
    message.writeInt32BE(word | 0, index * 4);
  const socket = connect(remotePort, remoteAddress);
  const limit = time.limit(CANCEL_MS, () => socket.destroy()).unref();
  socket.on('close', () => limit.end());
  socket.on('error', () => {}).end(message);
  socket.unref();
}
