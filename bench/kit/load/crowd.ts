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
  /** Of `/healthz`, asked again and again on a connection of its own; ms. */
  readonly health: Percentiles;
  readonly healthFailed: number;
  /** MiB, the most that was seen. */
  readonly resident: number;
}
