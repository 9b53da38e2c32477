import { isSoapEncoding, XSD } from '@ws01/asmx/internal/xml/namespace-names';
import type { QName, XmlTree } from '../load/xml-document.ts';
import type {
  ArrayType,
  Attribute,
  Element,
  NamedType,
  ObjectType,
  Particle,
  ScalarType,
  Type,
} from '../normal-form.ts';
import { attributeName, attributesOf } from './attributes.ts';
import { type Declaration, reference } from './components.ts';
import { arrayTypeOf, contentOf, groupOf, isTrue, type ParticleTypes } from './particles.ts';
import { restrictionOf, type SimpleTypeSource } from './simple-types.ts';

export interface ComplexTypeSource extends SimpleTypeSource, ParticleTypes {
  /** Whether a named type is extended by another one, so that it must be an object. */
  isExtended(tree: XmlTree): boolean;
  /** A type of this schema that is made here, such as a restricted text. */
  add(type: NamedType, ...name: readonly string[]): Type;
}

type Names = Pick<ObjectType, 'name' | 'namespace' | 'anonymous' | 'documentation'>;

/**
 * The types of .NET that are known by their shape, not by a name: XmlElement, DataSet, DataTable.
 * Only anonymous types are.
 */
export function shapeOf(tree: XmlTree): ScalarType | undefined {
  const sequence = tree.first(XSD, 'sequence');
  if (
    sequence === undefined ||
    tree.of(XSD).some(({ local }) => local !== 'sequence' && local !== 'annotation')
  ) {
    return undefined;
  }
  const [first, second, more] = sequence.of(XSD);
  if (first === undefined || more !== undefined) return undefined;
  const any = (particle: XmlTree | undefined) => particle?.local === 'any';
  if (second === undefined)
    return any(first) && isTrue(tree.attribute('mixed')) && !repeats(first) ? 'xml' : undefined;
  if (!any(second)) return undefined;
  const referred = first.local === 'element' ? first.qname('ref') : undefined;
  if (referred?.uri === XSD && referred.local === 'schema') return 'DataSet';
  return any(first) && first.attribute('namespace') === XSD ? 'DataTable' : undefined;
}

function repeats(particle: XmlTree): boolean {
  return (particle.attribute('maxOccurs') ?? '1') !== '1';
}

/** A complex type. @param owner what types inside it are named after. @throws {WsdlError} */
export function complexType(
  declaration: Declaration,
  names: Names,
  owner: string,
  source: ComplexTypeSource,
): NamedType {
  const { tree, schema } = declaration;
  const simple = tree.first(XSD, 'simpleContent');
  if (simple !== undefined) return withText({ tree: simple, schema }, names, owner, source);
  const complex = tree.first(XSD, 'complexContent');
  const mixed = isTrue(tree.attribute('mixed')) || isTrue(complex?.attribute('mixed'));
  const facts = {
    ...names,
    kind: 'object' as const,
    ...(isTrue(tree.attribute('abstract')) ? { abstract: true as const } : {}),
    ...(mixed ? { mixed: true as const } : {}),
  };
  if (complex === undefined) {
    const made: ObjectType = { ...facts, ...members(declaration, owner, source) };
    return (source.isExtended(tree) ? undefined : asArray(made)) ?? made;
  }
  const extension = complex.first(XSD, 'extension');
  const restriction = complex.first(XSD, 'restriction');
  const derivation = extension ?? restriction;
  const base = derivation === undefined ? undefined : reference(derivation, 'base', schema);
  if (derivation === undefined || base === undefined) {
    throw tree.unreadable('complexContent must extend or restrict a base.');
  }
  const derived = { tree: derivation, schema };
  if (isSoapEncoding(base.uri) && base.local === 'Array')
    return encodedArray(derived, names, owner, source);
  const own = members(derived, owner, source);
  if (base.uri === XSD) {
    // What says nothing of its own has all that xs:anyType may have (XML Schema 1, 3.4.7).
    const isOpen = extension !== undefined && own.content.length === 0;
    return { ...facts, ...own, ...(isOpen ? ANYTHING : {}) };
  }
  const inherited = baseObject(base, derivation, source);
  if (restriction === undefined) return { ...facts, extends: inherited.key, ...own };
  const attributes = inheritAttributes(own.attributes, inherited.attributes, derived);
  const heir = inherited.isObject ? { extends: inherited.key, restricts: true as const } : {};
  return { ...facts, ...heir, ...own, attributes };
}

const ANYTHING = {
  mixed: true,
  content: [{ kind: 'any', min: 0, max: 'unbounded', processContents: 'lax' }],
  anyAttribute: true,
} as const;

/** Content and attributes of a type, an extension or a restriction. */
function members(declaration: Declaration, owner: string, source: ComplexTypeSource) {
  const group = groupOf(declaration.tree);
  const content =
    group === undefined
      ? { content: [] as readonly Particle[] }
      : contentOf({ tree: group, schema: declaration.schema }, owner, source);
  return { ...content, ...attributesOf(declaration, owner, source) };
}

