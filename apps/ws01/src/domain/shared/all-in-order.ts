/** Waits for concurrent promises. @throws the error of the first failed one in this order, not in time. */
export async function allInOrder(works: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
