/** Of bytes that stand beside an envelope, by what handlers have of them. */
const TYPES = new WeakMap<object, string>();

/**
 * The media type under which bytes came in a part of their own, with MTOM or as an attachment;
 * `undefined` for other bytes.
 */
export function mediaTypeOf(bytes: object): string | undefined {
  return TYPES.get(bytes);
}

/**
 * Has bytes go under a media type, where they go in a part of their own. Those that came in one
 * keep theirs.
 * @returns the bytes. @throws {TypeError} for what is no media type.
 */
export function withMediaType<Bytes extends object>(bytes: Bytes, type: string): Bytes {
  if (!MEDIA_TYPE.test(type)) throw new TypeError(`${JSON.stringify(type)} is no media type.`);
  TYPES.set(bytes, type);
  return bytes;
}

/** The same for a type that somebody else said: what is none is left out. */
export function withSaidType<Bytes>(bytes: Bytes, type = ''): Bytes {
  const isKnown = typeof bytes === 'object' && bytes !== null && MEDIA_TYPE.test(type);
  return isKnown ? (withMediaType(bytes, type) as Bytes) : bytes;
}

/** RFC 9110, 8.3.1, with what WSDL 1.1, 5.4, allows in place of one: wildcards, and no subtype. */
export const MEDIA_TYPE =
  /^[\w!#$&^.+*-]+(?:\/[\w!#$&^.+*-]+)?(?: ?; ?[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;
