import { userInfo } from 'node:os';

let name: string | undefined;

/** Returns the system account of this process, which names the operator in the audit trail. */
export function operatorName(): string {
  name ??= readName();
  return name;
}

function readName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run with a user id that has no account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
