import { mediaTypeOf } from '../../contract/media-type.ts';
import type { SoapVersion } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import type { ElementPlan } from '../../values/plan.ts';
import { ResultError } from '../../values/result-error.ts';
import type { Beside } from '../../values/write-tags.ts';

/** A part beside an envelope. */
export interface MessageFile {
  /** Its Content-ID without angle brackets. */
  readonly id: string;
  /** Its media type; that of unknown bytes when absent. */
  readonly type?: string | undefined;
  readonly bytes: Uint8Array;
}

/** The parts beside an envelope that is being written. */
export class PartsBeside implements Beside {
  readonly isXop: boolean;
  readonly files: MessageFile[] = [];

  constructor(isXop: boolean) {
    this.isXop = isXop;
  }

  attach(bytes: Uint8Array): string {
    const id = `file${this.files.length}@asmx`;
    this.files.push({ id, type: mediaTypeOf(bytes), bytes });
    return `cid:${id}`;
  }

  /**
   * Adds the values that are parts themselves (WS-I Attachments Profile 1.0, R2933).
   * @throws {ResultError}
   */
  add(elements: readonly ElementPlan[], values: Readonly<Record<string, unknown>>): void {
    for (const { name, property, attachment = [] } of elements) {
      const bytes = values[property];
      if (bytes === undefined || bytes === null) continue;
      if (!(bytes instanceof Uint8Array)) throw new ResultError(property, 'it must be bytes.');
      const declared = attachment.find((each) => !each.includes('*'));
      const id = `${encodeURIComponent(name)}=${crypto.randomUUID()}@asmx`;
      this.files.push({ id, type: mediaTypeOf(bytes) ?? declared, bytes });
    }
  }
}

/**
 * An answer with the parts beside its envelope, if there are any.
 * @param isXop whether values of the envelope are parts.
 */
export function withParts(
  answer: WireResponse,
  files: readonly MessageFile[],
  { mediaType }: SoapVersion,
  isXop = false,
): WireResponse {
  if (files.length === 0) return answer;
  const { contentType, body } = multipartMessage(answer.body, files, { mediaType, isXop });
  return { ...answer, headers: { ...answer.headers, 'Content-Type': contentType }, body };
}

const ROOT = 'envelope@asmx';

/**
 * Writes an envelope and the parts beside it (RFC 2387).
 * @param type the media type of the envelope, with its parameters; `xop` for one whose parts are
 *   its values (XOP 1.0).
 * @param inside the media type that a XOP envelope has otherwise. @param action that of the
 *   envelope, for SOAP 1.2.
 * @returns the Content-Type of the message, and its bytes.
 */
export function multipartMessage(
  envelope: string | Uint8Array,
  files: readonly MessageFile[],
  { mediaType, isXop, action }: { mediaType: string; isXop: boolean; action?: string | undefined },
): { readonly contentType: string; readonly body: Uint8Array } {
  const boundary = `uuid:${crypto.randomUUID()}`;
  const head = (id: string, type: string) =>
    `--${boundary}\r\nContent-ID: <${id}>\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
  const named = action === undefined ? '' : `; action="${action}"`;
  const root = isXop
    ? `application/xop+xml; charset=utf-8; type="${mediaType}"`
    : `${mediaType}; charset=utf-8`;
  const parts: (string | Uint8Array)[] = [
    head(ROOT, root + named),
    envelope,
    ...files.flatMap(({ id, type = 'application/octet-stream', bytes }) => [
      `\r\n${head(id, type)}`,
      bytes,
    ]),
    `\r\n--${boundary}--\r\n`,
  ];
  const kind = isXop
    ? `type="application/xop+xml"; start="<${ROOT}>"; start-info="${mediaType}"`
    : `type="${mediaType}"; start="<${ROOT}>"`;
  return {
    contentType: `multipart/related; ${kind}; boundary="${boundary}"${named}`,
    body: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  };
}
