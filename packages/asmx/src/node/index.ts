/** The entry `./node`: the endpoint as a listener of `node:http`. */

export { inTurn } from './in-turn.ts';
export { type NodeListener, nodeListener } from './listener.ts';
export { DEFAULT_READER_LIMITS, disconnectSlowReaders, type ReaderLimits } from './slow-readers.ts';
