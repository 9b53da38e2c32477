type Known = new (...args: never[]) => Error;

/** What a reader returns, or a known error by its name. @throws what is not known. */
export function outcome<T>(
  read: () => T,
  known: Known,
): { readonly value?: T; readonly error?: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof known) return { error: error.name };
    throw error;
  }
}
