import { certificateProblem } from '../../failure/certificate.ts';
import { DependencyError } from '../../failure/dependency-error.ts';

/**
 * Returns the error for files that cannot be stored or read: the disk is full or broken, or S3 is
 * unreachable.
 */
export function filesUnavailable(cause: unknown): DependencyError {
  return new DependencyError(
    'files',
    'unavailable',
    `Files cannot be stored or read: ${reasonOf(cause)}.`,
    { cause },
  );
}

/** Runs work with the disk or S3 and converts its errors by {@link filesUnavailable}. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DependencyError ? error : filesUnavailable(error);
  }
}

/** Whether an error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'ENOENT' || name === 'NoSuchKey' || name === 'NotFound';
}

/**
 * For `catch`: what stands in place of a file that does not exist.
 * @throws any other error, from the function that it returns.
 */
export function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}

/** What an operator does about errors of the system. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'let the user of the service read and write there',
  EPERM: 'let the user of the service read and write there',
  EROFS: 'see dmesg why it is mounted read-only, and mount it to be written',
  ENOSPC: 'make room on that disk',
  EDQUOT: 'make room, or raise the quota',
  ENOTFOUND: 'check the name, and the DNS of this machine',
  EAI_AGAIN: 'check the DNS of this machine',
};

/** What an operator does about an error of the system; `undefined` where that is not known. */
export function remedyOf(error: unknown): string | undefined {
  return REMEDIES[(error as NodeJS.ErrnoException).code ?? ''];
}

/** Returns the message of the system or of S3, in one line, and what helps. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  const said = certificateProblem(error) || message || code || name || String(error);
  const remedy = remedyOf(error);
  return `${said.split('\n', 1)[0]!.replace(/\.$/, '')}${remedy === undefined ? '' : `; ${remedy}`}`;
}
