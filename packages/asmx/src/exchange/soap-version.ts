import { ProtocolError } from '../contract/errors.ts';
import type { ReferenceForm } from '../values/references.ts';
import {
  SOAP_ENCODING,
  SOAP_ENVELOPE,
  SOAP12_ENCODING,
  SOAP12_ENVELOPE,
} from '../xml/namespace-names.ts';

/**
 * All differences between SOAP 1.1 and SOAP 1.2, as two constants, and the detection of the
 * version. No other file depends on the version.
 */
export interface SoapVersion {
  /** The name in logs and metrics. */
  readonly name: 'soap11' | 'soap12';
  /** The name for people. */
  readonly title: string;
  /** Namespace of the envelope (SOAP 1.1 section 3; SOAP 1.2 part 1 section 5). */
  readonly envelope: string;
  /** Media type of requests and responses, without charset. */
  readonly mediaType: string;
  /** The content type of answers (contract 1). */
  readonly contentType: string;
  /**
   * Whether its envelope is refused under the media type of the other version, as ASP.NET does with
   * SOAP 1.1.
   */
  readonly needsItsMediaType: boolean;
  /**
   * Whether the bytes decide about the encoding, and not the XML declaration, if its media type has
   * no charset. ASP.NET then reads text/xml as ASCII (RFC 3023), and application/soap+xml as the
   * document declares.
   */
  readonly bytesWin: boolean;
  /**
   * Whether under its media type a SOAPAction names the operation; the `action` parameter always
   * may (wire 3).
   */
  readonly hasSoapAction: boolean;
  /** The fault codes for each side, local names in the envelope namespace. */
  readonly faultCodes: { readonly client: string; readonly server: string };
  /**
   * The attribute of a header that names its receiver, and the values that name the server that
   * carries out the call (4.2.2; part 1, 2.2).
   */
  readonly role: { readonly attribute: string; readonly ours: readonly string[] };
  /** The namespace of its encoding, which is what `encodingStyle` says. */
  readonly encoding: string;
  /** Where that may stand: SOAP 1.2 forbids it on the Body (part 1, 5.1.1). */
  readonly encodingStyleOn: 'body' | 'wrapper';
  /** How an encoded message refers to what stands elsewhere. */
  readonly references: ReferenceForm;
  /**
   * Writes a fault element; `detail` is ready-made XML, or `undefined` for a fault that must not
   * have one.
   */
  readonly fault: (code: string, reason: string, detail: string | undefined) => string;
}

export const SOAP11: SoapVersion = {
  name: 'soap11',
  title: 'SOAP 1.1',
  envelope: SOAP_ENVELOPE,
  mediaType: 'text/xml',
  contentType: 'text/xml; charset=utf-8',
  needsItsMediaType: true,
  bytesWin: true,
  hasSoapAction: true,
  faultCodes: { client: 'Client', server: 'Server' },
  role: { attribute: 'actor', ours: ['', 'http://schemas.xmlsoap.org/soap/actor/next'] },
  encoding: SOAP_ENCODING,
  encodingStyleOn: 'body',
  references: { to: (id) => `href="#${id}"`, of: (id) => `id="${id}"` },
  fault: (code, reason, detail) =>
    `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${reason}</faultstring>${
      detail === undefined ? '' : `<detail>${detail}</detail>`
    }</soap:Fault>`,
};

export const SOAP12: SoapVersion = {
  name: 'soap12',
  title: 'SOAP 1.2',
  envelope: SOAP12_ENVELOPE,
  mediaType: 'application/soap+xml',
  contentType: 'application/soap+xml; charset=utf-8',
  needsItsMediaType: false,
  bytesWin: false,
  hasSoapAction: false,
  faultCodes: { client: 'Sender', server: 'Receiver' },
  role: {
    attribute: 'role',
    ours: ['', ...['next', 'ultimateReceiver'].map((role) => `${SOAP12_ENVELOPE}/role/${role}`)],
  },
  encoding: SOAP12_ENCODING,
  encodingStyleOn: 'wrapper',
  references: {
    to: (id) => `xmlns:enc="${SOAP12_ENCODING}" enc:ref="${id}"`,
    of: (id) => `xmlns:enc="${SOAP12_ENCODING}" enc:id="${id}"`,
  },
  fault: (code, reason, detail) =>
    `<soap:Fault><soap:Code><soap:Value>soap:${code}</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">${reason}</soap:Text></soap:Reason>${
      detail === undefined ? '' : `<soap:Detail>${detail}</soap:Detail>`
    }</soap:Fault>`,
};

