import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type ConnectionEvents } from './connection.ts';
import type { LoadSettings } from './settings.ts';
import type { Tally } from './tally.ts';

/** Sends requests until it is told to finish. */
export interface Driver {
  /**
   * Sends no more than what was due before a moment, waits for the answers, closes the connections.
   * @throws {Error} when they do not come.
   */
  finish(moment: number): Promise<void>;
}

/** How long the last answers may take; ms. */
const LAST_ANSWERS_MS = 10_000;

/**
 * The numbers that requests carry; they never repeat in a process, so that what is new on one side
 * is new on the other.
 */
let nextSerial = 1;

/** Each connection sends as soon as it is answered: what the server can do at most. */
export async function driveFreely(
  settings: LoadSettings,
  tally: Tally,
  failed: Failed,
): Promise<Driver> {
  let finishing = false;
  const send = (connection: Connection) => {
    tally.sent++;
    connection.send(nextSerial++, performance.now());
  };
  const connections = await openConnections(settings, {
    answered(connection, status) {
      tally.answered(status, connection.startedAt);
      if (!finishing) send(connection);
    },
    failed,
  });
  for (const connection of connections) send(connection);
  return {
    async finish() {
      finishing = true;
      await lastAnswers(() => connections.every(({ busy }) => !busy));
      for (const connection of connections) connection.close();
    },
  };
}

/**
 * Requests fall due at even intervals, whatever the server does. One that finds no connection free waits for one, and
 * its latency counts from when it was due (no coordinated omission). Spins, for timers are too coarse.
 */
export async function driveAtRate(
  settings: LoadSettings,
  tally: Tally,
  failed: Failed,
): Promise<Driver> {
  const interval = 1000 / settings.rate!;
  const idle: Connection[] = [];
  const connections = await openConnections(settings, {
    answered(connection, status) {
      tally.answered(status, connection.startedAt);
      idle.push(connection);
    },
    failed,
  });
  idle.push(...connections);

  let until = Number.POSITIVE_INFINITY;
  let hadIdle = true;
  let due = performance.now();
  const spin = () => {
    const now = performance.now();
    while (due <= now && due < until && idle.length > 0) {
      if (hadIdle) tally.sentLate(due, now);
      tally.sent++;
      idle.pop()!.send(nextSerial++, due);
      due += interval;
    }
    hadIdle = idle.length > 0;
    if (due < until) setImmediate(spin);
  };
  spin();
  return {
    async finish(moment) {
      until = moment;
      await lastAnswers(() => due >= until && idle.length === connections.length);
      for (const connection of connections) connection.close();
    },
  };
}

type Failed = ConnectionEvents['failed'];

async function openConnections(
  settings: LoadSettings,
  events: ConnectionEvents,
): Promise<readonly Connection[]> {
  const { port, requests } = settings;
  const connections = Array.from(
    { length: settings.connections },
    () => new Connection(port, requests, events),
  );
  await Promise.all(connections.map((connection) => connection.open()));
  return connections;
}

async function lastAnswers(came: () => boolean): Promise<void> {
  const deadline = performance.now() + LAST_ANSWERS_MS;
  while (!came()) {
    if (performance.now() > deadline)
      throw new Error(`The last answers have not come within ${LAST_ANSWERS_MS} ms.`);
    await sleep(5);
  }
}
