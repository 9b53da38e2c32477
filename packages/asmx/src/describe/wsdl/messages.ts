import type { Fault, Header, Service } from '../../contract/service.ts';
import type { Element } from '../../contract/types.ts';
import { resultElement } from '../../values/message-plan.ts';
import { elementNode, globalElement } from '../schema/particles.ts';
import type { SchemaSet } from '../schema/schema-set.ts';
import { type XmlNode, xml } from '../xml-tree.ts';

/** The messages of SOAP. */
export function soapMessages(service: Service, set: SchemaSet): Map<string, XmlNode> {
  const nodes = new Map<string, XmlNode>();
  const add = (name: string, parts: readonly XmlNode[]) =>
    nodes.set(name, xml('wsdl:message', { name }, parts));
  for (const operation of service.operations) {
    const { name, style, headers, faults = [] } = operation;
    const result = resultElement(operation);
    const answered = [...(result === undefined ? [] : [result]), ...(operation.out ?? [])];
    const input = { name, namespace: set.namespace, ...operation.input };
    const output = { name: `${name}Response`, namespace: set.namespace, ...operation.output };
    if (style === 'rpc') {
      add(
        `${name}SoapIn`,
        operation.parameters.map((element) => rpcPart(element, set)),
      );
      if (!operation.oneWay)
        add(
          `${name}SoapOut`,
          answered.map((element) => rpcPart(element, set)),
        );
    } else if (style === 'bare') {
      add(`${name}SoapIn`, bodyParts(operation.parameters, input, set));
      if (!operation.oneWay) add(`${name}SoapOut`, bodyParts(answered, output, set));
    } else {
      add(`${name}SoapIn`, [wrapperPart(input, operation.parameters, set)]);
      if (!operation.oneWay) add(`${name}SoapOut`, [wrapperPart(output, answered, set)]);
    }
    for (const header of [...(headers?.in ?? []), ...(headers?.out ?? [])]) {
      add(headerMessage(name, header), [elementPart(header, set)]);
    }
    for (const fault of faults) add(faultMessage(name, fault), [elementPart(fault.element, set)]);
  }
  return nodes;
}

/** The parts of a bare message: one has the name of the message's element, several have their own. */
function bodyParts(
  elements: readonly Element[],
  body: { readonly name: string; readonly namespace: string },
  set: SchemaSet,
): XmlNode[] {
  return elements.length > 1
    ? elements.map((element) => elementPart(element, set))
    : elements.map((element) => bodyPart({ ...element, ...body }, set));
}

export function headerMessage(operation: string, { name }: Header): string {
  return `${operation}${name}`;
}

export function faultMessage(operation: string, { name }: Fault): string {
  return `${operation}${name}Fault`;
}

/** The part of a header or fault. It refers to a global element; in no namespace it names a type. */
function elementPart(element: Element, set: SchemaSet): XmlNode {
  const { name, namespace = set.namespace } = element;
  if (namespace === '') return rpcPart(element, set);
  globalElement(namespace, element, set);
  return xml('wsdl:part', { name, element: set.name(namespace, name) });
}

function bodyPart(element: Element & { readonly namespace: string }, set: SchemaSet): XmlNode {
  globalElement(element.namespace, element, set);
  return xml('wsdl:part', {
    name: 'parameters',
    element: set.name(element.namespace, element.name),
  });
}

/** The element of a message, with its content as a sequence. */
function wrapperPart(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  children: readonly Element[],
  set: SchemaSet,
): XmlNode {
  set.element(namespace, name, () => {
    const place = { schema: namespace, elements: set.namespace };
    const sequence = children.map((child) => elementNode(child, place, set));
    const content = sequence.length === 0 ? [] : [xml('s:sequence', {}, sequence)];
    return xml('s:element', { name }, [xml('s:complexType', {}, content)]);
  });
  return xml('wsdl:part', { name: 'parameters', element: set.name(namespace, name) });
}

function rpcPart({ name, type }: Element, set: SchemaSet): XmlNode {
  const shown = typeof type === 'string' && SHAPED.has(type) ? 's:anyType' : set.typeName(type);
  set.settle();
  return xml('wsdl:part', { name, type: shown });
}

/** Types without a name that a part could refer to. */
const SHAPED = new Set(['xml', 'DataSet', 'DataTable']);
