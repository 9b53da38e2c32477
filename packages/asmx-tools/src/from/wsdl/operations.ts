import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { BodyName, Element, Fault, ObjectType, Operation } from '../normal-form.ts';
import type { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import { addressingAction, type BoundPort } from './bindings.ts';
import { targetNamespaceOf } from './definitions.ts';
import {
  type BoundMessage,
  boundMessage,
  type MessageSource,
  ownUse,
  partElement,
  readable,
} from './messages.ts';

/** The error of an operation that cannot be served. */
type Refuse = (reason: string, rule?: string) => WsdlError;

/** An operation of a port type with what a binding says of it. */
export interface BoundOperation {
  readonly abstract: XmlTree;
  readonly bound: XmlTree;
  readonly port: BoundPort;
}

/**
 * An operation as SOAP carries it.
 * @param name its name in the contract: that of its body element where the WSDL's stands for
 *   several operations.
 * @throws {WsdlError}
 */
export function soapOperation(
  name: string,
  operation: BoundOperation,
  source: MessageSource,
): Operation {
  const { abstract, bound, port } = operation;
  const refuse: Refuse = (reason, rule) =>
    new WsdlError('unsupported', abstract.file, `operation ${name}`, reason, rule);
  const input = abstract.first(WSDL, 'input');
  const output = abstract.first(WSDL, 'output');
  if (input === undefined)
    throw refuse('It has no input: the server would call the client.', 'R2303');
  if (
    output !== undefined &&
    abstract.children.indexOf(output) < abstract.children.indexOf(input)
  ) {
    throw refuse('Its output comes before its input: the server would call the client.', 'R2303');
  }
  const request = boundMessage(bound.first(WSDL, 'input'), input, port, source);
  const response =
    output === undefined
      ? undefined
      : boundMessage(bound.first(WSDL, 'output'), output, port, source);
  if (response !== undefined && response.use !== request.use)
    throw refuse(`Its request is ${request.use}, its answer ${response.use}.`, 'R2706');
  const settings = bound.first(port.uri, 'operation');
  const style =
    settings?.attribute('style') ??
    port.binding.first(port.uri, 'binding')?.attribute('style') ??
    'document';
  const answerAction =
    source.addressing && output !== undefined ? addressingAction(output) : undefined;
  const documentation = abstract.documentation(WSDL);
  const wsdlName = abstract.attribute('name') ?? name;
  const facts = {
    name,
    ...(wsdlName === name ? {} : { operationName: wsdlName }),
    ...(documentation === undefined ? {} : { documentation }),
    use: request.use,
    action: settings?.attribute('soapAction') ?? '',
    ...(answerAction === undefined ? {} : { answerAction }),
    headers: { in: request.headers, out: response?.headers ?? [] },
    faults: faultsOf(operation, request.use, source),
  };
  const shape = (): Shape => {
    if (style === 'rpc')
      return { ...rpc(wsdlName, bound, request, response, source, refuse), style };
    return request.use === 'encoded'
      ? documentEncoded(name, abstract, bound, request, response, source, refuse)
      : document(name, abstract, request, response, source, refuse);
  };
  return { ...facts, ...withAttachments(shape(), request, response, refuse) };
}

/** What stands beside the envelopes is behind what is in them. */
function withAttachments(
  shape: Shape,
  request: BoundMessage,
  response: BoundMessage | undefined,
  refuse: Refuse,
): Shape {
  const attached = response?.attachments ?? [];
  if (request.attachments.length + attached.length === 0) return shape;
  const parameters = [...shape.parameters, ...request.attachments];
  const results = [...(shape.result === undefined ? [] : [shape.result]), ...shape.out];
  const [result, ...out] = [...results, ...attached];
  for (const all of [parameters, [...results, ...attached]])
    if (new Set(all.map(({ name }) => name.toLowerCase())).size < all.length)
      throw refuse('An attachment has the name of another part of its message.');
  return { ...shape, parameters, ...(result === undefined ? {} : { result }), out };
}

function rpc(
  name: string,
  bound: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  { schemas }: MessageSource,
  refuse: Refuse,
) {
  const [result, ...out] = response === undefined ? [] : distinctParts(response, schemas, refuse);
  const fallback = request.use === 'encoded' ? '' : targetNamespaceOf(bound);
  return {
    input: { name, namespace: request.namespace ?? fallback, message: request.name },
    parameters: distinctParts(request, schemas, refuse),
    ...(response === undefined
      ? {}
      : {
          output: {
            name: `${name}Response`,
            namespace: response.namespace ?? request.namespace ?? fallback,
            message: response.name,
          },
        }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

/**
 * The elements of a message's parts. @throws {WsdlError} where two of them cannot be told apart.
 */
function distinctParts({ parts }: BoundMessage, schemas: SchemaReader, refuse: Refuse): Element[] {
  const found = parts.map((part) => partElement(part, schemas));
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  if (names.size < found.length) throw refuse('Two parts of its body have one name.', 'R2201');
  return found;
}

/**
 * Document style in SOAP encoding, as ASP.NET writes it for SoapBindingUse.Encoded. Of
 * SoapParameterStyle.Wrapped the only part is a wrapper that has the name of its type: on the
 * wire that is rpc/encoded.
 */
function documentEncoded(
  operation: string,
  abstract: XmlTree,
  bound: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  source: MessageSource,
  refuse: Refuse,
): Shape {
  const wrapper = ({ parts, namespace, name: message }: BoundMessage) => {
    const [part, more] = parts;
    const name = part?.qname('type');
    if (part === undefined || more !== undefined || name === undefined || name.uri === XSD)
      return undefined;
    const type = source.schemas.typeOfName(name, part);
    const named = typeof type === 'object' ? source.schemas.named(type.ref) : undefined;
    if (named?.kind !== 'object' || !isPlain(named)) return undefined;
    const elements = named.content as readonly Element[];
    if (elements.some(({ max }) => max !== 1)) return undefined;
    return {
      body: { name: name.local, namespace: namespace ?? targetNamespaceOf(bound), message },
      elements: elements.map((each) => ({ ...each, namespace: '', min: 1 })),
    };
  };
  const [part] = request.parts;
  const isCalled =
    part?.attribute('name') === 'parameters' ||
    part?.qname('type')?.local === abstract.attribute('name');
  const asked = isCalled ? wrapper(request) : undefined;
  const answered = response === undefined ? undefined : wrapper(response);
  if (asked === undefined || (response !== undefined && answered === undefined)) {
    return bareParts(operation, abstract, request, response, source, refuse);
  }
  const [result, ...out] = answered?.elements ?? [];
  return {
    style: 'rpc',
    input: asked.body,
    parameters: asked.elements,
    ...(answered === undefined ? {} : { output: answered.body }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

type Shape = Pick<Operation, 'style' | 'input' | 'parameters' | 'output' | 'result' | 'out'>;

/**
 * Document style. The body elements are wrappers where that of the request is called as the
 * operation, and both are plain sequences that no type extends (JAX-WS 2.2, 2.3.1.2; wsdl.exe and
 * svcutil). Else the operation is bare, and each body element is one value: it may be absent, and
 * have an `xsi:type`.
 */
function document(
  operation: string,
  abstract: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  source: MessageSource,
  refuse: Refuse,
): Shape {
  const [asked, more] = request.parts;
  const [answered, another] = response?.parts ?? [];
  const isOne = more === undefined && another === undefined;
  const parameters =
    isOne && asked !== undefined && isCalledAsOperation(asked, abstract)
      ? wrappedElements(asked, source)
      : undefined;
  const results = answered === undefined ? [] : wrappedElements(answered, source);
  const empty = response !== undefined && answered === undefined;
  if (parameters === undefined || results === undefined || empty)
    return bareParts(operation, abstract, request, response, source, refuse);
  const [result, ...out] = results;
  return {
    style: 'wrapped',
    input: bodyName(request, partElement(asked!, source.schemas)),
    parameters,
    ...(response === undefined
      ? {}
      : { output: bodyName(response, partElement(answered!, source.schemas)) }),
    ...(result ? { result } : {}),
    out,
  };
}

/**
 * Bare: the body has an element for each part, side by side. A message without a part has an
 * empty body, which no element names: the SOAPAction tells which operation it is.
 */
function bareParts(
  operation: string,
  abstract: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  { schemas }: MessageSource,
  refuse: Refuse,
): Shape {
  const elements = (message: BoundMessage) =>
    distinctParts(message, schemas, refuse).map((element, index) => {
      // SOAP encoding has what a type part is called in the namespace of the body.
      const { namespace = '', use, parts } = message;
      const isType = use === 'encoded' && parts[index]!.attribute('element') === undefined;
      return isType ? { ...element, namespace } : element;
    });
  const parameters = elements(request);
  const [result, ...out] = response === undefined ? [] : elements(response);
  const [first] = parameters;
  if (first === undefined && out.length > 0)
    throw refuse('It takes nothing, and answers several parts.', 'R2201');
  const input =
    first === undefined
      ? { name: operation, namespace: targetNamespaceOf(abstract), message: request.name }
      : bodyName(request, first);
  const usual = { name: `${input.name}Response`, namespace: input.namespace };
  return {
    style: 'bare',
    input,
    parameters,
    ...(response === undefined ? {} : { output: bodyName(response, result ?? usual) }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

/** The name of a message's first element, with those that only the WSDL shows. */
function bodyName(
  { name: message, parts: [part] }: BoundMessage,
  { name, namespace }: Pick<Element, 'name' | 'namespace'>,
): BodyName {
  if (part === undefined) return { name, namespace, message };
  const typed = part.attribute('element') === undefined ? { typed: true as const } : {};
  return { name, namespace, message, part: part.name, ...typed };
}

/**
 * Whether a request's element has the name of the operation, or ASP.NET's name of the message
 * ([WebMethod(MessageName)]).
 */
function isCalledAsOperation(part: XmlTree, abstract: XmlTree): boolean {
  const name = part.qname('element')?.local;
  if (name === undefined || name === abstract.attribute('name')) return name !== undefined;
  const isAspNet = part.attribute('name') === 'parameters';
  return isAspNet && name === abstract.first(WSDL, 'input')?.attribute('name');
}

/** The elements inside a wrapper; `undefined` when the part is none. */
function wrappedElements(
  part: XmlTree,
  { schemas }: MessageSource,
): readonly Element[] | undefined {
  if (part.attribute('element') === undefined) return undefined;
  const element = partElement(part, schemas);
  if (typeof element.type === 'string' || element.nillable) return undefined;
  const type = schemas.named(element.type.ref);
  if (type.kind === 'array') return [type.item];
  if (type.kind !== 'object' || !isPlain(type) || schemas.isDerivedFrom(type)) return undefined;
  const elements = type.content as readonly Element[];
  const names = new Set(elements.map(({ name }) => name.toLowerCase()));
  return names.size === elements.length ? elements : undefined;
}

function isPlain(type: ObjectType): boolean {
  const { extends: base, abstract, all, attributes, text, mixed, anyAttribute, content } = type;
  if (base !== undefined || abstract || all) return false;
  if (attributes.length > 0 || anyAttribute || mixed || text !== undefined) return false;
  return content.every(({ kind }) => (kind ?? 'element') === 'element');
}

function faultsOf(
  operation: BoundOperation,
  use: BoundMessage['use'],
  source: MessageSource,
): Fault[] {
  return operation.abstract
    .of(WSDL, 'fault')
    .flatMap((fault) => readable(source, () => faultOf(fault, operation, use, source)).flat());
}

function faultOf(
  fault: XmlTree,
  { bound, port }: BoundOperation,
  use: BoundMessage['use'],
  { definitions, schemas, addressing }: MessageSource,
): Fault[] {
  const [part] = definitions.referred('message', fault, 'message').of(WSDL, 'part');
  const action = addressing ? addressingAction(fault) : undefined;
  // A fault of an rpc service may name a type: its element is called like the part.
  if (part === undefined || (part.attribute('element') ?? part.attribute('type')) === undefined)
    return [];
  const name = fault.name;
  const element = partElement(part, schemas);
  // SOAP encoding has it in the namespace that the binding says (SOAP 1.1, 4.4: it is qualified).
  const said = bound
    .of(WSDL, 'fault')
    .find((each) => each.attribute('name') === name)
    ?.first(port.uri, 'fault');
  const isEncoded = said?.attribute('use') === 'encoded' && element.namespace === '';
  const namespace = isEncoded ? (said.attribute('namespace') ?? '') : element.namespace;
  const facts = { ...ownUse(said, use), ...(action === undefined ? {} : { action }) };
  return [{ name, element: { ...element, namespace }, ...facts }];
}
