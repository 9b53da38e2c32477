import { type ContentType, parseContentType } from '../../message/http.ts';
import { contentId, type PartHeaders } from '../../message/multipart.ts';
import { decodePercent } from '../../message/percent.ts';
import type { ElementPlan } from '../../values/plan.ts';

/** The headers of a part of a SOAP message (RFC 2387, RFC 2045). */
export interface MessagePart {
  /** As it is compared; `undefined` when the part has none. */
  readonly contentId: string | undefined;
  readonly contentType: ContentType;
  /** In lower case; `binary` when the part has none. */
  readonly transferEncoding: string;
}

export function messagePart(headers: PartHeaders): MessagePart {
  const id = headers.get('content-id');
  return {
    contentId: id === undefined ? undefined : contentId(id),
    contentType: parseContentType(headers.get('content-type')),
    transferEncoding: headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary',
  };
}

/**
 * Takes the expected value that a part brings: the one that its Content-ID names (WS-I Attachments
 * Profile 1.0, R2933). If it names none, as with Axis, it is the next in their order.
 */
export function takeExpected(
  id: string | undefined,
  expected: ElementPlan[],
): ElementPlan | undefined {
  const [said = '', more] = id?.split('=', 2) ?? [];
  const name = decodePercent(said, { plus: 'plus' });
  const named = expected.findIndex((each) => each.name === name);
  const at = named < 0 && more === undefined ? 0 : named;
  return at < 0 ? undefined : expected.splice(at, 1)[0];
}
