/**
 * The entry `./node/fast`: the measured short cuts. With `fastPath` as an option of `createEndpoint` it reads what
 * generated proxies write without the XML reader and defers calls; `attachFastPath` reads HTTP past `node:http`.
 * Without them everything is answered the same, for more CPU time; `npm run bench -- fast` says how much.
 */

import type { FastPath } from '../engine/fast-path.ts';
import { deferToEndOfTurn } from './defer-to-end-of-turn.ts';
import { readFastEnvelope } from './envelope/envelope.ts';

export type { FastPath } from '../engine/fast-path.ts';
export { attachFastPath, type FastConnections } from './http/attach.ts';

export const fastPath: FastPath = { defer: deferToEndOfTurn, readEnvelope: readFastEnvelope };
