/**
 * Checks a namespace that somebody writes; of one that was read of an old service nothing is asked.
 * @param path of the member. @throws {TypeError} with the remedy.
 */
export function checkNamespace(namespace: unknown, path: string): void {
  if (namespace === undefined || /^[a-z][a-z\d+.-]*:\S+$/i.test(String(namespace))) return;
  throw new TypeError(
    `${path}: it must be an absolute URI without blanks, like urn:hello, not ${JSON.stringify(namespace)}.`,
  );
}
