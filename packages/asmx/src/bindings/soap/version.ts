/** Every difference between SOAP 1.1 and SOAP 1.2, as two constants: no other file asks for the version. */
export interface SoapVersion {
  readonly name: 'soap11' | 'soap12';
  /** Namespace of the envelope (SOAP 1.1 section 3; SOAP 1.2 part 1 section 5). */
  readonly envelope: string;
  /** Media type of requests and responses, without charset. */
  readonly mediaType: string;
  /** The fault codes for each side, local names in the envelope namespace. */
  readonly faultCodes: { readonly client: string; readonly server: string };
  /** Writes a fault element; `detail` is ready-made XML, or `undefined` for a fault that must not have one. */
  readonly fault: (code: string, reason: string, detail: string | undefined) => string;
}

/** The content type a version's answers carry (contract 1). */
export function contentTypeOf(version: SoapVersion): string {
  return `${version.mediaType}; charset=utf-8`;
}

export const SOAP11: SoapVersion = {
  name: 'soap11',
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  faultCodes: { client: 'Client', server: 'Server' },
  fault: (code, reason, detail) =>
    `<soap:Fault><faultcode>soap:${code}</faultcode><faultstring>${reason}</faultstring>${
      detail === undefined ? '' : `<detail>${detail}</detail>`
    }</soap:Fault>`,
};

export const SOAP12: SoapVersion = {
  name: 'soap12',
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  faultCodes: { client: 'Sender', server: 'Receiver' },
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
