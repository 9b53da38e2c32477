import { XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { BodyName, Element, Fault, ObjectType, Operation } from '../normal-form.ts';
import { WsdlError } from '../wsdl-error.ts';
import { addressingAction, type BoundPort } from './bindings.ts';
import { targetNamespaceOf } from './definitions.ts';
import { type BoundMessage, boundMessage, type MessageSource, rpcElement } from './messages.ts';

/** An operation of a port type with what a binding says of it. */
export interface BoundOperation {
  readonly abstract: XmlTree;
  readonly bound: XmlTree;
  readonly port: BoundPort;
}

/**
 * An operation as SOAP carries it.
 * @param name its name in the contract: that of its body element where the WSDL's stands for several operations.
 * @throws {WsdlError}
 */
export function soapOperation(
  name: string,
  operation: BoundOperation,
  source: MessageSource,
): Operation {
  const { abstract, bound, port } = operation;
  const refuse = (reason: string, rule?: string) =>
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
    faults: faultsOf(abstract, source),
  };
  if (style === 'rpc')
    return { ...facts, ...rpc(wsdlName, bound, request, response, source), style };
  if (request.use === 'encoded')
    return { ...facts, ...documentEncoded(bound, request, response, source, refuse) };
  return { ...facts, ...document(name, abstract, request, response, source, refuse) };
}

