import { soapActionOf } from '../contract/compiled.ts';
import { resultName } from '../contract/scalar-facts.ts';
import type { Operation, Parameter, Service } from '../contract/service.ts';
import type { Type } from '../contract/types.ts';
import { endpointUrl, type ServiceAddress } from './service-address.ts';
import { writeDocument, type XmlNode, xml } from './xml-tree.ts';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
/** ASP.NET names this transport for SOAP 1.2 as well. */
const SOAP_OVER_HTTP = 'http://schemas.xmlsoap.org/soap/http';

/**
 * The WSDL 1.1 contract that ASP.NET generates for a service: names, order and forms alike, so that proxies
 * generated from either are the same. One difference: a base64Binary parameter is `s:string` over GET and POST, where
 * ASP.NET has an array in a schema of its own that most tools stumble over.
 * @param soapOnly without GET and POST: importers such as dotnet-svcutil stumble over their bindings.
 * @returns the document's text, in UTF-8 by its declaration, with CRLF line ends.
 */
export function wsdl(service: Service, place: ServiceAddress, soapOnly = false): string {
  const names = portNames(service);
  const unlessSoapOnly = (make: () => XmlNode[]): XmlNode[] => (soapOnly ? [] : make());
  return writeDocument(
    xml(
      'wsdl:definitions',
      {
        'xmlns:soap': 'http://schemas.xmlsoap.org/wsdl/soap/',
        'xmlns:soap12': 'http://schemas.xmlsoap.org/wsdl/soap12/',
        'xmlns:http': 'http://schemas.xmlsoap.org/wsdl/http/',
        'xmlns:mime': 'http://schemas.xmlsoap.org/wsdl/mime/',
        'xmlns:tm': 'http://microsoft.com/wsdl/mime/textMatching/',
        'xmlns:soapenc': 'http://schemas.xmlsoap.org/soap/encoding/',
        'xmlns:s': 'http://www.w3.org/2001/XMLSchema',
        'xmlns:tns': place.namespace,
        'xmlns:wsdl': WSDL,
        targetNamespace: place.namespace,
      },
      [
        ...documentation(service.documentation),
        xml('wsdl:types', {}, [schema(service, place, soapOnly)]),
        ...service.operations.flatMap(soapMessages),
        ...unlessSoapOnly(() => httpMessagesOf(service)),
        portType(service, names.soap, 'Soap'),
        ...unlessSoapOnly(() => [portType(service, names.get, 'HttpGet'), portType(service, names.post, 'HttpPost')]),
        soapBinding(service, place, 'soap', names.soap, names.soap),
        soapBinding(service, place, 'soap12', names.soap12, names.soap),
        ...unlessSoapOnly(() => [
          httpBinding(service, 'GET', names.get, xml('http:urlEncoded')),
          httpBinding(service, 'POST', names.post, xml('mime:content', { type: 'application/x-www-form-urlencoded' })),
        ]),
        servicePorts(service, place, soapOnly),
      ],
    ),
  );
}

/** Names of a service's bindings and ports; its port types are named like them, SOAP 1.2 sharing that of SOAP 1.1. */
export function portNames({ name }: Service) {
  return { soap: `${name}Soap`, soap12: `${name}Soap12`, get: `${name}HttpGet`, post: `${name}HttpPost` } as const;
}

/** ASP.NET writes the documentation as text of its own element, which declares its prefix anew. */
function documentation(text: string | undefined): XmlNode[] {
  return text ? [xml('wsdl:documentation', { 'xmlns:wsdl': WSDL }, text)] : [];
}

function schema(service: Service, place: ServiceAddress, soapOnly: boolean): XmlNode {
  const results = new Set(soapOnly ? [] : service.operations.map((operation) => operation.result));
  return xml('s:schema', { elementFormDefault: 'qualified', targetNamespace: place.namespace }, [
    ...service.operations.flatMap((operation) => [
      wrapper(operation.name, operation.parameters),
      wrapper(`${operation.name}Response`, [
        { name: `${operation.name}Result`, type: resultName(operation.result) as Type },
      ]),
    ]),
    ...(['string', 'boolean'] as const).filter((type) => results.has(type)).map(httpResultElement),
  ]);
}

