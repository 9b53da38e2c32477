import type { BindingName, Header, Operation, Service } from '../../contract/service.ts';
import type { Element } from '../../contract/types.ts';
import { soapActionOf } from '../../exchange/compiled.ts';
import { inBody, messageElements, resultElement } from '../../values/message-plan.ts';
import { SOAP_ENCODING, SOAP12_ENCODING, XSD } from '../../xml/namespace-names.ts';
import { SchemaSet } from '../schema/schema-set.ts';
import { typeNode } from '../schema/type-node.ts';
import { endpointUrl, type ServiceAddress, withQuery } from '../service-address.ts';
import { writeDocument, type XmlNode, xml } from '../xml-tree.ts';
import { addAnswerElements, formOperations, type HttpKind, httpMessages } from './http-messages.ts';
import { faultMessage, headerMessage, messageNames, soapMessages } from './messages.ts';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
/** ASP.NET names this transport for SOAP 1.2 as well. */
const SOAP_OVER_HTTP = 'http://schemas.xmlsoap.org/soap/http';
const ADDRESSING_WSDL = 'http://www.w3.org/2006/05/addressing/wsdl';

/** The context for writing the parts of a WSDL. */
interface Parts {
  readonly service: Service;
  readonly place: ServiceAddress;
  readonly names: ReturnType<typeof portNames>;
  /** The operations that GET and POST can call. */
  readonly forms: readonly Operation[];
  readonly has: (binding: BindingName) => boolean;
  readonly set: SchemaSet;
}

/**
 * Writes the WSDL 1.1 that ASP.NET generates for a service, with the same names, order and forms,
 * so that proxies generated from either are the same. One difference: a base64Binary parameter is
 * `s:string` over GET and POST; ASP.NET has an array in its own schema, at which most tools fail.
 * @param soapOnly without GET and POST, at whose bindings importers such as dotnet-svcutil fail.
 * @returns the document's text, in UTF-8 by its declaration, with CRLF line ends.
 */
export function wsdl(service: Service, place: ServiceAddress, soapOnly = false): string {
  const set = new SchemaSet(service, place.namespace, typeNode);
  const isLeftOut = (binding: BindingName) => soapOnly && ['get', 'post'].includes(binding);
  const has = (binding: BindingName) =>
    (service.bindings?.includes(binding) ?? true) && !isLeftOut(binding);
  const [get, post] = [has('get'), has('post')];
  const forms = get || post ? formOperations(service) : [];
  const parts: Parts = { service, place, names: portNames(service), forms, has, set };
  const soap = soapMessages(service, set);
  addAnswerElements(forms, set);
  const content = [
    ...(get ? httpMessages(forms, 'HttpGet', set) : []),
    ...(post ? httpMessages(forms, 'HttpPost', set) : []),
    ...portTypes(parts),
    ...bindings(parts),
    servicePorts(parts),
  ];
  const schemas = set.nodes((query) => withQuery(endpointUrl(place), query));
  return writeDocument(
    xml(
      'wsdl:definitions',
      {
        'xmlns:soap': 'http://schemas.xmlsoap.org/wsdl/soap/',
        'xmlns:soap12': 'http://schemas.xmlsoap.org/wsdl/soap12/',
        'xmlns:http': 'http://schemas.xmlsoap.org/wsdl/http/',
        'xmlns:mime': 'http://schemas.xmlsoap.org/wsdl/mime/',
        'xmlns:tm': 'http://microsoft.com/wsdl/mime/textMatching/',
        'xmlns:soapenc': SOAP_ENCODING,
        'xmlns:s': XSD,
        'xmlns:tns': place.namespace,
        ...set.prefixes,
        ...(service.addressing ? { 'xmlns:wsaw': ADDRESSING_WSDL } : {}),
        'xmlns:wsdl': WSDL,
        targetNamespace: place.namespace,
      },
      [
        ...documentation(service.documentation),
        ...(schemas.length === 0 ? [] : [xml('wsdl:types', {}, schemas)]),
        ...soap.values(),
        ...content,
      ],
    ),
  );
}

/**
 * Names of a service's ports with their bindings, and of its port types, which SOAP 1.1 and 1.2
 * share.
 */
export function portNames(service: Pick<Service, 'name' | 'ports' | 'portType'>) {
  const { name, ports } = service;
  const names = (given: NonNullable<typeof ports>['soap11'] | undefined, usual: string) => {
    const port = given ?? `${name}${usual}`;
    const all = typeof port === 'string' ? { name: port, binding: port } : port;
    return { ...all, portType: all.binding };
  };
  const soap = names(ports?.soap11, 'Soap');
  const portType = service.portType ?? soap.binding;
  return {
    soap: { ...soap, portType },
    soap12: { ...names(ports?.soap12, 'Soap12'), portType },
    get: names(ports?.get, 'HttpGet'),
    post: names(ports?.post, 'HttpPost'),
  } as const;
}

