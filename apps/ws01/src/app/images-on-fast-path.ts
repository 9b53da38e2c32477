import type { WireRequest, WireResponse } from '@ws01/asmx';
import type { ImageAnswer } from '../web/image-answer.ts';
import type { ImageAnswers } from '../web/image-answers.ts';

/**
 * Serves small images on the fast path.
 * @returns a function that answers a request; `undefined`, at once or later: `node:http` must.
 */
export function imagesOnFastPath(
  images: ImageAnswers,
  requestIds: (request: WireRequest) => string,
): (request: WireRequest) => Promise<WireResponse | undefined> | undefined {
  return (request) => {
    const requestId = requestIds(request);
    return images
      .answer({ ...request, requestId: () => requestId })
      ?.then(({ status, headers, body, open }) =>
        open === undefined ? { status, headers: NONE, rawHeaders: listOf(requestId, headers), body } : undefined,
      );
  };
}

const NONE = {};

/** As a list, the headers are of no body that is compressed. */
function listOf(requestId: string, headers: ImageAnswer['headers']): readonly string[] {
  const list = ['X-Request-Id', requestId];
  for (const name in headers) list.push(name, headers[name]!);
  return list;
}
