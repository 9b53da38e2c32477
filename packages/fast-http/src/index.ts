/**
 * `attachFastPath` reads the common requests of an endpoint from the socket, without `node:http`.
 * The answers are the same; `npm run bench -- fast` shows the saved CPU time.
 */

export { attachFastPath, type FastConnections } from './attach.ts';
export type { FastAnswer } from './write-answer.ts';
