import { spawnSync } from 'node:child_process';
import { startSide } from '../kit/sides/side.ts';
import type { Peer } from './peer.ts';

/** Debian's Python, for which its package of Spyne is, whatever else is first in `PATH`. */
const PYTHON = '/usr/bin/python3';

/** Spyne on the server of Python's library, which closes after every answer; Debian: python3-spyne. */
export const spyne: Peer = {
  name: 'Spyne, wsgiref',
  async start() {
    if (spawnSync(PYTHON, ['-c', 'import spyne']).status !== 0) return undefined;
    return startSide(this.name, [PYTHON, `${import.meta.dirname}/spyne-server.py`]);
  },
};
