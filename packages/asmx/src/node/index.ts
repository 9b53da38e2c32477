/** The entry `./node`: the endpoint as a listener of `node:http`. */

export { type NodeListener, nodeListener } from './listener.ts';
