import { isNameType } from '@ws01/asmx/internal/contract/scalar-facts';
import { DATA_CONTRACTS, XSD } from '@ws01/asmx/internal/xml/namespace-names';
import { clark, type XmlTree } from '../load/xml-document.ts';
import type {
  EnumerationType,
  Facets,
  NamedType,
  ScalarType,
  SimpleType,
  Type,
} from '../normal-form.ts';
import { type Declaration, inSchema, reference } from './components.ts';

/** What the reader of simple types asks of the reader of all. */
export interface SimpleTypeSource {
  typeNamed(declaration: Declaration, attribute: string): Type;
  typeOfName(name: { readonly uri: string; readonly local: string }, at: XmlTree): Type;
  anonymousType(tree: XmlTree, declaration: Declaration, ...name: readonly string[]): Type;
  /** The named type of a key. */
  named(key: string): NamedType;
}

type Names = Pick<SimpleType, 'name' | 'namespace' | 'anonymous' | 'documentation'>;

/**
 * A simple type: restriction, list or union.
 * @param owner what types inside it are named after.
 * @throws {WsdlError}
 */
export function simpleType(
  declaration: Declaration,
  names: Names,
  owner: string,
  source: SimpleTypeSource,
): NamedType {
  const { tree, schema } = declaration;
  const restriction = tree.first(XSD, 'restriction');
  if (restriction !== undefined) {
    return restricted({ tree: restriction, schema }, names, owner, source);
  }
  const list = tree.first(XSD, 'list');
  if (list !== undefined) {
    const inner = list.first(XSD, 'simpleType');
    const item =
      inner === undefined
        ? source.typeNamed({ tree: list, schema }, 'itemType')
        : source.anonymousType(inner, declaration, owner, 'Item');
    const made = typeof item === 'string' ? undefined : source.named(item.ref);
    if (inner !== undefined && made?.kind === 'enumeration' && areFlags(made)) {
      const { base, values } = made;
      const zero = zeroOf(inner, values);
      const none = zero === undefined ? {} : { zero };
      return { ...names, kind: 'enumeration', base, values, flags: true, ...none };
    }
    return { ...names, kind: 'list', item };
  }
  const union = tree.first(XSD, 'union');
  if (union === undefined) {
    throw tree.unreadable('A simple type must be a restriction, a list or a union.');
  }
  const members = [
    ...union.qnames('memberTypes').map((name) => source.typeOfName(inSchema(name, schema), union)),
    ...union
      .of(XSD, 'simpleType')
      .map((inner) => source.anonymousType(inner, declaration, owner, 'Member')),
  ];
  return { ...names, kind: 'union', members };
}

/**
 * Whether items of a list are flags, as .NET writes them: a value with a blank in it cannot be an
 * item.
 */
function areFlags({ flags, values }: EnumerationType): boolean {
  return flags === undefined && values.every((value) => /^[^ \t\r\n]+$/.test(value));
}

/**
 * The flag of 0: WCF says the number of a value, where it is not what clients expect; of ASMX only
 * the name is known that .NET's guidelines ask for (CA1008).
 */
function zeroOf(tree: XmlTree, values: readonly string[]): string | undefined {
  const all = tree.first(XSD, 'restriction')?.of(XSD, 'enumeration') ?? [];
  const numbered = all.find((value) => {
    const said = value.first(XSD, 'annotation')?.first(XSD, 'appinfo');
    return said?.first(DATA_CONTRACTS, 'EnumerationValue')?.text.trim() === '0';
  });
  const name = numbered?.attribute('value') ?? 'None';
  return values.includes(name) ? name : undefined;
}

function restricted(
  { tree, schema }: Declaration,
  names: Names,
  owner: string,
  source: SimpleTypeSource,
): EnumerationType | SimpleType {
  const inner = tree.first(XSD, 'simpleType');
  const base =
    reference(tree, 'base', schema) === undefined && inner !== undefined
      ? source.anonymousType(inner, { tree, schema }, owner, 'Base')
      : source.typeNamed({ tree, schema }, 'base');
  return restrictionOf(tree, names, base, source);
}

/** What the children of a restriction make of its base. */
export function restrictionOf(
  tree: XmlTree,
  names: Names,
  base: Type,
  source: Pick<SimpleTypeSource, 'named'>,
): EnumerationType | SimpleType {
  const scalar = scalarOf(base, source);
  const isName = isNameType(scalar);
  const values = tree.of(XSD, 'enumeration').map((value) => {
    const name = isName ? value.qname('value') : undefined;
    if (name === undefined) return value.attribute('value') ?? '';
    return name.uri === '' ? name.local : clark(name);
  });
  if (values.length > 0 && scalar !== undefined) {
    return { ...names, kind: 'enumeration', base: scalar, values: [...new Set(values)] };
  }
  const facets = { ...facetsOf(tree), ...(values.length > 0 ? { enumeration: values } : {}) };
  return {
    ...names,
    kind: 'simple',
    base,
    ...(Object.keys(facets).length === 0 ? {} : { facets }),
  };
}

/** The built-in that a simple type restricts in the end; `undefined` for lists and unions. */
function scalarOf(type: Type, source: Pick<SimpleTypeSource, 'named'>): ScalarType | undefined {
  let at = type;
  while (typeof at !== 'string') {
    const named = source.named(at.ref);
    if (named.kind === 'enumeration') return named.flags ? undefined : named.base;
    if (named.kind !== 'simple') return undefined;
    at = named.base;
  }
  return at;
}

const NUMBERS = ['length', 'minLength', 'maxLength', 'totalDigits', 'fractionDigits'] as const;
const TEXTS = [
  'whiteSpace',
  'minInclusive',
  'maxInclusive',
  'minExclusive',
  'maxExclusive',
] as const;

/** The facets of a restriction. */
function facetsOf(tree: XmlTree): Facets {
  const facets: Record<string, unknown> = {};
  for (const name of NUMBERS) {
    const value = tree.first(XSD, name)?.attribute('value');
    if (value === undefined) continue;
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < 0) {
      throw tree.unreadable(`The facet ${name} must be a whole number, not ${value}.`);
    }
    facets[name] = number;
  }
  for (const name of TEXTS) {
    const value = tree.first(XSD, name)?.attribute('value');
    if (value !== undefined) facets[name] = value;
  }
  const patterns = tree.of(XSD, 'pattern').map((pattern) => pattern.attribute('value') ?? '');
  if (patterns.length > 0) facets.patterns = patterns;
  return facets;
}
