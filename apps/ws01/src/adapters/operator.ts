import { userInfo } from 'node:os';

let name: string | undefined;

/** The account that this process runs under: who an operator is on this machine. */
export function operatorName(): string {
  name ??= readName();
  return name;
}

function readName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
