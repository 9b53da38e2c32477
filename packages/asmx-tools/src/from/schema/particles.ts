import { isSoapEncoding, XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { WSDL } from '../load/load.ts';
import { clark, type QName, type XmlTree } from '../load/xml-document.ts';
import {
  type Any,
  type Element,
  type Group,
  isBuiltIn,
  type Occurs,
  type Particle,
  type Type,
} from '../normal-form.ts';
import { type Components, type Declaration, reference } from './components.ts';

/** What the reader of particles asks of the reader of types. */
export interface ParticleTypes {
  readonly components: Components;
  /** The type of an element declaration. @param owner what an anonymous type is named after. */
  elementType(declaration: Declaration, owner: string): Type;
  /** The name of a typed DataSet. @param tree a complex type without a name. */
  typedDataSet(tree: XmlTree): string | undefined;
}

/** How deep groups may lie in each other; a group that holds itself would never end. */
const MAX_GROUP_DEPTH = 64;

/**
 * How many named groups a type may hold: groups that hold others twice make 2^n elements of n
 * lines.
 */
const MAX_GROUPS = 1_000;

/** Where in a type a particle is. */
interface Nesting {
  readonly depth: number;
  /** The named groups of the type so far. */
  readonly groups: { count: number };
}

const GROUPS = ['sequence', 'choice', 'all', 'group'] as const;

/**
 * The model group of a type, an extension or a named group; `undefined` when it has none. In the
 * draft of 1999 elements stand in a type without a group.
 */
export function groupOf(tree: XmlTree): XmlTree | undefined {
  const group = tree.of(XSD, ...GROUPS)[0];
  return group ?? (tree.first(XSD, 'element') === undefined ? undefined : tree);
}

/** What a type's model group holds, as one implied sequence. @throws {WsdlError} */
export function contentOf(
  group: Declaration,
  owner: string,
  types: ParticleTypes,
): { readonly content: readonly Particle[]; readonly all?: true } {
  const read = particle(group, owner, types, { depth: 0, groups: { count: 0 } });
  if (read === undefined) return { content: [] };
  const all = allOf(group, types);
  const content = isPlainSequence(read) ? read.content : [read];
  return all ? { content, all } : { content };
}

function allOf({ tree, schema }: Declaration, types: ParticleTypes): true | undefined {
  if (tree.local === 'all') return true;
  if (tree.local !== 'group') return undefined;
  const definition = types.components.get('group', reference(tree, 'ref', schema)!, tree);
  return groupOf(definition.tree)?.local === 'all' ? true : undefined;
}

/** A sequence that stands there once: the same as what it holds. */
function isPlainSequence(read: Particle): read is Group {
  return read.kind === 'sequence' && read.min === 1 && read.max === 1;
}

/** @returns `undefined` for what holds nothing. */
function particle(
  declaration: Declaration,
  owner: string,
  types: ParticleTypes,
  nesting: Nesting,
): Particle | undefined {
  const { tree, schema } = declaration;
  const inside = { ...nesting, depth: nesting.depth + 1 };
  if (nesting.depth > MAX_GROUP_DEPTH)
    throw tree.unreadable('The group holds itself, or groups lie too deep in each other.');
  const { min, max } = occursOf(tree);
  if (max === 0) return undefined;
  switch (tree.local) {
    case 'element':
      return elementOf(declaration, owner, types);
    case 'any':
      return anyOf(tree);
    case 'group': {
      const name = reference(tree, 'ref', schema);
      if (name === undefined) throw tree.unreadable('The group has no ref.');
      if (++nesting.groups.count > MAX_GROUPS) {
        throw tree.unsupported(`A type holds more than ${MAX_GROUPS} groups.`);
      }
      const definition = types.components.get('group', name, tree);
      const inner = groupOf(definition.tree);
      if (inner === undefined) return undefined;
      const read = particle({ tree: inner, schema: definition.schema }, name.local, types, inside);
      if (read === undefined || (min === 1 && max === 1)) return read;
      const once =
        (read.kind === 'sequence' || read.kind === 'choice') && read.min === 1 && read.max === 1;
      return groupOfParticles(
        once ? { ...read, min, max } : { kind: 'sequence', min, max, content: [read] },
      );
    }
    default: {
      const content = tree
        .of(XSD, 'element', 'any', ...GROUPS)
        .map((child) => particle({ tree: child, schema }, owner, types, inside))
        .filter((child) => child !== undefined)
        .flatMap((child) => {
          // A branch of a choice is one particle.
          const isWhole = isPlainSequence(child) && (tree.local !== 'choice' || !child.content[1]);
          return isWhole ? child.content : [child];
        });
      if (content.length === 0) return undefined;
      const kind = tree.local === 'choice' ? 'choice' : 'sequence';
      return groupOfParticles({ kind, min, max, content });
    }
  }
}

/** A group of one that repeats is that one repeating, unless both say how often. */
function groupOfParticles(group: Group): Particle {
  const { min, max, content } = group;
  const [only, more] = content;
  const isRepeated = max !== 1 && more === undefined && only!.kind !== 'any' && only!.max === 1;
  return isRepeated ? { ...only!, min: min * only!.min, max } : group;
}

/**
 * An element of a type: declared there, or a reference; to the head of a substitution group, a
 * choice of its members.
 */
function elementOf({ tree, schema }: Declaration, owner: string, types: ParticleTypes): Particle {
  const { min, max } = occursOf(tree);
  const name = reference(tree, 'ref', schema);
  if (name === undefined) {
    const local = tree.attribute('name');
    if (local === undefined) throw tree.unreadable('An element has no name.');
    const form =
      tree.attribute('form') ?? schema.root.attribute('elementFormDefault') ?? 'unqualified';
    const namespace = form === 'qualified' ? schema.targetNamespace : '';
    return { ...elementFacts({ tree, schema }, { uri: namespace, local }, owner, types), min, max };
  }
  if (name.uri === XSD) return { name: name.local, namespace: XSD, type: 'xml', min, max };
  const members = substitution(name, tree, types);
  const [only] = members;
  if (members.length === 1 && only !== undefined) return { ...only, min, max };
  if (members.length === 0) {
    throw tree.unsupported(`The element ${name.local} is abstract and nothing stands for it.`);
  }
  return { kind: 'choice', min, max, content: members };
}

/** A global element and those that may stand for it, without the abstract ones. */
function substitution(head: QName, at: XmlTree, types: ParticleTypes): Element[] {
  const found: Element[] = [];
  const seen = new Set<string>();
  const open = [head];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(clark(name))) continue;
    seen.add(clark(name));
    const declaration = types.components.get('element', name, at);
    if (declaration.tree.attribute('abstract') !== 'true')
      found.push(globalElement(declaration, types));
    open.push(...types.components.substitutesOf(name).toReversed());
  }
  return found;
}

