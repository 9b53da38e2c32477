import { ProtocolError } from '../../contract/errors.ts';
import type { Limits } from '../../contract/limits.ts';
import type { ChunkAccount } from '../../message/http.ts';
import { time } from '../../time/index.ts';

/** How often it is looked whether bodies come fast enough; ms. */
const CHECK_EVERY_MS = 1_000;

/** The bytes that a sink may buffer. */
const SINK_BYTES = 512 * 1024;

/**
 * The requests of an endpoint whose bodies still arrive or whose credential is not checked yet.
 * Limits their memory and disk use together, because many requests can come concurrently, how long
 * each may pause, and how many may be slow.
 */
export class Arrivals {
  readonly limits: Limits;
  readonly #all = new Set<Arrival>();
  /** Requests that hold memory and are not checked yet, oldest first. */
  readonly #unauthenticated = new Set<Arrival>();
  /**
   * What requests hold whose credential is not checked yet, and have given to the sinks of files;
   * bytes.
   */
  #heldBytes = 0;
  #fileBytes = 0;
  #checking: NodeJS.Timeout | undefined;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /**
   * A body begins to arrive.
   * @param stop ends its reading; the caller that waits for it gets the error.
   */
  begin(stop: (error: ProtocolError) => void): Arrival {
    const arrival = new Arrival(this, stop);
    this.#all.add(arrival);
    this.#checking ??= setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
    return arrival;
  }