/** The version whose envelope namespace this is, `undefined` for any other. */
export function versionOfEnvelope(uri: string): SoapVersion | undefined {
  if (uri === SOAP11.envelope) return SOAP11;
  return uri === SOAP12.envelope ? SOAP12 : undefined;
}

/** The version whose media type this is, `undefined` for any other. */
export function versionOfMediaType(base: string): SoapVersion | undefined {
  if (base === SOAP11.mediaType) return SOAP11;
  return base === SOAP12.mediaType ? SOAP12 : undefined;
}

/**
 * The version for errors until the envelope is read: the version of the media type. For any other
 * media type it is SOAP 1.1 with a SOAPAction, else SOAP 1.2 (ASP.NET's guess).
 */
export function expectedVersion(base: string, soapAction: string | undefined): SoapVersion {
  return versionOfMediaType(base) ?? (soapAction === undefined ? SOAP12 : SOAP11);
}

/** Both versions, by the names of their bindings. */
export const SOAP_NAMES = [SOAP11.name, SOAP12.name];

/** Computes a value for each version, once. @returns the lookup. */
export function perVersion<T>(make: (version: SoapVersion) => T): (version: SoapVersion) => T {
  const both = { soap11: make(SOAP11), soap12: make(SOAP12) };
  return ({ name }) => both[name];
}

/** Whether an envelope of a version may come under a media type, which is one of the two. */
export function acceptsMediaType(version: SoapVersion, base: string): boolean {
  return !version.needsItsMediaType || base === version.mediaType;
}

/** The two media types, for error messages. */
export const MEDIA_TYPES = `SOAP 1.1 is ${SOAP11.mediaType}, SOAP 1.2 is ${SOAP12.mediaType}`;

/**
 * How to answer an envelope of neither version. Nobody knows which version its sender expects, so
 * it is SOAP 1.1, as in ASP.NET, with a header that names the supported versions (SOAP 1.2 part 1,
 * 5.4.7).
 */
export const FOREIGN_ENVELOPE = {
  version: SOAP11,
  header:
    `<soap:Header><soap12:Upgrade xmlns:soap12="${SOAP12.envelope}">` +
    `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP11.envelope}" />` +
    `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP12.envelope}" />` +
    '</soap12:Upgrade></soap:Header>',
} as const;

/** An envelope of one version under the media type of the other. */
export function wrongMediaTypeFor({ title, mediaType }: SoapVersion, found: string): ProtocolError {
  const message = `A ${title} envelope must be sent as ${mediaType}, not ${found}.`;
  return new ProtocolError('UnsupportedMediaType', message, { status: 415 });
}

/** An envelope of neither version. @param found its namespace; cut at 200 characters. */
export function versionMismatch(found: string): ProtocolError {
  const named = found.length > 200 ? `${found.slice(0, 200)}…` : found;
  return new ProtocolError(
    'VersionMismatch',
    `The envelope's namespace must be ${SOAP11.envelope} or ${SOAP12.envelope}, not "${named}".`,
    {
      faultstring: `Possible SOAP version mismatch: Envelope namespace ${named} was unexpected. Expecting ${SOAP11.envelope}.`,
    },
  );
}

/**
 * Whether a header is for who carries out the call, and not for another server on the way.
 * @param attributes the header's.
 */
export function isForUs(
  attributes: readonly { readonly uri: string; readonly local: string; readonly value: string }[],
): boolean {
  return [SOAP11, SOAP12].every(({ envelope, role }) => {
    const named = attributes.find(({ uri, local }) => uri === envelope && local === role.attribute);
    return named === undefined || role.ours.includes(named.value);
  });
}
