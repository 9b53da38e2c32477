import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ListenAddress } from '../web/sockets/listen.ts';

/**
 * An address cannot be listened on. The message is a sentence with the settings, their values and
 * the remedy.
 */
export class ListenFailure extends Error {
  override readonly name = 'ListenFailure';
}

/** The settings that an address comes from. */
export interface AddressSettings {
  readonly host: string;
  readonly port: string;
}

/** What Linux leaves to root, unless `net.ipv4.ip_unprivileged_port_start` says otherwise. */
const FIRST_ORDINARY_PORT = 1024;

/**
 * Names the settings of a failure to listen.
 * @param listening rejects with a system error.
 * @throws {ListenFailure} for an error with a code; others as they are.
 */
export async function listeningAs<Bound>(
  settings: AddressSettings,
  address: ListenAddress,
  listening: Promise<Bound>,
): Promise<Bound> {
  try {
    return await listening;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || 'fd' in address) throw error;
    const told = 'path' in address ? ofSocket(code, address.path) : ofPort(code, settings, address);
    throw new ListenFailure(`${told}.`, { cause: error });
  }
}

function ofSocket(code: string, path: string): string {
  return `SOCKET_PATH=${path}: ${socketReason(code, path)}`;
}

function socketReason(code: string, path: string): string {
  // libuv says EACCES for a folder that is not there.
  switch (existsSync(dirname(path)) ? code : 'ENOENT') {
    case 'EADDRINUSE':
      return isSocket(path)
        ? 'another program listens there; stop it, or set SOCKET_PATH to another path'
        : 'this is a file and no socket; move it away, or set SOCKET_PATH to another path';
    case 'ENOENT':
      return 'there is no such folder; make it for the user of the service, as RuntimeDirectory= of systemd does';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied; set SOCKET_PATH to a path in a folder that the user of the service may write';
    case 'EROFS':
      return 'the file system is read-only; set SOCKET_PATH to a path in another one, such as /run';
    default:
      return `it cannot be listened on (${code}); set SOCKET_PATH to another path`;
  }
}

function isSocket(path: string): boolean {
  try {
    return statSync(path).isSocket();
  } catch {
    return false;
  }
}

function ofPort(
  code: string,
  { host: hostName, port: portName }: AddressSettings,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const [byHost, byPort] = [`${hostName}=${host}`, `${portName}=${port}`];
  switch (code) {
    case 'EADDRINUSE':
      return `${byHost} ${byPort}: the address is in use; stop the program that listens there, or set ${portName} to another one`;
    case 'EADDRNOTAVAIL':
      return `${byHost}: this machine has no such address; set ${hostName} to one of its addresses, such as 0.0.0.0`;
    case 'EINVAL':
      return `${byHost}: the address is not complete; a link-local one needs its interface, such as fe80::1%eth0`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${byHost}: there is no host of that name; set ${hostName} to an address of this machine, such as 0.0.0.0`;
    case 'EAFNOSUPPORT':
      return `${byHost}: this machine has no addresses of that kind; set ${hostName} to 0.0.0.0 for IPv4`;
    case 'EACCES':
    case 'EPERM':
      return port > 0 && port < FIRST_ORDINARY_PORT
        ? `${byPort}: ports below ${FIRST_ORDINARY_PORT} are for root; set ${portName} to a higher one behind a proxy, or let systemd open it (deploy/systemd/ws01.socket)`
        : `${byHost} ${byPort}: permission denied; set ${portName} to another one`;
    default:
      return `${byHost} ${byPort}: it cannot be listened on (${code}); set ${hostName} and ${portName} to others`;
  }
}
