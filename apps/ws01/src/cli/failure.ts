import { CommanderError } from 'commander';
import { ListenFailure } from '../app/listen-failure.ts';
import { ConfigError } from '../config/config.ts';
import { REINSTALL } from '../config/environment.ts';
import { Ws01Error } from '../contract/errors.ts';
import { TokenTextError } from '../domain/credentials/token-text.ts';
import { DependencyError } from '../failure/dependency-error.ts';

/** A failed command. The message contains the remedy; it may have several lines. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: 1 | 2 | 78;

  /** @param options `exitCode`: 1 (default); 2 for invalid arguments; 78 for invalid settings. */
  constructor(
    message: string,
    { exitCode = 1, ...options }: ErrorOptions & { readonly exitCode?: 1 | 2 | 78 } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A command was used wrongly; its exit code is 2. */
export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, { exitCode: 2 });
  }
}

/**
 * `EX_CONFIG` of sysexits.h: tells service managers not to restart before the settings are changed.
 */
const WRONG_SETTINGS = 78;

/**
 * The message and exit code of an error: 1 for a failure, 2 for a usage error, 78 for invalid
 * settings.
 */
interface CliError {
  /** Empty if nothing is left to print. */
  readonly text: string;
  readonly exitCode: number;
}

/** Explanations of common system errors. */
const SYSTEM = new Map<string, string>([
  ['ENOTFOUND', 'there is no host of that name'],
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'that is a folder; name a file'],
  ['EACCES', 'permission denied; run this as a user who may, or change its rights'],
  ['EPERM', 'permission denied; run this as a user who may, or change its rights'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full for this account'],
]);

export function describeError(error: unknown): CliError {
  if (error instanceof CommanderError) {
    // Commander throws for help and version, too.
    return { text: '', exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  if (error instanceof TokenTextError) {
    return { text: `The token ${error.message}.`, exitCode: 1 };
  }
  if (error instanceof Ws01Error) {
    const wrongly = error.code === 'MissingParameter' || error.code === 'InvalidParameter';
    return { text: error.message, exitCode: wrongly ? 2 : 1 };
  }
  if (error instanceof CommandFailure) {
    return { text: error.message, exitCode: error.exitCode };
  }
  if (error instanceof ListenFailure) return { text: error.message, exitCode: 1 };
  if (error instanceof ConfigError) return { text: error.message, exitCode: WRONG_SETTINGS };
  if (error instanceof DependencyError) {
    return { text: error.message, exitCode: error.kind === 'misconfigured' ? WRONG_SETTINGS : 1 };
  }
  if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
    return { text: `${(error as Error).message.split('\n', 1)[0]}; ${REINSTALL}.`, exitCode: 1 };
  }
  const { code, path, dest, address, port } = error as NodeJS.ErrnoException & {
    dest?: string;
    address?: string;
    port?: number;
  };
  const known = code === undefined ? undefined : SYSTEM.get(code);
  if (known !== undefined) {
    // If a copy fails, the disk of its target is full.
    const file = code === 'ENOSPC' || code === 'EDQUOT' ? (dest ?? path) : path;
    const where =
      file ?? (address === undefined ? code : `${address}${port === undefined ? '' : `:${port}`}`);
    return { text: `${where}: ${known}.`, exitCode: 1 };
  }
  return {
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    exitCode: 1,
  };
}

/** An error as `--json` prints it to standard error: one line. */
export function jsonError(message: string, exitCode: number): string {
  return `${JSON.stringify({ error: { message, exitCode } })}\n`;
}
