import { type ContentType, parseContentType } from '../../message/http.ts';
import type { PartHeaders } from '../../message/multipart.ts';

/** The headers of a part of a SOAP message (RFC 2387, RFC 2045). */
export interface MessagePart {
  /** Without its angle brackets; `undefined` when the part has none. */
  readonly contentId: string | undefined;
  readonly contentType: ContentType;
  /** In lower case; `binary` when the part has none. */
  readonly transferEncoding: string;
}

export function messagePart(headers: PartHeaders): MessagePart {
  return {
    contentId: headers.get('content-id')?.replace(/^</, '').replace(/>$/, ''),
    contentType: parseContentType(headers.get('content-type')),
    transferEncoding: headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary',
  };
}