function rpc(
  name: string,
  bound: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  { schemas }: MessageSource,
) {
  const [result, ...out] = response?.parts.map((part) => rpcElement(part, schemas)) ?? [];
  const fallback = request.use === 'encoded' ? '' : targetNamespaceOf(bound);
  return {
    input: { name, namespace: request.namespace ?? fallback },
    parameters: request.parts.map((part) => rpcElement(part, schemas)),
    ...(response === undefined
      ? {}
      : {
          output: {
            name: `${name}Response`,
            namespace: response.namespace ?? request.namespace ?? fallback,
          },
        }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

/**
 * Document style in SOAP encoding, as ASP.NET writes it for SoapBindingUse.Encoded: the only part is a wrapper that has the
 * name of its type. On the wire that is rpc/encoded.
 */
function documentEncoded(
  bound: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  { schemas }: MessageSource,
  refuse: (reason: string) => WsdlError,
) {
  const wrapper = ({ parts, namespace }: BoundMessage) => {
    const [part, more] = parts;
    const name = part?.qname('type');
    const type =
      part === undefined || more !== undefined || name === undefined || name.uri === XSD
        ? undefined
        : schemas.typeOfName(name, part);
    const named = typeof type === 'object' ? schemas.named(type.ref) : undefined;
    if (name === undefined || named?.kind !== 'object' || !isPlain(named))
      throw refuse('It is document/encoded without a wrapper, which is not served.');
    const elements = (named.content as readonly Element[]).map((each) => {
      if (each.max !== 1) throw refuse(`Its parameter ${each.name} is several elements, not one.`);
      return { ...each, namespace: '', min: 1 };
    });
    return {
      body: { name: name.local, namespace: namespace ?? targetNamespaceOf(bound) },
      elements,
    };
  };
  const asked = wrapper(request);
  const answered = response === undefined ? undefined : wrapper(response);
  const [result, ...out] = answered?.elements ?? [];
  return {
    style: 'rpc' as const,
    input: asked.body,
    parameters: asked.elements,
    ...(answered === undefined ? {} : { output: answered.body }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

type Shape = Pick<Operation, 'style' | 'input' | 'parameters' | 'output' | 'result' | 'out'>;

/**
 * Document style. The body elements are wrappers where that of the request is called as the operation, and both are plain
 * sequences that no type extends (JAX-WS 2.2, 2.3.1.2; wsdl.exe and svcutil). Else the operation is bare, and each body
 * element is one value: it may be absent, and have an `xsi:type`.
 */
function document(
  operation: string,
  abstract: XmlTree,
  request: BoundMessage,
  response: BoundMessage | undefined,
  source: MessageSource,
  refuse: (reason: string, rule?: string) => WsdlError,
): Shape {
  const several = [request, response].some((message) => (message?.parts.length ?? 0) > 1);
  if (several) return bareSeveral(request, response, source, refuse);
  const asked = bodyElement(request, source, refuse);
  const answered = response === undefined ? undefined : bodyElement(response, source, refuse);
  const name = ({ name, namespace }: Element): BodyName => ({ name, namespace });
  // A message without a part has an empty body, which no element names: the SOAPAction tells which operation it is.
  const input =
    asked === undefined ? { name: operation, namespace: targetNamespaceOf(abstract) } : name(asked);
  const usual = { name: `${input.name}Response`, namespace: input.namespace };
  const output =
    response === undefined ? {} : { output: answered === undefined ? usual : name(answered) };
  const isCalled = asked !== undefined && isCalledAsOperation(asked, abstract, request);
  const parameters = isCalled ? wrappedElements(asked, source) : undefined;
  const results = answered === undefined ? [] : wrappedElements(answered, source);
  const empty = response !== undefined && answered === undefined;
  if (parameters !== undefined && results !== undefined && !empty) {
    const [result, ...out] = results;
    return { style: 'wrapped', input, parameters, ...output, ...(result ? { result } : {}), out };
  }
  return {
    style: 'bare',
    input,
    parameters: asked === undefined ? [] : [asked],
    ...output,
    ...(answered === undefined ? {} : { result: answered }),
    out: [],
  };
}

/** ASP.NET's bare methods with several parameters: the body has an element for each part, side by side. */
function bareSeveral(
  request: BoundMessage,
  response: BoundMessage | undefined,
  source: MessageSource,
  refuse: (reason: string, rule?: string) => WsdlError,
): Shape {
  const elements = ({ parts }: BoundMessage) => {
    const found = parts.map((part) => partElement(part, source, refuse));
    const names = new Set(found.map(({ name }) => name));
    if (names.size < found.length) throw refuse('Two parts of its body have one name.', 'R2201');
    return found;
  };
  const parameters = elements(request);
  const [result, ...out] = response === undefined ? [] : elements(response);
  const body = ({ name, namespace }: Element): BodyName => ({ name, namespace });
  const [first] = parameters;
  if (first === undefined) throw refuse('It takes nothing, and answers several parts.', 'R2201');
  return {
    style: 'bare',
    input: body(first),
    parameters,
    ...(response === undefined ? {} : { output: body(result ?? first) }),
    ...(result === undefined ? {} : { result }),
    out,
  };
}

function bodyElement(
  message: BoundMessage,
  source: MessageSource,
  refuse: (reason: string, rule?: string) => WsdlError,
): Element | undefined {
  const [part] = message.parts;
  return part === undefined ? undefined : partElement(part, source, refuse);
}

/** The element of a part. @throws {WsdlError} for one that names a type. */
function partElement(
  part: XmlTree,
  { schemas }: MessageSource,
  refuse: (reason: string, rule?: string) => WsdlError,
): Element {
  const name = part.qname('element');
  if (name !== undefined) return schemas.element(name, part);
  throw refuse(
    `The part ${part.attribute('name') ?? ''} of a document message names a type; it must name an element.`,
    'R2204',
  );
}

/** Whether a request's element has the name of the operation, or ASP.NET's name of the message ([WebMethod(MessageName)]). */
function isCalledAsOperation(
  { name }: Element,
  abstract: XmlTree,
  { parts }: BoundMessage,
): boolean {
  if (name === abstract.attribute('name')) return true;
  const isAspNet = parts[0]?.attribute('name') === 'parameters';
  return isAspNet && name === abstract.first(WSDL, 'input')?.attribute('name');
}

/** The elements inside a wrapper; `undefined` when the element is none. */
function wrappedElements(
  element: Element,
  { schemas }: MessageSource,
): readonly Element[] | undefined {
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
  if (base !== undefined || abstract || all || mixed || anyAttribute) return false;
  return (
    attributes.length === 0 &&
    text === undefined &&
    content.every(({ kind }) => (kind ?? 'element') === 'element')
  );
}

function faultsOf(abstract: XmlTree, { definitions, schemas }: MessageSource): Fault[] {
  return abstract.of(WSDL, 'fault').flatMap((fault) => {
    const [part] = definitions.referred('message', fault, 'message').of(WSDL, 'part');
    const element = part?.qname('element');
    const name = fault.attribute('name') ?? '';
    // A fault of an rpc service may name a type: its element is called like the part.
    if (element !== undefined) return [{ name, element: schemas.element(element, part!) }];
    return part?.attribute('type') === undefined
      ? []
      : [{ name, element: rpcElement(part, schemas) }];
  });
}
