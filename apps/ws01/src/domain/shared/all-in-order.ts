/**
 * Waits for works that go on at once.
 * @throws what the first of them in this order threw, whichever was the quickest.
 */
export async function allInOrder(works: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(works);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
