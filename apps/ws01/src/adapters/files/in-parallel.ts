/**
 * Runs work on each item, at most `atOnce` at a time. Starts nothing after a failure.
 * @throws the first failure.
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, at: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries();
  let failed = false;
  const goOn = async () => {
    for (const [at, item] of waiting) {
      if (failed) return;
      try {
        await work(item, at);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(atOnce, items.length) }, goOn),
  );
  const first = outcomes.find((outcome) => outcome.status === 'rejected');
  if (first !== undefined) throw first.reason;
}
