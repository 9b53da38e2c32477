/** Reads what goes between a proxy and the service, as plainly as both should write it. */

/**
 * Requests that a proxy has passed on, and those of them that have come to their end. What is not framed plainly, by one
 * Content-Length or by one coding in chunks, counts with all behind it as complete: then the service must answer it.
 */
export function readPassedOn(
  text: string,
  mark: RegExp,
): { readonly passedOn: number; readonly complete: number } {
  const passedOn = text.match(new RegExp(mark, 'gi'))?.length ?? 0;
  let complete = 0;
  for (let at = 0; at < text.length; complete++) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const behind = endOfBody(text, text.slice(at, end), end + 4);
    if (behind === undefined) return { passedOn, complete: passedOn };
    if (behind > text.length) break;
    at = behind;
  }
  return { passedOn, complete: Math.min(passedOn, complete) };
}

/** Where the body ends; beyond the text when it is not all there, `undefined` when its framing is not plain. */
function endOfBody(text: string, head: string, at: number): number | undefined {
  const lengths = head.match(/\ncontent-length:.*/gi) ?? [];
  const codings = head.match(/\ntransfer-encoding:.*/gi) ?? [];
  if (lengths.length + codings.length === 0) return at;
  if (lengths.length + codings.length > 1) return undefined;
  const length = /^\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r?$/i.exec(lengths[0] ?? '')?.[1];
  if (length !== undefined) return at + Number(length);
  return /^\ntransfer-encoding: *chunked\r?$/i.test(codings[0] ?? '')
    ? endOfChunks(text, at)
    : undefined;
}

function endOfChunks(text: string, begin: number): number | undefined {
  for (let at = begin; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return Number.POSITIVE_INFINITY;
    const size = /^([0-9a-f]{1,8})[ \t]*(;.*)?$/i.exec(text.slice(at, line))?.[1];
    if (size === undefined) return undefined;
    if (Number.parseInt(size, 16) === 0) return endOfTrailers(text, line);
    at = line + 2 + Number.parseInt(size, 16) + 2;
    if (at > text.length) return Number.POSITIVE_INFINITY;
  }
}

/** @param at the end of the line of the last chunk. */
function endOfTrailers(text: string, at: number): number {
  const end = text.indexOf('\r\n\r\n', at);
  return end < 0 ? Number.POSITIVE_INFINITY : end + 4;
}

/** Answers of the service, interim ones left out, and whether one of them says that it is the last. */
export function readAnswers(text: string): { readonly answered: number; readonly closes: boolean } {
  let answered = 0;
  let closes = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = text.slice(at, end);
    const status = Number(head.slice(9, 12));
    const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    at = end + 4 + (status < 200 || status === 204 || status === 304 ? 0 : length);
    if (status < 200) continue;
    answered++;
    closes ||= /^connection: *close/im.test(head);
  }
  return { answered, closes };
}