type PortNames = ReturnType<typeof portNames>['soap'];

/** ASP.NET writes the documentation as text of its own element, which declares its prefix again. */
function documentation(text: string | undefined): XmlNode[] {
  return text ? [xml('wsdl:documentation', { 'xmlns:wsdl': WSDL }, text)] : [];
}

function portTypes({ service, place, names, forms, has }: Parts): XmlNode[] {
  const soap = has('soap11') || has('soap12');
  return [
    ...(soap
      ? [
          xml(
            'wsdl:portType',
            { name: names.soap.portType },
            service.operations.map((each) => soapOperation(each, service, place)),
          ),
        ]
      : []),
    ...(has('get') ? [httpPortType(names.get.portType, forms, 'HttpGet')] : []),
    ...(has('post') ? [httpPortType(names.post.portType, forms, 'HttpPost')] : []),
  ];
}

function actionOf({ action, name }: Operation, { namespace }: ServiceAddress): string {
  return action ?? soapActionOf(namespace, name);
}

function soapOperation(
  operation: Operation,
  { addressing }: Service,
  place: ServiceAddress,
): XmlNode {
  const { name, faults = [] } = operation;
  const own = ownName(operation);
  const [request, answer] = messageNames(operation);
  const addressed = (action: string | undefined): Record<string, string> =>
    addressing && action !== undefined ? { 'wsaw:Action': action } : {};
  return xml('wsdl:operation', { name: operation.operationName ?? name }, [
    ...documentation(operation.documentation),
    xml('wsdl:input', {
      ...own,
      ...addressed(actionOf(operation, place)),
      message: `tns:${request}`,
    }),
    ...(operation.oneWay
      ? []
      : [
          xml('wsdl:output', {
            ...own,
            ...addressed(operation.answerAction),
            message: `tns:${answer}`,
          }),
        ]),
    ...faults.map((fault) =>
      xml('wsdl:fault', {
        name: fault.name,
        ...addressed(fault.action),
        message: `tns:${faultMessage(name, fault)}`,
      }),
    ),
  ]);
}

/**
 * The `name` attribute that tells operations with the same name in the WSDL apart (WSDL 1.1, 2.5).
 */
function ownName({ name, operationName }: Operation): Record<string, string> {
  return operationName === undefined ? {} : { name };
}

function httpPortType(name: string, operations: readonly Operation[], kind: HttpKind): XmlNode {
  const nodes = operations.map((operation) =>
    xml('wsdl:operation', { name: operation.operationName ?? operation.name }, [
      ...documentation(operation.documentation),
      xml('wsdl:input', { ...ownName(operation), message: `tns:${operation.name}${kind}In` }),
      ...(operation.oneWay
        ? []
        : [
            xml('wsdl:output', {
              ...ownName(operation),
              message: `tns:${operation.name}${kind}Out`,
            }),
          ]),
    ]),
  );
  return xml('wsdl:portType', { name }, nodes);
}

function bindings(parts: Parts): XmlNode[] {
  const { names, forms, has } = parts;
  const form = xml('mime:content', { type: 'application/x-www-form-urlencoded' });
  return [
    ...(has('soap11') ? [soapBinding(parts, 'soap', names.soap)] : []),
    ...(has('soap12') ? [soapBinding(parts, 'soap12', names.soap12)] : []),
    ...(has('get') ? [httpBinding(forms, 'GET', names.get, xml('http:urlEncoded'))] : []),
    ...(has('post') ? [httpBinding(forms, 'POST', names.post, form)] : []),
  ];
}

function soapBinding(
  { service, place }: Parts,
  prefix: 'soap' | 'soap12',
  { binding, portType }: PortNames,
): XmlNode {
  const operations = service.operations.map((operation) => {
    const { headers, faults = [], use = 'literal' } = operation;
    const useOf = ({ namespace = place.namespace }: Element, own = use) => {
      const said = namespace === '' ? {} : { namespace };
      const encoding = { ...said, encodingStyle: encodingOf(prefix) };
      return { use: own, ...(own === 'encoded' ? encoding : {}) };
    };
    const own12 = prefix === 'soap12' ? operation.action12 : undefined;
    const soapAction = own12 ?? actionOf(operation, place);
    const style = operation.style === 'rpc' ? 'rpc' : 'document';
    const own = ownName(operation);
    const message = (kind: 'input' | 'output', used: readonly Header[] = []) =>
      xml(
        `wsdl:${kind}`,
        own,
        withAttachments(operation, kind, [
          bodyNode(operation, kind, prefix, place),
          ...used.map((header) =>
            xml(`${prefix}:header`, {
              message: `tns:${headerMessage(operation.name, header)}`,
              part: header.name,
              ...useOf(header, header.use),
            }),
          ),
        ]),
      );
    return xml('wsdl:operation', { name: operation.operationName ?? operation.name }, [
      xml(`${prefix}:operation`, { soapAction, style }),
      message('input', headers?.in),
      ...(operation.oneWay ? [] : [message('output', headers?.out)]),
      ...faults.map((fault) =>
        xml('wsdl:fault', { name: fault.name }, [
          xml(`${prefix}:fault`, {
            name: fault.name,
            ...useOf(fault.element, fault.use),
          }),
        ]),
      ),
    ]);
  });
  return xml('wsdl:binding', { name: binding, type: `tns:${portType}` }, [
    ...(service.addressing ? [xml('wsaw:UsingAddressing')] : []),
    xml(`${prefix}:binding`, { transport: SOAP_OVER_HTTP }),
    ...operations,
  ]);
}

