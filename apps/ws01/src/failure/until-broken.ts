/**
 * Passes a body on. When it fails, it is too late for another answer, so the connection is cut. The
 * new stream itself does not fail: the adapter of node:http would end the answer with the error's
 * message, and a part would look whole.
 * @param onBroken logs the failure and cuts the connection; is called once.
 */
export function untilBroken(
  body: ReadableStream,
  onBroken: (error: unknown) => void,
): ReadableStream {
  const reader = body.getReader();
  // Nobody reads it any more, or its failure is logged: what comes of it then is none.
  let isOver = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (isOver) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (isOver) return;
        isOver = true;
        onBroken(error);
      }
    },
    cancel: (reason) => {
      isOver = true;
      return reader.cancel(reason);
    },
  });
}
