import type { SoapVersion } from '../../exchange/soap-version.ts';
import { XSD, XSI } from '../../xml/namespace-names.ts';

/** A Header with its blocks; `''` without any. */
export const soapHeader = (blocks: string): string =>
  blocks === '' ? '' : `<soap:Header>${blocks}</soap:Header>`;

/**
 * The envelope around the content of a Body, with ASP.NET's prefixes in ASP.NET's order.
 * @param encoded whether that is in SOAP encoding.
 */
export function envelopeAround(
  version: SoapVersion,
  header = '',
  encoded = false,
): { readonly before: string; readonly after: string } {
  const style =
    encoded && version.encodingStyleOn === 'body'
      ? ` soap:encodingStyle="${version.encoding}"`
      : '';
  const namespaces = `xmlns:soap="${version.envelope}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"`;
  const envelope = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope ${namespaces}>`;
  return {
    before: `${envelope}${header}<soap:Body${style}>`,
    after: '</soap:Body></soap:Envelope>',
  };
}
