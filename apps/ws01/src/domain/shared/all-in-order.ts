/**
 * Waits for concurrent promises.
 * @returns their values, in their order.
 * @throws the error of the first failed one in this order, not in time.
 */
export async function allInOrder<Results extends readonly unknown[]>(
  works: readonly [...{ [Index in keyof Results]: Promise<Results[Index]> }],
): Promise<Results> {
  const outcomes = await Promise.allSettled(works);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }) as unknown as Results;
}
