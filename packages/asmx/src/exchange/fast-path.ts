import type { ContentType } from '../message/http.ts';
import type { Call } from './call.ts';
import type { CompiledOperation, CompiledService } from './compiled.ts';

/**
 * What the headers say about the operation, before the body is read. Without an operation the body
 * element routes.
 */
export interface ActionRoute {
  /** The action as sent, unquoted and decoded; `undefined` when there was none. */
  readonly action: string | undefined;
  readonly operation: CompiledOperation | undefined;
}

/**
 * The fast paths of an endpoint. Each handles common requests, leaves all others to the general
 * path, and gives the same answers.
 */
export interface FastPath {
  /**
   * Defers `proceed` to the end of the event-loop turn, so that concurrent calls run phase by
   * phase.
   */
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
