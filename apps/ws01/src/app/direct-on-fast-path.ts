import type { WireRequest, WireResponse } from '@ws01/asmx';
import type { DirectAnswer, DirectAnswers } from '../web/direct-answers.ts';

/**
 * Gives direct answers on the fast path, except those that are streamed.
 * @returns a function that answers a request; `undefined`, at once or later: `node:http` must.
 */
export function directOnFastPath(
  direct: DirectAnswers,
  requestIds: (request: WireRequest) => string,
): (request: WireRequest) => Promise<WireResponse | undefined> | undefined {
  return (request) => {
    const requestId = requestIds(request);
    return direct({ ...request, requestId: () => requestId })?.then((answer) => {
      if (answer === undefined || answer.stream !== undefined) return undefined;
      const { status, headers, body } = answer;
      return { status, headers: NONE, rawHeaders: listOf(requestId, headers), body };
    });
  };
}

const NONE = {};

/** As a list, the headers are of no body that is compressed. */
function listOf(requestId: string, headers: DirectAnswer['headers']): readonly string[] {
  const list = ['X-Request-Id', requestId];
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}