/** A global element, once. */
export function globalElement(declaration: Declaration, types: ParticleTypes): Element {
  const local = declaration.tree.name;
  const name = { uri: declaration.schema.targetNamespace, local };
  return { ...elementFacts(declaration, name, '', types), min: 1, max: 1 };
}

function elementFacts(
  declaration: Declaration,
  { uri, local }: QName,
  owner: string,
  types: ParticleTypes,
): Omit<Element, 'min' | 'max'> {
  const { tree } = declaration;
  const documentation = tree.documentation(XSD);
  const initial = tree.attribute('default');
  const fixed = tree.attribute('fixed');
  const type = types.elementType(declaration, owner);
  const inner = type === 'DataSet' ? tree.first(XSD, 'complexType') : undefined;
  const dataSet = inner && types.typedDataSet(inner);
  return {
    name: local,
    namespace: uri,
    type,
    ...(dataSet === undefined ? {} : { dataSet }),
    ...(isTrue(tree.attribute('nillable')) || isNullable(tree) ? { nillable: true } : {}),
    ...(initial === undefined ? {} : { default: initial }),
    ...(fixed === undefined ? {} : { fixed }),
    ...(documentation === undefined ? {} : { documentation }),
  };
}

function anyOf(tree: XmlTree): Any {
  const namespace = tree.attribute('namespace');
  const processContents = tree.attribute('processContents');
  return {
    kind: 'any',
    ...occursOf(tree),
    ...(namespace === undefined || namespace === '##any' ? {} : { namespace }),
    ...(processContents === undefined ? {} : { processContents }),
  };
}

/**
 * Whether its type is a scalar of SOAP encoding, as Axis has for java.lang.Integer: there every
 * value may be null.
 */
export function isNullable(tree: XmlTree): boolean {
  const type = tree.attribute('type') === undefined ? undefined : tree.qname('type');
  return type !== undefined && isSoapEncoding(type.uri) && isBuiltIn(type.local);
}

/** How often a particle may stand there. @throws {WsdlError} */
function occursOf(tree: XmlTree): { readonly min: number; readonly max: Occurs } {
  const count = (name: string, text: string): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= 0 && text.trim() !== '') return value;
    throw tree.unreadable(`${name} must be a whole number, not ${text}.`);
  };
  const min = count('minOccurs', tree.attribute('minOccurs') ?? '1');
  const max = tree.attribute('maxOccurs') ?? '1';
  return { min, max: max === 'unbounded' ? max : count('maxOccurs', max) };
}

export function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}

/**
 * The element type of a `soapenc:Array`: the name before the brackets of `wsdl:arrayType`; for SOAP
 * 1.2, as PHP reads it, `wsdl:itemType` with the dimensions of `wsdl:arraySize`, such as `* 3`.
 */
export function arrayTypeOf(
  restriction: XmlTree,
): { readonly type: QName; readonly dimensions: string } | undefined {
  const attributes = restriction.of(XSD, 'attribute');
  for (const attribute of attributes) {
    const name = attribute.qname(`{${WSDL}}arrayType`);
    if (name === undefined) continue;
    const bracket = name.local.indexOf('[');
    const local = bracket < 0 ? name.local : name.local.slice(0, bracket);
    return {
      type: { uri: name.uri, local },
      dimensions: bracket < 0 ? '' : name.local.slice(bracket),
    };
  }
  const said = <T>(read: (attribute: XmlTree) => T | undefined) =>
    attributes.map(read).find((each) => each !== undefined);
  const type = said((attribute) => attribute.qname(`{${WSDL}}itemType`));
  const sizes = said((attribute) => attribute.attribute(`{${WSDL}}arraySize`)) ?? '*';
  const commas = ','.repeat(sizes.trim().split(/\s+/).length - 1);
  return type === undefined ? undefined : { type, dimensions: `[${commas}]` };
}
