import { existsSync } from 'node:fs';
import { startSide } from '../kit/sides/side.ts';
import { findProgram, type Peer } from './peer.ts';

/** A folder of their own: installed beside the development dependencies, npm takes those away. */
const MODULES = `${import.meta.dirname}/node_modules`;

/** Other engines of JavaScript and a framework: `npm --prefix bench/peers install` brings them. */
export const RUNTIMES: readonly Peer[] = [
  constant('Bun.serve', ['bun', 'run', 'bun-server.ts']),
  constant('Elysia on Bun', ['bun', 'run', 'elysia-server.js'], 'elysia'),
  constant('Deno.serve', [
    'deno',
    'run',
    '--no-config',
    '--no-lock',
    '--allow-net',
    'deno-server.ts',
  ]),
];

/** @param library what the program needs in `node_modules`. */
function constant(name: string, command: readonly string[], library?: string): Peer {
  return {
    name,
    async start({ contentType, body }) {
      const program = findProgram(command[0]!, [`${MODULES}/.bin`]);
      if (program === undefined) return undefined;
      if (library !== undefined && !existsSync(`${MODULES}/${library}`)) return undefined;
      const file = `${import.meta.dirname}/${command.at(-1)}`;
      return startSide(name, [
        program,
        ...command.slice(1, -1),
        file,
        JSON.stringify({ contentType, body }),
      ]);
    },
  };
}
