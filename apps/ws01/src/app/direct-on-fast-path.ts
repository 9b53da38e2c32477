import type { WireRequest } from '@ws01/asmx';
import type { FastAnswer } from '@ws01/fast-http';
import { type DirectAnswer, type DirectAnswers, UNREAD } from '../web/direct-answers.ts';

/**
 * Gives direct answers on the fast path.
 * @returns a function that answers a request; `undefined`, at once or later: `node:http` must.
 */
export function directOnFastPath(
  direct: DirectAnswers,
  requestIds: (request: WireRequest) => string,
): (request: WireRequest) => Promise<FastAnswer | undefined> | undefined {
  return (request) => {
    const requestId = requestIds(request);
    return direct({ ...request, requestId: () => requestId })?.then((answer) => {
      if (answer === undefined) return undefined;
      return answer.stream === undefined
        ? wholeOf(answer, requestId)
        : streamed(answer, answer.stream, request, requestId);
    });
  };
}

const NONE = {};

function wholeOf({ status, headers, body }: DirectAnswer, requestId: string): FastAnswer {
  return { status, headers: NONE, rawHeaders: listOf(requestId, headers), body };
}

async function streamed(
  { status, headers, length = 0 }: DirectAnswer,
  { open, failed }: NonNullable<DirectAnswer['stream']>,
  { gone }: WireRequest,
  requestId: string,
): Promise<FastAnswer> {
  const signal = gone?.();
  try {
    const pieces = await open(signal);
    return {
      status,
      headers: NONE,
      rawHeaders: listOf(requestId, headers),
      body: { length, pieces },
    };
  } catch (error) {
    return wholeOf(signal?.aborted ? UNREAD : failed(error), requestId);
  }
}

/** As a list, the headers are of no body that is compressed. */
function listOf(requestId: string, headers: DirectAnswer['headers']): readonly string[] {
  const list = ['X-Request-Id', requestId];
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}
