import { DEFAULT_LIMITS } from '../../contract/limits.ts';
import { SOAP_ENVELOPE, SOAP12_ENVELOPE } from '../../xml/namespace-names.ts';
import type { XmlElement } from '../../xml/reader.ts';
import { createXmlReader, XmlError } from '../../xml/reader.ts';

/** Ends the reading as soon as the name is known. */
class Found {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const ENVELOPES = new Set([SOAP_ENVELOPE, SOAP12_ENVELOPE]);

/**
 * The operation that a SOAP message calls: the local name of the first element in its Body.
 * @param bytes the beginning of the message, or all of it.
 * @returns `undefined` when it does not show.
 */
export function soapOperationName(bytes: Uint8Array): string | undefined {
  let depth = 0;
  let body = 0;
  const reader = createXmlReader(
    {
      open(element: XmlElement) {
        depth++;
        if (body > 0 && depth === body + 1) throw new Found(element.local);
        const inEnvelope = depth === 1 || depth === 2;
        if (depth === 2 && element.local === 'Body' && ENVELOPES.has(element.uri)) body = depth;
        return inEnvelope ? 'elements' : 'skip';
      },
      text() {},
      close() {
        depth--;
      },
    },
    { limits: DEFAULT_LIMITS },
  );
  try {
    reader.push(bytes);
  } catch (error) {
    if (error instanceof Found) return error.name;
    if (!(error instanceof XmlError)) throw error;
  }
  return undefined;
}

/**
 * The last part of a SOAPAction: what stands behind the last slash, hash or colon; `undefined` when
 * there is none.
 */
export function actionName(action: string | undefined): string | undefined {
  const plain = action?.trim().replace(/^"|"$/g, '') ?? '';
  const name = plain.slice(
    Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('#'), plain.lastIndexOf(':')) + 1,
  );
  return name === '' ? undefined : name;
}

/** The action that a Content-Type of SOAP 1.2 names. */
export function actionOfContentType(contentType: string | undefined): string | undefined {
  return /;\s*action\s*=\s*(?:"([^"]*)"|([^;\s]+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find((value) => value !== undefined);
}
