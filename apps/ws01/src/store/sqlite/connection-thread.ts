import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompiledQuery, QueryResult } from 'kysely';
import { type FailureKind, isFailureOf } from '../../failure/dependency-error.ts';
import { SqliteConnection } from './connection.ts';
import { type OpenFile, OwnFiles } from './own-files.ts';

/** The thread of a `ThreadConnection`: runs queries in order until it gets the message to close. */

export interface ThreadSettings {
  /** Path of the database file. */
  readonly file: string;
  /** The files that the process has open. */
  readonly open: readonly OpenFile[];
  /** How long a query may wait for a process that recovers or closes the file; ms. */
  readonly timeout: number;
  /** Statements that set up the connection. */
  readonly setUp: readonly string[];
  /** Whether nobody waits for its queries, so that other threads go first where cores are few. */
  readonly background?: boolean;
}

export interface ThreadRequest extends Pick<CompiledQuery, 'sql' | 'parameters'> {
  readonly id: number;
}

export type ThreadAnswer =
  | { readonly id: number; readonly result: QueryResult<unknown> }
  | {
      readonly id: number;
      readonly error: Error;
      /** The kind of a `DependencyError`, whose class is lost between threads. */
      readonly kind: FailureKind | undefined;
    };

const { file, open, timeout, setUp, background = false } = workerData as ThreadSettings;
if (background && process.platform === 'linux') {
  // Linux takes 0 as the calling thread; elsewhere it is the process, which may have been started
  // with a low priority.
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  setPriority(0, Math.min(PRIORITY_LOW, getPriority(0) + PRIORITY_BELOW_NORMAL));
}
const connection = new SqliteConnection(file, timeout, new OwnFiles(file, open));
for (const sql of setUp) connection.run(sql);

parentPort!.on('message', async (message: ThreadRequest | 'close') => {
  if (message === 'close') {
    connection.close();
    parentPort!.close();
    return;
  }
  parentPort!.postMessage(await answer(message));
});

async function answer({ id, sql, parameters }: ThreadRequest): Promise<ThreadAnswer> {
  try {
    return { id, result: await connection.executeQuery({ sql, parameters } as CompiledQuery) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { id, error, kind: isFailureOf('database', error) ? error.kind : undefined };
  }
}