/** The element that SOAP's body holds: a sequence of what it carries. */
function wrapper(name: string, children: readonly Pick<Parameter, 'name' | 'type'>[]): XmlNode {
  const sequence = children.map((child) =>
    xml('s:element', {
      minOccurs: isNullable(child.type) ? '0' : '1',
      maxOccurs: '1',
      name: child.name,
      type: `s:${child.type}`,
    }),
  );
  const type = children.length === 0 ? [] : [xml('s:sequence', {}, sequence)];
  return xml('s:element', { name }, [xml('s:complexType', {}, type)]);
}

/** Whether .NET's type is a reference, which may be absent: not so for its value types. */
function isNullable(type: Type): boolean {
  return type === 'string' || type === 'base64Binary';
}

/** The root element of GET's and POST's answers. */
function httpResultElement(type: 'string' | 'boolean'): XmlNode {
  return xml('s:element', {
    name: type,
    ...(isNullable(type) ? { nillable: 'true' } : {}),
    type: `s:${type}`,
  });
}

function httpMessagesOf({ operations }: Service): XmlNode[] {
  return [
    ...operations.flatMap((operation) => httpMessages(operation, 'HttpGet')),
    ...operations.flatMap((operation) => httpMessages(operation, 'HttpPost')),
  ];
}

function soapMessages({ name }: Operation): XmlNode[] {
  return [
    xml('wsdl:message', { name: `${name}SoapIn` }, [xml('wsdl:part', { name: 'parameters', element: `tns:${name}` })]),
    xml('wsdl:message', { name: `${name}SoapOut` }, [
      xml('wsdl:part', { name: 'parameters', element: `tns:${name}Response` }),
    ]),
  ];
}

function httpMessages({ name, parameters, result }: Operation, kind: 'HttpGet' | 'HttpPost'): XmlNode[] {
  return [
    xml(
      'wsdl:message',
      { name: `${name}${kind}In` },
      parameters.map((parameter) => xml('wsdl:part', { name: parameter.name, type: 's:string' })),
    ),
    xml('wsdl:message', { name: `${name}${kind}Out` }, [xml('wsdl:part', { name: 'Body', element: `tns:${result}` })]),
  ];
}

function portType(service: Service, name: string, kind: 'Soap' | 'HttpGet' | 'HttpPost'): XmlNode {
  const operations = service.operations.map((operation) =>
    xml('wsdl:operation', { name: operation.name }, [
      ...documentation(operation.documentation),
      xml('wsdl:input', { message: `tns:${operation.name}${kind}In` }),
      xml('wsdl:output', { message: `tns:${operation.name}${kind}Out` }),
    ]),
  );
  return xml('wsdl:portType', { name }, operations);
}

function soapBinding(
  service: Service,
  place: ServiceAddress,
  prefix: 'soap' | 'soap12',
  name: string,
  portTypeName: string,
): XmlNode {
  const body = [xml(`${prefix}:body`, { use: 'literal' })];
  const operations = service.operations.map((operation) =>
    xml('wsdl:operation', { name: operation.name }, [
      xml(`${prefix}:operation`, { soapAction: soapActionOf(place.namespace, operation.name), style: 'document' }),
      xml('wsdl:input', {}, body),
      xml('wsdl:output', {}, body),
    ]),
  );
  return xml('wsdl:binding', { name, type: `tns:${portTypeName}` }, [
    xml(`${prefix}:binding`, { transport: SOAP_OVER_HTTP }),
    ...operations,
  ]);
}

function httpBinding(service: Service, verb: 'GET' | 'POST', name: string, input: XmlNode): XmlNode {
  const operations = service.operations.map((operation) =>
    xml('wsdl:operation', { name: operation.name }, [
      xml('http:operation', { location: `/${operation.name}` }),
      xml('wsdl:input', {}, [input]),
      xml('wsdl:output', {}, [xml('mime:mimeXml', { part: 'Body' })]),
    ]),
  );
  return xml('wsdl:binding', { name, type: `tns:${name}` }, [xml('http:binding', { verb }), ...operations]);
}

function servicePorts(service: Service, place: ServiceAddress, soapOnly: boolean): XmlNode {
  const names = portNames(service);
  const port = (name: string, prefix: string) =>
    xml('wsdl:port', { name, binding: `tns:${name}` }, [xml(`${prefix}:address`, { location: endpointUrl(place) })]);
  return xml('wsdl:service', { name: service.name }, [
    ...documentation(service.documentation),
    port(names.soap, 'soap'),
    port(names.soap12, 'soap12'),
    ...(soapOnly ? [] : [port(names.get, 'http'), port(names.post, 'http')]),
  ]);
}
