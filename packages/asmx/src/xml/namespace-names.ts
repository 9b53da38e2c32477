/** Namespaces of XML, XML Schema and SOAP, and of .NET's own types. */
export const XSD = 'http://www.w3.org/2001/XMLSchema';
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
export const XML = 'http://www.w3.org/XML/1998/namespace';
export const SOAP_ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP12_ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';
export const SOAP_ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
export const SOAP12_ENCODING = 'http://www.w3.org/2003/05/soap-encoding';
export const XOP = 'http://www.w3.org/2004/08/xop/include';
export const MICROSOFT_TYPES = 'http://microsoft.com/wsdl/types/';

/** Of what a WCF service says of its types beside XML Schema. */
export const DATA_CONTRACTS = 'http://schemas.microsoft.com/2003/10/Serialization/';

/** Of `swaRef` (WS-I Attachments Profile 1.0, 4.4). */
export const ATTACHMENT_REFERENCES = 'http://ws-i.org/profiles/basic/1.1/xsd';

/**
 * Whether a namespace is that of SOAP's encoding, of either version: gSOAP writes the array types
 * of SOAP 1.1 in both.
 */
export function isSoapEncoding(uri: string): boolean {
  return uri === SOAP_ENCODING || uri === SOAP12_ENCODING;
}
