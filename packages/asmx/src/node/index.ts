/**
 * The entry `./node`: the endpoint as a listener of `node:http`.
 * @packageDocumentation
 */

export { acceptPromptly } from './accept-promptly.ts';
export { countBody } from './count-body.ts';
export { acceptFirst, inTurn, serveLater } from './in-turn.ts';
export { type NodeListener, nodeListener } from './listener.ts';
export { LongResponse } from './long-response.ts';
export { acceptRawTarget, type UnreadableMessage } from './raw-targets.ts';
export { separateAccount } from './separate-account.ts';
export {
  DEFAULT_READER_LIMITS,
  disconnectSlowReaders,
  type ReaderLimits,
  slowReaders,
} from './slow-readers.ts';
export { boundHeads } from './unfinished-heads.ts';
export { answerBeforeBody, dropRest } from './unread-request.ts';
export {
  UPSTREAM_ANSWER_BYTES,
  UPSTREAM_TIMEOUT_MS,
  Upstream,
  UpstreamError,
  type UpstreamOptions,
} from './upstream/ask.ts';
export { Networks, PrivateNetworkError } from './upstream/networks.ts';
export { type Passed, type PassThroughOptions, passThrough } from './upstream/pass-through.ts';
