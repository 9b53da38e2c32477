/** What tells a test's end. */
interface Test {
  after(close: () => unknown): void;
}

const clients = new WeakMap<Test, (() => unknown)[]>();

/**
 * Closes a client before the services of its test stop: what a page asks of a service that stops is answered 503, and
 * a service waits for connections on which something may still come. What `after` is told first is done first, and
 * services are started before their clients.
 */
export function closeBeforeServices(test: Test, close: () => unknown): void {
  let closing: unknown;
  const once = () => (closing ??= close() ?? true);
  clients.set(test, [...(clients.get(test) ?? []), once]);
  test.after(once);
}

/** @param test whose services are about to stop. */
export async function closeClients(test: Test): Promise<void> {
  for (const close of clients.get(test) ?? []) await close();
}
