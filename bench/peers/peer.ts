import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BareAnswer } from '../kit/sides/bare-server.ts';
import type { Side } from '../kit/sides/side.ts';

/** What is measured beside this service. */
export interface Peer {
  readonly name: string;
  /**
   * @param answer what this service answers, for peers that always give the same answer.
   * @returns `undefined` where it is not installed.
   * @throws {Error} when it is, and does not start.
   */
  start(answer: BareAnswer): Promise<Side | undefined>;
}

/** The service description that peers are given: countUserPosted and nothing else. */
export const WSDL = `${import.meta.dirname}/count-user-posted.wsdl`;

/** The path that peers listen at; the one in the request. */
export const PATH = '/WS01.asmx';

/** Whether there is a program of this name, in `PATH` or where Debian puts servers. */
export function hasProgram(name: string): boolean {
  return findProgram(name) !== undefined;
}

/** The path of a program of this name: in `folders`, in `PATH`, or where Debian puts servers. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const all = [
    ...folders,
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
  ];
  return all
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
