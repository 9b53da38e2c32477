import type { Service } from '../contract/service.ts';
import { XSD, XSI } from '../xml/namespace-names.ts';
import { endpointUrl, type ServiceAddress, withQuery } from './service-address.ts';
import { portNames } from './wsdl/wsdl.ts';
import { writeDocument, xml } from './xml-tree.ts';

/**
 * The DISCO discovery document: where the WSDL and the pages are, and the address of each SOAP
 * binding, as ASP.NET's DiscoveryServerProtocol writes it. GET and POST have no place in that
 * format.
 * @returns the document's text, in UTF-8 by its declaration, with CRLF line ends.
 */
export function disco(service: Service, place: ServiceAddress): string {
  const url = endpointUrl(place);
  const names = portNames(service);
  const soap = (prefix: string, binding: string) =>
    xml('soap', {
      address: url,
      [`xmlns:${prefix}`]: place.namespace,
      binding: `${prefix}:${binding}`,
      xmlns: 'http://schemas.xmlsoap.org/disco/soap/',
    });
  return writeDocument(
    xml(
      'discovery',
      {
        'xmlns:xsd': XSD,
        'xmlns:xsi': XSI,
        xmlns: 'http://schemas.xmlsoap.org/disco/',
      },
      [
        xml('contractRef', {
          ref: withQuery(url, 'wsdl'),
          docRef: url,
          xmlns: 'http://schemas.xmlsoap.org/disco/scl/',
        }),
        soap('q1', names.soap.binding),
        soap('q2', names.soap12.binding),
      ],
    ),
  );
}
