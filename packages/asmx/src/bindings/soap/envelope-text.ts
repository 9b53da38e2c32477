import type { SoapVersion } from '../../exchange/soap-version.ts';
import { XSD, XSI } from '../../xml/namespace-names.ts';

/** A Header with its blocks; `''` without any. */
export const soapHeader = (blocks: string): string =>
  blocks === '' ? '' : `<soap:Header>${blocks}</soap:Header>`;

/** The envelope around the content of a Body, with ASP.NET's prefixes in ASP.NET's order. */
export function envelopeAround(
  version: SoapVersion,
  header = '',
): { readonly before: string; readonly after: string } {
  return {
    before: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}">${header}<soap:Body>`,
    after: '</soap:Body></soap:Envelope>',
  };
}
