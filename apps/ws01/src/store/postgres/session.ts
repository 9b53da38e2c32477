import { connect } from 'node:net';
import type { ClientBase } from 'pg';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { withinTime } from '../write-limits.ts';

/** What the server itself bounds, so that nothing of a process that stands still or was given up goes on there; ms. */
export interface SessionLimits {
  /** One statement. */
  readonly statement: number;
  /** The wait for one lock. */
  readonly lock: number;
  /** An open transaction in which nothing is asked: its locks are others'. */
  readonly idle: number;
}

/** What is known of a new connection. */
interface Session {
  /** Whether something between us and the server hands its connections out by transaction, as PgBouncer does. */
  readonly pooled: boolean;
  /** Whether nothing can be written there: a standby. */
  readonly readOnly: boolean;
}

/** How long setting up a connection may take; ms. */
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
 * What begins a transaction within limits, statement by statement.
 * @param present those that the connection has; `undefined` when it may lead to any.
 */
export const beginWithin = (
  limits: SessionLimits,
  present: SessionLimits | undefined,
  mode: string,
): readonly string[] => [`begin ${mode}`.trim(), ...settings('set local', limits, present)];

/**
 * Sets the limits for a connection and looks at what it leads to, in one round trip. By statements, not at its start:
 * PgBouncer refuses settings that it does not know.
 * @param within how long that may take; ms.
 * @throws {DependencyError} `unavailable` when the server does not answer.
 */
export async function setUp(client: ClientBase, limits: SessionLimits, within = SET_UP_MS): Promise<Session> {
  const look = `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as read_only`;
  const asked = client.query([...settings('set', limits), look].join('; '));
  asked.catch(() => {});
  const results = (await withinTime(asked, within, 'Setting up a connection').catch((error) => {
    if (isFailureOf('database', error))
      throw new DependencyError('database', 'unavailable', 'PostgreSQL says nothing.', { cause: error });
    throw error;
  })) as unknown as readonly { readonly rows: readonly { pid: number; read_only: boolean }[] }[];
  const { pid, read_only } = results.at(-1)!.rows[0]!;
  return { pooled: pid !== keyOf(client).processID, readOnly: read_only };
}

/** What a server gives a client to cancel its statements with; `@types/pg` has no names for it. */
interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: { readonly stream: { readonly remoteAddress?: string; readonly remotePort?: number } };
}

const keyOf = (client: ClientBase) => client as unknown as CancelKey;

/** `CancelRequest` of the protocol (PostgreSQL, 54.7): its length, its code, whose statement, the key. */
const CANCEL = [16, 80_877_102] as const;
const CANCEL_MS = 2_000;

/**
 * Has the server cancel the statement that a connection is busy with. Nobody waits for it, and that it cannot be asked
 * does no harm: the statement ends by its own limit.
 */
export function cancel(client: ClientBase): void {
  const { processID, secretKey, connection } = keyOf(client);
  const { remoteAddress, remotePort } = connection.stream;
  // By a socket of the file system nobody is asked: such a server is on this machine.
  if (remoteAddress === undefined || remotePort === undefined) return;
  const message = Buffer.alloc(CANCEL[0]);
  for (const [index, word] of [...CANCEL, processID, secretKey].entries()) message.writeInt32BE(word | 0, index * 4);
  const socket = connect(remotePort, remoteAddress);
  socket.setTimeout(CANCEL_MS, () => socket.destroy());
  socket.on('error', () => {}).end(message);
  socket.unref();
}
