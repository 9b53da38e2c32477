import { isNameType } from '../../contract/scalar-facts.ts';
import type {
  ArrayType,
  Attribute,
  EnumerationType,
  Facets,
  NamedType,
  ObjectType,
  Type,
} from '../../contract/types.ts';
import { formatQualifiedName } from '../../lexical/texts.ts';
import { DATA_CONTRACTS, SOAP_ENCODING, XML } from '../../xml/namespace-names.ts';
import { type XmlNode, xml } from '../xml-tree.ts';
import { elementNode, particleNode, type SchemaContext } from './particles.ts';
import type { SchemaSet } from './schema-set.ts';

/** A named type as an entry of its schema. */
export function typeNode(_key: string, type: NamedType, set: SchemaSet): XmlNode {
  const { name } = type;
  const schema = type.namespace ?? set.namespace;
  switch (type.kind) {
    case 'enumeration':
      return xml('s:simpleType', { name }, [
        type.flags ? flags(type, schema, set) : enumeration(type, schema, set),
      ]);
    case 'simple':
      return xml('s:simpleType', { name }, [
        xml(
          's:restriction',
          { base: set.typeName(type.base, schema) },
          facetNodes(type.facets ?? {}),
        ),
      ]);
    case 'list':
      return xml('s:simpleType', { name }, [
        xml('s:list', { itemType: set.typeName(type.item, schema) }),
      ]);
    case 'union': {
      const memberTypes = type.members.map((member) => set.typeName(member, schema)).join(' ');
      return xml('s:simpleType', { name }, [xml('s:union', { memberTypes })]);
    }
    case 'array':
      return xml(
        's:complexType',
        { name },
        type.encoded ? [encodedArray(type, schema, set)] : [wrapped(type, schema, set)],
      );
    case 'object':
      return objectNode(type, schema, set);
  }
}

function enumeration(
  { base = 'string', values, zero }: EnumerationType,
  schema: string,
  set: SchemaSet,
): XmlNode {
  const isName = isNameType(base);
  const named = (namespace: string, local: string) =>
    namespace === '' ? local : set.name(namespace, local);
  const items = values.map((value) =>
    xml(
      's:enumeration',
      { value: isName ? formatQualifiedName(value, named) : value },
      value === zero ? [numbered(0)] : [],
    ),
  );
  return xml('s:restriction', { base: set.typeName(base, schema) }, items);
}

/** The number of an enumeration's value, as WCF says it. */
function numbered(value: number): XmlNode {
  const said = xml('EnumerationValue', { xmlns: DATA_CONTRACTS }, `${value}`);
  return xml('s:annotation', {}, [xml('s:appinfo', {}, [said])]);
}

function flags(type: EnumerationType, schema: string, set: SchemaSet): XmlNode {
  return xml('s:list', {}, [xml('s:simpleType', {}, [enumeration(type, schema, set)])]);
}

function facetNodes({ patterns = [], enumeration: texts = [], ...facets }: Facets): XmlNode[] {
  const values = Object.entries(facets).map(([name, value]) =>
    xml(`s:${name}`, { value: String(value) }),
  );
  return [
    ...patterns.map((value) => xml('s:pattern', { value })),
    ...texts.map((value) => xml('s:enumeration', { value })),
    ...values,
  ];
}

function wrapped({ item }: ArrayType, schema: string, set: SchemaSet): XmlNode {
  const repeated = { ...item, min: item.min ?? 0, max: item.max ?? ('unbounded' as const) };
  return xml('s:sequence', {}, [
    elementNode(repeated, { schema, elements: set.elementNamespace(schema) }, set),
  ]);
}

/** SOAP 1.1, section 5.4.2, as ASP.NET declares it. */
function encodedArray({ item, rank = 1 }: ArrayType, schema: string, set: SchemaSet): XmlNode {
  set.name(SOAP_ENCODING, 'Array', schema);
  const attribute = {
    'wsdl:arrayType': `${set.typeName(item.type, schema)}[${','.repeat(rank - 1)}]`,
    ref: 'soapenc:arrayType',
  };
  return xml('s:complexContent', { mixed: 'false' }, [
    xml('s:restriction', { base: 'soapenc:Array' }, [xml('s:attribute', attribute)]),
  ]);
}

function objectNode(type: ObjectType, schema: string, set: SchemaSet): XmlNode {
  const { name, mixed, abstract } = type;
  const facts = {
    name,
    ...(abstract ? { abstract: 'true' } : {}),
    ...(mixed ? { mixed: 'true' } : {}),
  };
  const attributes = attributeNodes(type, schema, set);
  const base = type.extends === undefined ? undefined : ({ ref: type.extends } as const);
  if (base !== undefined && type.restricts === true)
    return xml('s:complexType', facts, [restrictionNode(type, base, schema, set)]);
  if (type.text !== undefined || (base !== undefined && hasText(base, set))) {
    const extension = xml(
      's:extension',
      { base: set.typeName(type.text ?? base!, schema) },
      attributes,
    );
    return xml('s:complexType', facts, [xml('s:simpleContent', {}, [extension])]);
  }
  const members = [...contentNodes(type, schema, set), ...attributes];
  if (base === undefined) return xml('s:complexType', facts, members);
  const extension = xml('s:extension', { base: set.typeName(base, schema) }, members);
  return xml('s:complexType', facts, [
    xml('s:complexContent', { mixed: mixed ? 'true' : 'false' }, [extension]),
  ]);
}

