import { isReference } from '../../contract/scalar-facts.ts';
import type { Any, Element, Group, Particle } from '../../contract/types.ts';
import { XSD } from '../../xml/namespace-names.ts';
import { type XmlNode, xml } from '../xml-tree.ts';
import type { SchemaSet } from './schema-set.ts';

/** The context of an element. */
export interface SchemaContext {
  /** The target namespace of the schema. */
  readonly schema: string;
  /** The namespace of elements in it that name none. */
  readonly elements: string;
}

/** A particle of a content model. */
export function particleNode(particle: Particle, place: SchemaContext, set: SchemaSet): XmlNode {
  switch (particle.kind) {
    case 'any':
      return anyNode(particle);
    case 'sequence':
    case 'choice':
      return groupNode(particle, place, set);
    default:
      return elementNode(particle, place, set);
  }
}

function groupNode(
  { kind, min = 1, max = 1, content }: Group,
  place: SchemaContext,
  set: SchemaSet,
): XmlNode {
  const inside = content.map((each) => particleNode(each, place, set));
  return xml(`s:${kind}`, { ...occurs(min, max) }, inside);
}

function anyNode({ min = 1, max = 1, namespace, processContents }: Any): XmlNode {
  return xml('s:any', {
    ...occurs(min, max),
    ...(namespace === undefined ? {} : { namespace }),
    ...(processContents === undefined ? {} : { processContents }),
  });
}

function occurs(min: number, max: number | 'unbounded'): Record<string, string> {
  return {
    ...(min === 1 ? {} : { minOccurs: String(min) }),
    ...(max === 1 ? {} : { maxOccurs: String(max) }),
  };
}

/** A local element. An element of another namespace is global in its schema, and referred to. */
export function elementNode(element: Element, place: SchemaContext, set: SchemaSet): XmlNode {
  const { name, type, max = 1 } = element;
  const namespace = element.namespace ?? place.elements;
  const least = element.min ?? (isReference(type, set.types) ? 0 : 1);
  const count = { minOccurs: String(least), maxOccurs: String(max) };
  if (namespace !== '' && namespace !== place.schema) {
    if (namespace !== XSD) globalElement(namespace, element, set);
    return xml('s:element', { ...count, ref: set.name(namespace, name, place.schema) });
  }
  // If all local elements of a schema are alike, the schema says once whether they are in its
  // namespace.
  const usual = set.elementNamespace(place.schema);
  const form = namespace === usual ? {} : { form: namespace === '' ? 'unqualified' : 'qualified' };
  return typed({ ...count, ...form, ...valueFacts(element), name }, element, place.schema, set);
}

/** Adds a global element: that of a body, a header or a fault, or one that is referred to. */
export function globalElement(namespace: string, element: Element, set: SchemaSet): void {
  set.element(namespace, element.name, () =>
    typed({ ...valueFacts(element), name: element.name }, element, namespace, set),
  );
}

function valueFacts({ default: initial, fixed }: Element): Record<string, string> {
  return {
    ...(initial === undefined ? {} : { default: initial }),
    ...(fixed === undefined ? {} : { fixed }),
  };
}

function typed(
  attributes: Readonly<Record<string, string>>,
  { type, nillable, dataSet }: Element,
  schema: string,
  set: SchemaSet,
): XmlNode {
  const all = { ...attributes, ...(nillable ? { nillable: 'true' } : {}) };
  const namespace = dataSet === undefined ? undefined : set.dataSet(dataSet, schema);
  if (namespace !== undefined) {
    const rows = xml('s:sequence', {}, [xml('s:any', { namespace })]);
    return xml('s:element', all, [xml('s:complexType', {}, [rows])]);
  }
  const shape = typeof type === 'string' ? SHAPES[type] : undefined;
  if (shape !== undefined) return xml('s:element', all, [shape]);
  // ASP.NET says nothing for object.
  return type === 'anyType'
    ? xml('s:element', all)
    : xml('s:element', { ...all, type: set.typeName(type, schema) });
}

const ANY = xml('s:any');

/** Types of .NET without a name in a schema, as ASP.NET writes them out. */
const SHAPES: Readonly<Record<string, XmlNode>> = {
  xml: xml('s:complexType', { mixed: 'true' }, [xml('s:sequence', {}, [ANY])]),
  DataSet: xml('s:complexType', {}, [
    xml('s:sequence', {}, [xml('s:element', { ref: 's:schema' }), ANY]),
  ]),
  DataTable: xml('s:complexType', {}, [
    xml('s:sequence', {}, [
      xml('s:any', {
        minOccurs: '0',
        maxOccurs: 'unbounded',
        namespace: XSD,
        processContents: 'lax',
      }),
      xml('s:any', {
        minOccurs: '1',
        namespace: 'urn:schemas-microsoft-com:xml-diffgram-v1',
        processContents: 'lax',
      }),
    ]),
  ]),
};
