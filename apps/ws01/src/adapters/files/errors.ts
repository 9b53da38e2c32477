import { DependencyError } from '../../failure/dependency-error.ts';

/** Files cannot be stored or read: a full disk, a failing one, S3 not there. */
export function filesUnavailable(cause: unknown): DependencyError {
  return new DependencyError('files', 'unavailable', `Files cannot be stored or read: ${reasonOf(cause)}.`, { cause });
}

/** Runs work with the disk or S3; whatever fails in it is {@link filesUnavailable}. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DependencyError ? error : filesUnavailable(error);
  }
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'ENOENT' || name === 'NoSuchKey' || name === 'NotFound';
}

/** What the system or S3 said, in one line. */
function reasonOf(error: unknown): string {
  const { message, code, name } = error as NodeJS.ErrnoException;
  const said = message || code || name || String(error);
  return said.split('\n', 1)[0]!.replace(/\.$/, '');
}