/** The content of a type that restricts another one. */
function restrictionNode(type: ObjectType, base: Type, schema: string, set: SchemaSet): XmlNode {
  const { mixed, text } = type;
  const content =
    text === undefined ? contentNodes(type, schema, set) : [textNode(text, schema, set)];
  const members = [
    ...content,
    ...attributeNodes(type, schema, set),
    ...prohibited(type, base, schema, set),
  ];
  const restriction = xml('s:restriction', { base: set.typeName(base, schema) }, members);
  return text === undefined
    ? xml('s:complexContent', { mixed: mixed ? 'true' : 'false' }, [restriction])
    : xml('s:simpleContent', {}, [restriction]);
}

/**
 * The attributes that a restriction takes away: those that it does not say it would have of its
 * base.
 */
function prohibited(
  { attributes = [] }: ObjectType,
  base: Type,
  schema: string,
  set: SchemaSet,
): XmlNode[] {
  const nameOf = ({ name, namespace = '' }: Attribute) => `${namespace} ${name}`;
  const own = new Set(attributes.map(nameOf));
  const left = inheritedAttributes(base, set).filter((each) => !own.has(nameOf(each)));
  return left.map(({ name, namespace = '', type }) =>
    attributeNode({ name, namespace, type, use: 'prohibited' }, schema, set),
  );
}

/** The attributes of a type and of what it extends; a restriction says all that it has. */
function inheritedAttributes(base: Type, set: SchemaSet): readonly Attribute[] {
  const found = new Map<string, readonly Attribute[]>();
  for (let at: Type | undefined = base; typeof at === 'object' && !found.has(at.ref); ) {
    const type: NamedType | undefined = set.types[at.ref];
    if (type?.kind !== 'object') break;
    found.set(at.ref, type.attributes ?? []);
    at = type.extends === undefined || type.restricts ? undefined : { ref: type.extends };
  }
  return [...found.values()].flat();
}

/** The type of a restricted text: one without a name in the old WSDL has none here. */
function textNode(text: Type, schema: string, set: SchemaSet): XmlNode {
  const named = typeof text === 'string' ? undefined : set.types[text.ref];
  const content =
    named?.anonymous === true
      ? typeNode('', named, set).content
      : [xml('s:restriction', { base: set.typeName(text, schema) })];
  return xml('s:simpleType', {}, content);
}

function hasText({ ref }: { readonly ref: string }, set: SchemaSet): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = ref; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const type: NamedType | undefined = set.types[at];
    if (type?.kind !== 'object') return false;
    if (type.text !== undefined) return true;
    at = type.extends;
  }
  return false;
}

function contentNodes(
  { content = [], all }: ObjectType,
  schema: string,
  set: SchemaSet,
): XmlNode[] {
  if (content.length === 0) return [];
  const place: SchemaContext = { schema, elements: set.elementNamespace(schema) };
  const [only] = content;
  // A group that is all there is needs none around it.
  if (
    content.length === 1 &&
    only !== undefined &&
    (only.kind === 'choice' || only.kind === 'sequence')
  ) {
    return [particleNode(only, place, set)];
  }
  return [
    xml(
      all ? 's:all' : 's:sequence',
      {},
      content.map((particle) => particleNode(particle, place, set)),
    ),
  ];
}

function attributeNodes(
  { attributes = [], anyAttribute }: ObjectType,
  schema: string,
  set: SchemaSet,
): XmlNode[] {
  const nodes = attributes.map((attribute) => attributeNode(attribute, schema, set));
  return anyAttribute ? [...nodes, xml('s:anyAttribute')] : nodes;
}

function attributeNode(
  attribute: Attribute & { readonly use?: 'prohibited' },
  schema: string,
  set: SchemaSet,
): XmlNode {
  const { name, namespace = '', type, required, default: initial, fixed } = attribute;
  const said = required ? 'required' : attribute.use;
  const use = {
    ...(said === undefined ? {} : { use: said }),
    ...(initial === undefined ? {} : { default: initial }),
    ...(fixed === undefined ? {} : { fixed }),
  };
  if (namespace !== '' && namespace !== schema) {
    const declared = { name, ...attributeType(type, namespace, set) };
    if (namespace !== XML) set.attribute(namespace, name, () => xml('s:attribute', declared));
    return xml('s:attribute', { ref: set.name(namespace, name, schema), ...use });
  }
  const qualified = namespace !== '';
  const form =
    qualified === set.attributeIsQualified(schema)
      ? {}
      : { form: qualified ? 'qualified' : 'unqualified' };
  return xml('s:attribute', { ...form, name, ...attributeType(type, schema, set), ...use });
}

function attributeType(type: Type, schema: string, set: SchemaSet): Record<string, string> {
  return type === 'anySimpleType' ? {} : { type: set.typeName(type, schema) };
}
