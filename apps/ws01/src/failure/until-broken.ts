/**
 * Passes a body on. When it fails, it is too late for another answer, so the connection is cut. The
 * new stream itself does not fail: the adapter of node:http would end the answer with the error's
 * message, and a part would look whole.
 * @param onBroken logs the failure and cuts the connection.
 */
export function untilBroken(
  body: ReadableStream,
  onBroken: (error: unknown) => void,
): ReadableStream {
  const reader = body.getReader();
  // Nobody reads it any more: what comes of it then is no failure.
  let isCancelled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (isCancelled) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!isCancelled) onBroken(error);
      }
    },
    cancel: (reason) => {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
}
