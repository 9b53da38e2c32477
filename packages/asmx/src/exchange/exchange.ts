import type { ContentType, WireRequest } from '../message/http.ts';
import type { CompiledService } from './compiled.ts';
import type { FastPath } from './fast-path.ts';
import type { Held } from './held.ts';
import type { Intake } from './intake/intake.ts';

/**
 * A request at the service's path, from its arrival to its answer. A binding reads a `Call` from
 * it.
 */
export interface Exchange {
  readonly request: WireRequest;
  readonly service: CompiledService;
  /** `undefined` if every call takes the general path. */
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
  /** Enforces the limits of a request until its credential is checked. */
  readonly intake: Intake;
}
