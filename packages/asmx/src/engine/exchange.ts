import type { BinarySink } from '../contract/binary.ts';
import type { CompiledService } from '../contract/compiled.ts';
import type { ContentType, WireRequest } from '../message/http.ts';
import type { FastPath } from './fast-path.ts';
import type { Held } from './held.ts';
import type { Intake } from './intake/intake.ts';

/** A request at the service's path, from its arrival to its answer. What is understood of it makes a `Call`. */
export interface Exchange {
  readonly request: WireRequest;
  readonly service: CompiledService;
  /** `undefined` when the endpoint has every call go the general path. */
  readonly fastPath: FastPath | undefined;
  readonly requestId: string;
  /** The client's address, trusted proxies taken into account. */
  readonly address: string;
  readonly contentType: ContentType;
  /** What follows `/WS01.asmx` in the path, undecoded: `''` or `/…`. */
  readonly pathInfo: string;
  /** The query without `?`, undecoded. */
  readonly query: string;
  /** Released when the request is answered. */
  readonly held: Held;
  /** What the request may cost until its credential is judged. */
  readonly intake: Intake;
  /** Makes the sink of a file; who writes to it sees to its release. */
  readonly createSink: () => BinarySink<unknown>;
}
