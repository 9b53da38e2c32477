/**
 * The warning for client and log when bytes of a request were replaced.
 * @param charset the one in which they are no text; `undefined` where none were.
 * @returns the warning of the call, if there is one.
 */
export function lostBytes(charset: string | undefined): readonly string[] {
  if (charset === undefined) return [];
  return [
    `Bytes of the request are no text in ${charset} and were replaced; name their charset in the Content-Type.`,
  ];
}
