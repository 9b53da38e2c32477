import { ProtocolError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';

/**
 * One for all: when there are too many calls, thousands a second are refused, and where that was is
 * always the same.
 */
const BUSY = new ProtocolError(
  'Busy',
  'The service has more calls than it can answer; nothing was done, try again.',
);

/**
 * The longest turn of the event loop that calls may cause, so that other work does not wait longer;
 * ms.
 */
const TURN_MS = 25;
/** Calls begun in one turn: at first, at least, at most. */
const FIRST_BATCH = 32;
const LEAST_BATCH = 4;
const MOST_BATCH = 512;
/**
 * As long as they last, connections have the turns for so long between two that begin calls: half
 * of the time; ms.
 */
const CONNECTIONS_MS = TURN_MS;

/**
 * Clients without a call are forgotten when there are more clients than this, and twice as many as
 * after the last time.
 */
const KEPT_CLIENTS = 1_000;

interface Waiter {
  readonly since: number;
  readonly start: () => void;
  readonly refuse: (error: ProtocolError) => void;
}

/** One address, or one network of IPv6, with what it has in progress. */
class Client {
  /** Its calls that wait for their turn, or are carried out. */
  calls = 0;
  readonly waiting: Waiter[] = [];
}

/**
 * Admission control: decides which calls of an endpoint start, and when. Under overload
 *
 * - each turn of the event loop starts only as many calls as keep it short; the others wait for the
 *   next turns;
 * - addresses take turns, however many calls each has waiting;
 * - the limit `calls` bounds the calls that wait or run. One address may use as many as are still
 *   free, so half of them when it is alone. Any further call is answered `Busy`;
 * - a call that has waited for `callWaitMs` is answered `Busy`. Once calls have been waiting for
 *   that long without a break, the load is no burst, and the longest wait becomes `overloadWaitMs`:
 *   a longer queue would answer nobody sooner, and everybody else later.
 *
 * A call whose body is still arriving is not counted: a slow sender keeps nobody out.
 *
 * Node accepts one connection in a turn of the event loop (libuv 1.52, `uv__server_io`). With turns
 * of 25 ms that would be forty a second, and a new client, even a health check, would wait behind
 * all others. So while each turn brings a connection, turns start fewer calls and stay short:
 * {@link connected}.
 */
export class Admission {
  readonly #limits: Limits;
  /**
   * By network. A map that lost each client with its last call would take a new table every few
   * calls, and V8 would keep those until it marks all of the heap, as each refers to the one after
   * it.
   */
  readonly #clients = new Map<string, Client>();
  #mostClients = KEPT_CLIENTS;
  /** Those of the clients with a call that waits, in the order of their turns. */
  readonly #row = new Set<Client>();
  #calls = 0;
  #waiting = 0;
  #batch = FIRST_BATCH;
  /** Since when some call or other has waited. */
  #waitingSince = 0;
  /** Begun since the last turn ended. */
  #begun = 0;
  /** And in the turn before that. */
  #before = 0;
  /** When the last turn ended; `undefined` when nothing was begun in it. */
  #turnEnded: number | undefined;
  #armed = false;
  /** Whether this turn of the event loop has brought a connection. */
  #connected = false;
  /** Since when calls have stood back behind connections; ms. */
  #standingBackSince: number | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Calls that wait, or are carried out. */
  get calls(): number {
    return this.#calls;
  }

  /** A connection has been accepted; more may wait behind it. */
  connected(): void {
    this.#connected = true;
    this.#arm();
  }

  /**
   * Enters a call.
   * @returns a promise that resolves when it may start, `undefined` if it may start now.
   * @throws {ProtocolError} Busy
   */
  enter(address: string): Promise<void> | undefined {
    const network = networkOf(address);
    const own = this.#clients.get(network)?.calls ?? 0;
    if (own >= this.#limits.calls - this.#calls) throw BUSY;
    if (this.#waiting === 0 && this.#begun < this.#batch && !this.#connected) {
      this.#begin();
      return undefined;
    }
    const client = this.#countIn(network);
    return new Promise((start, refuse) => {
      const since = performance.now();
      if (this.#waiting === 0) this.#waitingSince = since;
      client.waiting.push({ since, start, refuse });
      this.#row.add(client);
      this.#waiting++;
      this.#arm();
    });
  }

  /** Marks a call as running. @returns the function to call when it has ended. */
  carryOut(address: string): () => void {
    const client = this.#countIn(networkOf(address));
    return () => this.#countOut(client);
  }

  #begin(): void {
    this.#begun++;
    this.#arm();
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#armed = false;
    const now = performance.now();
    // What was begun in the turn before has been worked on in this one.
    if (this.#turnEnded !== undefined) this.#adjust(now - this.#turnEnded, this.#before);
    this.#turnEnded = this.#begun > 0 ? now : undefined;
    if (this.#begun > 0) this.#arm();
    this.#before = this.#begun;
    this.#begun = 0;
    if (this.#standsBack(now)) return;
    while (this.#begun < this.#batch && this.#waiting > 0) this.#startNext(now);
  };

  /** @returns whether calls leave the next turn to connections. */
  #standsBack(now: number): boolean {
    const connected = this.#connected;
    this.#connected = false;
    if (connected && this.#waiting > 0) {
      // What was begun just now is worked on in the coming turn, and that is not the connections'
      // time.
      if (this.#before === 0) this.#standingBackSince ??= now;
      if (this.#standingBackSince === undefined || now - this.#standingBackSince < CONNECTIONS_MS) {
        this.#arm();
        return true;
      }
    }
    this.#standingBackSince = undefined;
    return false;
  }

  /** @param begun calls, which the turn has worked on. */
  #adjust(turnMs: number, begun: number): void {
    if (turnMs > TURN_MS)
      this.#batch = Math.max(LEAST_BATCH, Math.floor(Math.min(begun, this.#batch) / 2));
    else if (begun >= this.#batch) this.#batch = Math.min(MOST_BATCH, this.#batch * 2);
  }

  #startNext(now: number): void {
    const [client] = this.#row;
    const waiter = client?.waiting.shift();
    if (client === undefined || waiter === undefined) return;
    this.#row.delete(client);
    if (client.waiting.length > 0) this.#row.add(client);
    this.#waiting--;
    this.#countOut(client);
    if (now - waiter.since > this.#longestWait(now)) waiter.refuse(BUSY);
    else {
      this.#begin();
      waiter.start();
    }
  }

  #longestWait(now: number): number {
    const { callWaitMs, overloadWaitMs } = this.#limits;
    return now - this.#waitingSince > callWaitMs
      ? Math.min(overloadWaitMs, callWaitMs)
      : callWaitMs;
  }

  /** One more call waits or is carried out. */
  #countIn(network: string): Client {
    let client = this.#clients.get(network);
    if (client === undefined) {
      if (this.#clients.size >= this.#mostClients) this.#forgetClients();
      client = new Client();
      // A copy: in V8 the address may be a slice of all headers of its request.
      this.#clients.set(`-${network}`.slice(1), client);
    }
    client.calls++;
    this.#calls++;
    return client;
  }

  #countOut(client: Client): void {
    client.calls--;
    this.#calls--;
  }

  #forgetClients(): void {
    for (const [network, { calls }] of this.#clients)
      if (calls === 0) this.#clients.delete(network);
    this.#mostClients = Math.max(KEPT_CLIENTS, 2 * this.#clients.size);
  }
}

/** A customer has a whole network of IPv6, of 64 bits. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = ''] = address.split('::', 1);
  return [...head.split(':'), '0', '0', '0', '0'].slice(0, 4).join(':');
}
