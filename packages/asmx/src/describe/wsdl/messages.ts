import type { BodyName, Fault, Header, Operation, Service } from '../../contract/service.ts';
import type { Element } from '../../contract/types.ts';
import { inBody, messageElements } from '../../values/message-plan.ts';
import { elementNode, globalElement } from '../schema/particles.ts';
import type { SchemaSet } from '../schema/schema-set.ts';
import { type XmlNode, xml } from '../xml-tree.ts';

/** The messages of SOAP. */
export function soapMessages(service: Service, set: SchemaSet): Map<string, XmlNode> {
  const nodes = new Map<string, XmlNode>();
  const add = (name: string, parts: readonly XmlNode[]) =>
    nodes.set(name, xml('wsdl:message', { name }, parts));
  for (const operation of service.operations) {
    const { name, style, use, headers, faults = [] } = operation;
    const input = { name, namespace: set.namespace, ...operation.input };
    const output = { name: `${name}Response`, namespace: set.namespace, ...operation.output };
    const parts = (all: readonly Element[], body: Body): readonly XmlNode[] => [
      ...bodyOf(all.filter(inBody), body),
      ...all.filter((each) => !inBody(each)).map((each) => rpcPart(each, set)),
    ];
    const bodyOf = (elements: readonly Element[], body: Body): readonly XmlNode[] => {
      if (style === 'rpc')
        return elements.map((element) => elementPart({ namespace: '', ...element }, set));
      // What is encoded has types.
      if (use === 'encoded') return elements.map((element) => rpcPart(element, set));
      return style === 'bare' ? bodyParts(elements, body, set) : [wrapperPart(body, elements, set)];
    };
    const [request, answer] = messageNames(operation);
    add(request, parts(operation.parameters, input));
    if (!operation.oneWay) add(answer, parts(messageElements(operation, 'output'), output));
    const block = (element: Element, own = use) => [
      own === 'encoded' ? rpcPart(element, set) : elementPart(element, set),
    ];
    for (const header of [...(headers?.in ?? []), ...(headers?.out ?? [])])
      add(headerMessage(name, header), block(header, header.use));
    for (const fault of faults) add(faultMessage(name, fault), block(fault.element, fault.use));
  }
  return nodes;
}

/** The names of an operation's messages over SOAP. */
export function messageNames({ name, input, output }: Operation): readonly [string, string] {
  return [input?.message ?? `${name}SoapIn`, output?.message ?? `${name}SoapOut`];
}

type Body = BodyName & { readonly namespace: string };

/**
 * The parts of a bare message: one has the name of the message's element, several have their own.
 */
function bodyParts(elements: readonly Element[], body: Body, set: SchemaSet): XmlNode[] {
  return elements.length > 1
    ? elements.map((element) => elementPart(element, set))
    : elements.map((element) => bodyPart({ ...element, ...body }, set));
}

export function headerMessage(operation: string, { name }: Pick<Header, 'name'>): string {
  return `${operation}${name}`;
}

export function faultMessage(operation: string, { name }: Pick<Fault, 'name'>): string {
  return `${operation}${name}Fault`;
}

/** A part that refers to a global element; in no namespace it names a type. */
function elementPart(element: Element, set: SchemaSet): XmlNode {
  const { name, namespace = set.namespace } = element;
  if (namespace === '') return rpcPart(element, set);
  globalElement(namespace, element, set);
  return xml('wsdl:part', { name, element: set.name(namespace, name) });
}

function bodyPart(element: Element & Body, set: SchemaSet): XmlNode {
  if (element.typed) return rpcPart(element, set);
  globalElement(element.namespace, element, set);
  return xml('wsdl:part', {
    name: element.part ?? 'parameters',
    element: set.name(element.namespace, element.name),
  });
}

/** The element of a message, with its content as a sequence. */
function wrapperPart(
  { name, namespace, part = 'parameters' }: Body,
  children: readonly Element[],
  set: SchemaSet,
): XmlNode {
  set.element(namespace, name, () => {
    const place = { schema: namespace, elements: set.namespace };
    const sequence = children.map((child) => elementNode(child, place, set));
    const content = sequence.length === 0 ? [] : [xml('s:sequence', {}, sequence)];
    return xml('s:element', { name }, [xml('s:complexType', {}, content)]);
  });
  return xml('wsdl:part', { name: part, element: set.name(namespace, name) });
}

function rpcPart({ name, type, nillable }: Element, set: SchemaSet): XmlNode {
  const named = typeof type === 'string' && SHAPED.has(type) ? 's:anyType' : set.typeName(type);
  // That it may be null only the types of SOAP encoding say.
  const shown = nillable ? named.replace(/^s:(?!anyType)/, 'soapenc:') : named;
  set.settle();
  return xml('wsdl:part', { name, type: shown });
}

/** Types without a name that a part could refer to. */
const SHAPED = new Set(['xml', 'DataSet', 'DataTable']);
