import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSide } from '../kit/sides/side.ts';
import type { Peer } from './peer.ts';

const run = promisify(execFile);
const SOURCES = `${import.meta.dirname}/gsoap`;

/** Built once, at first need. */
let program: Promise<string | undefined> | undefined;

/** gSOAP, native C++: built where soapcpp2, g++ and libgsoap are installed (Debian: gsoap, libgsoap-dev, g++). */
export function gsoap(way: 'epoll' | 'threads'): Peer {
  const name = `gSOAP, ${way}`;
  return {
    name,
    async start() {
      program ??= build();
      const path = await program;
      return path === undefined ? undefined : startSide(name, [path, way]);
    },
  };
}

/** @returns the program's path, in a folder that goes with this process; `undefined` where the tools are missing. */
async function build(): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-gsoap-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = join(folder, 'server');
  const generated = ['soapC.cpp', 'soapServer.cpp'].map((file) => join(folder, file));
  try {
    await run('soapcpp2', ['-S', '-L', '-x', '-d', folder, `${SOURCES}/count-user-posted.h`]);
    const options = ['-O2', '-DNDEBUG', `-I${folder}`, '-o', server];
    await run('g++', [...options, `${SOURCES}/server.cpp`, ...generated, '-lgsoap++', '-lpthread']);
    return server;
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT' || /stdsoap2\.h: No such file|cannot find -lgsoap/.test(stderr ?? ''))
      return undefined;
    throw error;
  }
}
