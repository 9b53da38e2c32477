/** The entry `./node/fast`: ordinary requests read past `node:http`. */

export { attachFastPath, type FastConnections } from './http/attach.ts';
