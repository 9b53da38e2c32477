/** Many clients who come whatever the server does, what they are sent with, and what they find. */
import type { Percentiles } from './settings.ts';

export interface CrowdSettings {
  readonly port: number;
  /** The process that is measured. */
  readonly pid: number;
  /** As it stands on the wire, with placeholders. */
  readonly request: string;
  readonly groups: readonly CrowdGroup[];
  readonly durationMs: number;
}

export interface CrowdGroup {
  /** Addresses that it comes from. */
  readonly addresses: number;
  /** Requests a second, of all its addresses together. */
  readonly rate: number;
  /** Whether each request has a connection of its own; by default they are kept. */
  readonly afresh?: boolean;
}

/** Of the requests of a group that fell due. */
export interface GroupFindings {
  readonly sent: number;
  readonly accepted: number;
  /** Answered with `Busy`. */
  readonly busy: number;
  /** Fell due while all connections of the group were waiting, and were left out. */
  readonly leftOut: number;
  /** Another answer, or none. */
  readonly failed: number;
  /** Of those accepted, from when they were due; ms. */
  readonly latency: Percentiles;
}

export interface CrowdFindings {
  readonly seconds: number;
  readonly groups: readonly GroupFindings[];
  /** From when the last request was sent to the last answer; ms. */
  readonly endedMs: number;
  /** Of `/healthz`, asked again and again, on a new connection each time; ms. */
  readonly health: Percentiles;
  readonly healthFailed: number;
  /** MiB, the most that was seen. */
  readonly resident: number;
}