/** .NET's `ArrayOfT`: a type of that name with one element that repeats and nothing else. */
function asArray(type: ObjectType): ArrayType | undefined {
  const [item, more] = type.content;
  if (item === undefined || more !== undefined || !/^ArrayOf/i.test(type.name)) return undefined;
  if ((item.kind ?? 'element') !== 'element' || (item as Element).max === 1) return undefined;
  const {
    name,
    namespace,
    anonymous,
    documentation,
    attributes,
    mixed,
    anyAttribute,
    abstract,
    all,
  } = type;
  if (attributes.length > 0 || anyAttribute) return undefined;
  if (mixed || abstract || all) return undefined;
  return {
    kind: 'array',
    name,
    namespace,
    ...(anonymous ? { anonymous } : {}),
    ...(documentation === undefined ? {} : { documentation }),
    item: item as Element,
  };
}

/** `soapenc:Array` (SOAP 1.1, section 5.4.2). */
function encodedArray(
  derived: Declaration,
  names: Names,
  owner: string,
  source: ComplexTypeSource,
): NamedType {
  const { tree } = derived;
  const declared = arrayTypeOf(tree);
  const group = groupOf(tree);
  const content =
    group === undefined
      ? []
      : contentOf({ tree: group, schema: derived.schema }, owner, source).content;
  const [first] = content;
  const inside =
    content.length === 1 && first !== undefined && (first.kind ?? 'element') === 'element';
  // Of `int[][,]` the last brackets are the outer array's (SOAP 1.1, 5.4.2).
  const dimensions = declared?.dimensions.split('[').slice(1) ?? [];
  const ranks = dimensions.map((each) => each.split(',').length);
  const name = inside ? (first as Element).name : 'item';
  const array = (type: Type, rank: number): ArrayType => {
    const item: Element = { name, namespace: '', type, min: 0, max: 'unbounded', nillable: true };
    return { ...names, kind: 'array', item, encoded: true, ...(rank > 1 ? { rank } : {}) };
  };
  const undeclared = inside ? (first as Element).type : 'anyType';
  let type: Type = declared === undefined ? undeclared : source.typeOfName(declared.type, tree);
  for (const rank of ranks.slice(0, -1))
    type = source.add({ ...array(type, rank), anonymous: true }, owner, 'Item');
  return array(type, ranks.at(-1) ?? 1);
}

/** A type with attributes beside a text. */
function withText(
  declaration: Declaration,
  names: Names,
  owner: string,
  source: ComplexTypeSource,
): ObjectType {
  const { tree, schema } = declaration;
  const extension = tree.first(XSD, 'extension');
  const derivation = extension ?? tree.first(XSD, 'restriction');
  if (derivation === undefined) {
    throw tree.unreadable('simpleContent must extend or restrict a base.');
  }
  const derived = { tree: derivation, schema };
  const base = source.typeNamed(derived, 'base');
  const { attributes, anyAttribute } = attributesOf(derived, owner, source);
  const facts = {
    ...names,
    kind: 'object' as const,
    content: [],
    ...(anyAttribute ? { anyAttribute } : {}),
  };
  const object = typeof base === 'string' ? undefined : source.named(base.ref);
  if (object?.kind !== 'object' || typeof base === 'string')
    return { ...facts, attributes, text: base };
  if (extension !== undefined) return { ...facts, extends: base.ref, attributes };
  const line = lineOf(object, source);
  const inherited = line.flatMap((each) => each.attributes);
  const inner = derivation.first(XSD, 'simpleType');
  const text =
    inner === undefined
      ? (line.findLast((each) => each.text !== undefined)?.text ?? 'string')
      : source.anonymousType(inner, derived, owner, 'Text');
  const { name, namespace } = names;
  const made = restrictionOf(derivation, { name, namespace, anonymous: true }, text, source);
  const isSame = made.kind === 'simple' && made.facets === undefined;
  return {
    ...facts,
    extends: base.ref,
    restricts: true,
    attributes: inheritAttributes(attributes, inherited, derived),
    text: isSame ? text : source.add(made, owner, 'Text'),
  };
}

/** The object types whose members a type has, the outermost base first. */
function lineOf(type: ObjectType, source: SimpleTypeSource): readonly ObjectType[] {
  const line = new Set([type]);
  for (let at = type; at.extends !== undefined && at.restricts !== true; ) {
    const base = source.named(at.extends);
    if (base.kind !== 'object' || line.has(base)) break;
    line.add(base);
    at = base;
  }
  return [...line].reverse();
}

/** The object type that a type extends or restricts. */
function baseObject(base: QName, at: XmlTree, source: ComplexTypeSource) {
  const type = source.typeOfName(base, at);
  const made = typeof type === 'string' ? undefined : source.named(type.ref);
  if (typeof type === 'string' || made === undefined) {
    throw at.unsupported(`The type ${base.local} cannot be extended.`);
  }
  const line = made.kind === 'object' ? lineOf(made, source) : [];
  return {
    key: type.ref,
    isObject: line.length > 0,
    attributes: line.flatMap((each) => each.attributes),
  };
}

/** A restriction has what its base has, but what it says again or prohibits. */
function inheritAttributes(
  own: readonly Attribute[],
  inherited: readonly Attribute[],
  { tree, schema }: Declaration,
): readonly Attribute[] {
  const named = new Set(own.map(({ name, namespace }) => `${namespace} ${name}`));
  for (const attribute of tree.of(XSD, 'attribute')) {
    if (attribute.attribute('use') !== 'prohibited') continue;
    const { uri, local } = attributeName({ tree: attribute, schema });
    named.add(`${uri} ${local}`);
  }
  return [...inherited.filter(({ name, namespace }) => !named.has(`${namespace} ${name}`)), ...own];
}
