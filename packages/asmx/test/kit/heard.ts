import type { ChildProcess } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';

/**
 * Waits for the next event by which a process says something: a message, or a line of what it writes.
 * @param from what emits it, if not the process itself.
 * @throws {Error} when the process ends before; nothing else would end the wait.
 */
export async function heard(
  child: ChildProcess,
  event: string,
  from: EventEmitter = child,
): ReturnType<typeof once> {
  const ended = new AbortController();
  const end = () => ended.abort();
  child.once('close', end);
  try {
    return await once(from, event, { signal: ended.signal });
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    const how = child.signalCode ?? child.exitCode;
    throw new Error(`The process ended (${how}) before it said what was waited for: ${event}`);
  } finally {
    child.off('close', end);
  }
}