  /**
   * For an arrival whose credential is not checked: it holds more, or less. If all together hold
   * too much, the oldest are stopped; requests that are sent without pauses end long before they
   * are the oldest.
   */
  changeHeld(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#heldBytes <= this.limits.totalUnauthenticatedBytes) return;
    for (const oldest of this.#unauthenticated) {
      if (oldest.heldBytes > 0) oldest.stop(tooMany());
      if (this.#heldBytes <= this.limits.totalUnauthenticatedBytes) return;
    }
  }

  /**
   * For an arrival whose credential is not checked: its sinks get or release bytes of files.
   * @throws {ProtocolError} Busy
   */
  changeFiles(bytes: number): void {
    if (bytes > 0 && this.#fileBytes + bytes > this.limits.totalUnauthenticatedFileBytes)
      throw tooMany();
    this.#fileBytes += bytes;
  }

  /** For an arrival whose credential is not checked: it begins to hold bytes. */
  enterUnauthenticated(arrival: Arrival): void {
    this.#unauthenticated.add(arrival);
  }

  /** For an arrival: its credential is valid, or it was stopped. */
  leaveUnauthenticated(arrival: Arrival): void {
    this.#unauthenticated.delete(arrival);
  }

  /** For an arrival that is over. */
  leave(arrival: Arrival): void {
    this.#all.delete(arrival);
    this.#unauthenticated.delete(arrival);
  }

  #check(): void {
    const now = time.steady();
    const { bodyPauseMs, slowBodies } = this.limits;
    const slow: Arrival[] = [];
    for (const arrival of this.#all) {
      if (arrival.stopped !== undefined) continue;
      if (arrival.pausedMs(now) > bodyPauseMs) arrival.stop(pausesTooLong(bodyPauseMs));
      else if (arrival.lateMs(now) > 0) slow.push(arrival);
    }
    if (slow.length > slowBodies) {
      slow.sort(
        (a, b) => Number(a.isChecked) - Number(b.isChecked) || b.lateMs(now) - a.lateMs(now),
      );
      for (const arrival of slow.slice(0, slow.length - slowBodies))
        arrival.stop(tooManySlow(this.limits));
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }
}

/** One request on its way. */
export class Arrival {
  readonly #arrivals: Arrivals;
  readonly #stop: (error: ProtocolError) => void;
  #stopped: ProtocolError | undefined;
  #counts = true;
  #held = 0;
  /** The piece that is being read; bytes. */
  #carried = 0;
  #files = 0;
  /** What came on the wire; bytes. */
  #received = 0;
  /** How long the client was waited for; ms. */
  #waited = 0;
  /** Start of the current wait for bytes; ms, `undefined` while not waiting. */
  #waitsSince: number | undefined;

  constructor(arrivals: Arrivals, stop: (error: ProtocolError) => void) {
    this.#arrivals = arrivals;
    this.#stop = stop;
  }

  /** What is held of it, until its credential is checked; bytes. */
  get heldBytes(): number {
    return this.#held + this.#carried;
  }

  /** Whether its credential is valid. */
  get isChecked(): boolean {
    return !this.#counts;
  }

  /** What it was stopped with. */
  get stopped(): ProtocolError | undefined {
    return this.#stopped;
  }

  /** The client is waited for. */
  waits(): void {
    this.#waitsSince = time.steady();
  }

  /**
   * Bytes came; the next ones are not waited for until {@link waits} says so.
   * @param chunks of a body in chunks: what they take on the wire counts, so that who sends tiny
   *   ones is not slow for that.
   * @throws {ProtocolError} MalformedRequest when they are over the limit `chunkOverhead`.
   */
  came(bytes: number, chunks?: ChunkAccount): void {
    this.#received = chunks?.wireBytes ?? this.#received + bytes;
    this.#endWait();
    const { chunkOverhead } = this.#arrivals.limits;
    if (chunks !== undefined && areTooSmall(chunks, chunkOverhead))
      throw chunksTooSmall(chunkOverhead);
  }

  /** The body is complete. */
  complete(): void {
    this.#endWait();
  }

  /**
   * Bytes are kept until the credential is checked.
   * @throws {ProtocolError} Busy when the service holds too many requests and this one began first,
   *   TooLarge over the limit `unauthenticatedBytes`.
   */
  hold(bytes: number): void {
    this.throwIfStopped();
    if (!this.#counts || bytes === 0) return;
    this.#enter();
    this.#held += bytes;
    this.#arrivals.changeHeld(bytes);
    this.throwIfStopped();
    const { unauthenticatedBytes } = this.#arrivals.limits;
    if (this.#held > unauthenticatedBytes)
      throw tooMuchUnauthenticated('unauthenticatedBytes', unauthenticatedBytes);
  }

  /**
   * A piece of so many bytes replaces the one before: it stays in memory until the next one comes.
   * It counts among all requests, not for the limit of this one.
   * @throws {ProtocolError} Busy
   */
  carry(bytes: number): void {
    this.throwIfStopped();
    if (!this.#counts) return;
    this.#enter();
    const more = bytes - this.#carried;
    this.#carried = bytes;
    this.#arrivals.changeHeld(more);
    this.throwIfStopped();
  }

  /** Bytes are kept no longer. */
  release(bytes: number): void {
    if (!this.#counts) return;
    const released = Math.min(bytes, this.#held);
    this.#held -= released;
    this.#arrivals.changeHeld(-released);
  }

  /**
   * Bytes of a file go to a sink, which holds some of them.
   * @throws {ProtocolError} Busy when there are too many.
   */
  file(bytes: number): void {
    this.throwIfStopped();
    if (!this.#counts) return;
    this.#arrivals.changeFiles(bytes);
    this.hold(Math.min(bytes, Math.max(0, SINK_BYTES - this.#files)));
    this.#files += bytes;
  }

  /** The credential is valid: from now on only the limits of the operation apply. */
  authorized(): void {
    this.#uncount();
  }

  /** The request is read and authorized, or refused. */
  end(): void {
    this.#uncount();
    this.#arrivals.leave(this);
  }

  /** Ends it with an error, which its reader gets. */
  stop(error: ProtocolError): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = error;
    this.#uncount();
    this.#stop(error);
  }

  /** @throws {ProtocolError} what it was stopped with. */
  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** How long the client has been waited for since it sent something. @param now ms, monotonic. */
  pausedMs(now: number): number {
    return this.#waitsSince === undefined ? 0 : now - this.#waitsSince;
  }

  /**
   * How far it is behind one that comes with `minBodyRate`, once it has taken longer than
   * `bodyGraceMs`; ms, not above 0 for one that is not slow. @param now ms, monotonic.
   */
  lateMs(now: number): number {
    const { bodyGraceMs, minBodyRate } = this.#arrivals.limits;
    const paused = this.pausedMs(now);
    if (paused === 0) return 0;
    const waited = this.#waited + paused;
    return waited > bodyGraceMs ? waited - (this.#received / minBodyRate) * 1_000 : 0;
  }

  #enter(): void {
    if (this.heldBytes === 0) this.#arrivals.enterUnauthenticated(this);
  }

  #endWait(): void {
    if (this.#waitsSince === undefined) return;
    this.#waited += time.steady() - this.#waitsSince;
    this.#waitsSince = undefined;
  }

  #uncount(): void {
    if (!this.#counts) return;
    this.#counts = false;
    this.#arrivals.leaveUnauthenticated(this);
    this.#arrivals.changeHeld(-this.heldBytes);
    this.#arrivals.changeFiles(-this.#files);
    this.#held = 0;
    this.#carried = 0;
  }
}

/** A request that is over a limit which holds until its credential is checked. */
export function tooMuchUnauthenticated(name: keyof Limits, value: number): ProtocolError {
  const remedy = name === 'unauthenticatedInflatedBytes' ? ', or the body as it is' : '';
  const message = `The request is over the limit ${name} of ${value} bytes, which holds until its credential is read; send the credential first${remedy}.`;
  return new ProtocolError('TooLarge', message, {
    faultstring: `Maximum request length exceeded. ${message}`,
  });
}

/** How much of a body may come in chunks of any size; bytes. */
const CHUNK_ALLOWANCE = 16 * 1024;

function areTooSmall({ wireBytes, bodyBytes }: ChunkAccount, percent: number): boolean {
  return wireBytes > CHUNK_ALLOWANCE + bodyBytes * (1 + percent / 100);
}

function chunksTooSmall(percent: number): ProtocolError {
  const message = `The chunks of the body are so small that they add more than the limit chunkOverhead of ${percent} % to it; send larger ones, or a Content-Length.`;
  return new ProtocolError('MalformedRequest', message, {}, { limit: 'chunkOverhead' });
}

function tooMany(): ProtocolError {
  return new ProtocolError(
    'Busy',
    'Too many requests are on their way; nothing was done, try again.',
  );
}

function pausesTooLong(ms: number): ProtocolError {
  const message = `The request body paused for longer than the limit bodyPauseMs of ${ms / 1000} s; send it again.`;
  return notInTime(message, 'bodyPauseMs');
}

function tooManySlow({ slowBodies, minBodyRate }: Limits): ProtocolError {
  const message =
    `The request body came too slowly: more bodies than the limit slowBodies of ${slowBodies} came with ` +
    `less than minBodyRate of ${minBodyRate} bytes a second, and this was the slowest; send it again.`;
  return notInTime(message, 'slowBodies');
}

/** RFC 9110 15.5.9. */
function notInTime(message: string, limit: keyof Limits): ProtocolError {
  return new ProtocolError('MalformedRequest', message, { plainStatus: 408 }, { limit });
}
