/** The entry `./node/fast`: ordinary requests read past `node:http`. */

export { type OrdinaryConnections, takeOrdinaryRequests } from './http/attach.ts';
