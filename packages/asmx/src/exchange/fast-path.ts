import type { ContentType } from '../message/http.ts';
import type { Call } from './call.ts';
import type { CompiledOperation, CompiledService } from './compiled.ts';

/**
 * What the headers say about the operation, before the body is read.
 *
 * - `decisive`: a SOAPAction that must be known and must agree with the body (SOAP 1.1's rules);
 * - otherwise a hint: the `action` parameter of SOAP 1.2, or nothing; the body element routes when it is unknown.
 */
export interface ActionRoute {
  readonly decisive: boolean;
  /** The action as sent, unquoted and decoded; `undefined` when there was none. */
  readonly action: string | undefined;
  readonly operation: CompiledOperation | undefined;
}

/**
 * The fast paths of an endpoint. Each handles common requests, leaves all others to the general path, and gives the
 * same answers.
 */
export interface FastPath {
  /** Defers `proceed` to the end of the event-loop turn, so that concurrent calls run phase by phase. */
  readonly defer: (proceed: () => void) => void;
  /**
   * Reads the envelopes that generated proxies write.
   * @param contentType under which the envelope came; of the media type of either version.
   * @param body the whole body, not compressed.
   * @returns `undefined` when the envelope is for the general reader.
   */
  readonly readEnvelope: (
    service: CompiledService,
    contentType: ContentType,
    route: ActionRoute,
    body: Uint8Array,
  ) => Call | undefined;
}