function encodingOf(prefix: 'soap' | 'soap12'): string {
  return prefix === 'soap' ? SOAP_ENCODING : SOAP12_ENCODING;
}

/**
 * What a binding has of a message, with the parts that stand beside the envelope (WSDL 1.1, 5.11).
 */
function withAttachments(
  operation: Operation,
  kind: 'input' | 'output',
  envelope: readonly XmlNode[],
): readonly XmlNode[] {
  const attached = messageElements(operation, kind).filter((each) => !inBody(each));
  if (attached.length === 0) return envelope;
  const parts = attached.map(({ name, attachment = [] }) =>
    xml(
      'mime:part',
      {},
      attachment.map((type) => xml('mime:content', { part: name, type })),
    ),
  );
  return [xml('mime:multipartRelated', {}, [xml('mime:part', {}, envelope), ...parts])];
}

/** The parts that are in the body, where some of a message are not. */
function bodyParts(operation: Operation, kind: 'input' | 'output'): { readonly parts?: string } {
  const all = messageElements(operation, kind);
  const inside = all.filter(inBody);
  if (inside.length === all.length) return {};
  const { style = 'wrapped', use } = operation;
  const isOne =
    style === 'wrapped' || (style === 'bare' && use !== 'encoded' && inside.length === 1);
  const names = isOne ? [operation[kind]?.part ?? 'parameters'] : inside.map(({ name }) => name);
  return { parts: names.join(' ') };
}

/** An rpc body says the namespace of its wrapper, if that has one. */
function bodyNode(
  operation: Operation,
  kind: 'input' | 'output',
  prefix: 'soap' | 'soap12',
  place: ServiceAddress,
): XmlNode {
  const { use = 'literal', style } = operation;
  const parts = bodyParts(operation, kind);
  if (style !== 'rpc' && use === 'literal') return xml(`${prefix}:body`, { ...parts, use });
  const namespace = operation[kind]?.namespace ?? place.namespace;
  const encodingStyle = encodingOf(prefix);
  return xml(`${prefix}:body`, {
    ...parts,
    use,
    ...(namespace === '' ? {} : { namespace }),
    ...(use === 'encoded' ? { encodingStyle } : {}),
  });
}

function httpBinding(
  operations: readonly Operation[],
  verb: 'GET' | 'POST',
  { binding, portType }: PortNames,
  input: XmlNode,
): XmlNode {
  const nodes = operations.map((operation) => {
    const answer =
      resultElement(operation) === undefined ? [] : [xml('mime:mimeXml', { part: 'Body' })];
    return xml('wsdl:operation', { name: operation.operationName ?? operation.name }, [
      xml('http:operation', { location: `/${operation.name}` }),
      xml('wsdl:input', ownName(operation), [input]),
      ...(operation.oneWay ? [] : [xml('wsdl:output', ownName(operation), answer)]),
    ]);
  });
  return xml('wsdl:binding', { name: binding, type: `tns:${portType}` }, [
    xml('http:binding', { verb }),
    ...nodes,
  ]);
}

function servicePorts({ service, place, names, has }: Parts): XmlNode {
  const port = ({ name, binding }: PortNames, prefix: string) =>
    xml('wsdl:port', { name, binding: `tns:${binding}` }, [
      xml(`${prefix}:address`, { location: endpointUrl(place) }),
    ]);
  return xml('wsdl:service', { name: service.name }, [
    ...documentation(service.documentation),
    ...(has('soap11') ? [port(names.soap, 'soap')] : []),
    ...(has('soap12') ? [port(names.soap12, 'soap12')] : []),
    ...(has('get') ? [port(names.get, 'http')] : []),
    ...(has('post') ? [port(names.post, 'http')] : []),
  ]);
}
