import { time } from '../time/index.ts';

/**
 * How long a client that was refused in mid-body may go on sending, and how long it may pause; ms.
 * As nginx.
 */
const LINGER_MS = 30_000;
const LINGER_SILENCE_MS = 2_000;

/** A wait for the rest of a body that nobody reads. */
export interface Linger {
  /** More of it has come. */
  heard(): void;
  /** It is over. */
  stop(): void;
}

/**
 * Waits for a client that has its answer before it has sent its body. To close at once would reset
 * the connection, and the reset can overtake the answer; so the rest is read and dropped until the
 * client is done or its time is over (RFC 9112 9.6).
 * @param end called once, when its time is over.
 */
export function linger(end: () => void): Linger {
  const over = () => {
    stop();
    end();
  };
  const longest = time.limit(LINGER_MS, over);
  let silence = time.limit(LINGER_SILENCE_MS, over);
  const heard = () => {
    silence.end();
    silence = time.limit(LINGER_SILENCE_MS, over);
  };
  const stop = () => {
    silence.end();
    longest.end();
  };
  return { heard, stop };
}
