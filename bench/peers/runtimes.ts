import { existsSync } from 'node:fs';
import { startSide } from '../kit/sides/side.ts';
import { hasProgram, type Peer } from './peer.ts';

/** Other engines of JavaScript and a framework: `npm install --no-save bun deno elysia` brings them. */
export const RUNTIMES: readonly Peer[] = [
  constant('Bun.serve', ['bun', 'run', 'bun-server.ts']),
  constant('Elysia on Bun', ['bun', 'run', 'elysia-server.js'], 'elysia'),
  constant('Deno.serve', ['deno', 'run', '--no-config', '--no-lock', '--allow-net', 'deno-server.ts']),
];

/** @param library what the program needs in `node_modules`. */
function constant(name: string, command: readonly string[], library?: string): Peer {
  return {
    name,
    async start({ contentType, body }) {
      if (!hasProgram(command[0]!)) return undefined;
      if (library !== undefined && !existsSync(`${import.meta.dirname}/../../node_modules/${library}`))
        return undefined;
      const file = `${import.meta.dirname}/${command.at(-1)}`;
      return startSide(name, [...command.slice(0, -1), file, JSON.stringify({ contentType, body })]);
    },
  };
}
