import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSide } from '../kit/sides/side.ts';
import type { Peer } from './peer.ts';

const run = promisify(execFile);
const SOURCES = `${import.meta.dirname}/gsoap`;

/** gSOAP, native C++: built where soapcpp2, g++ and libgsoap are installed (Debian: gsoap, libgsoap-dev, g++). */
export function gsoap(way: 'epoll' | 'threads'): Peer {
  return {
    name: `gSOAP, ${way}`,
    async start() {
      const folder = await mkdtemp(join(tmpdir(), 'ws01-gsoap-'));
      const remove = () => rm(folder, { recursive: true, force: true });
      const program = await build(folder);
      if (program === undefined) {
        await remove();
        return undefined;
      }
      const side = await startSide(this.name, [program, way]);
      return {
        ...side,
        async stop() {
          await side.stop();
          await remove();
        },
      };
    },
  };
}

/** @returns the program's path; `undefined` where the tools are missing. */
async function build(folder: string): Promise<string | undefined> {
  const program = join(folder, 'server');
  const generated = ['soapC.cpp', 'soapServer.cpp'].map((file) => join(folder, file));
  try {
    await run('soapcpp2', ['-S', '-L', '-x', '-d', folder, `${SOURCES}/count-user-posted.h`]);
    const options = ['-O2', '-DNDEBUG', `-I${folder}`, '-o', program];
    await run('g++', [...options, `${SOURCES}/server.cpp`, ...generated, '-lgsoap++', '-lpthread']);
    return program;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
