import { isSoapEncoding, XML, XSD } from '@ws01/asmx/internal/xml/namespace-names';
import type { QName } from '../load/xml-document.ts';
import type { Attribute, Type } from '../normal-form.ts';
import { type Components, type Declaration, reference } from './components.ts';
import type { SimpleTypeSource } from './simple-types.ts';

const MAX_GROUP_DEPTH = 64;

interface AttributeTypes extends SimpleTypeSource {
  readonly components: Components;
}

/**
 * The attributes that a type, an extension or a restriction declares, those of its groups among
 * them.
 * @throws {WsdlError}
 */
export function attributesOf(
  declaration: Declaration,
  owner: string,
  types: AttributeTypes,
): { readonly attributes: readonly Attribute[]; readonly anyAttribute?: true } {
  const attributes: Attribute[] = [];
  let anyAttribute = false;
  const collect = ({ tree, schema }: Declaration, depth: number): void => {
    if (depth > MAX_GROUP_DEPTH)
      throw tree.unreadable('The group holds itself, or groups lie too deep in each other.');
    for (const child of tree.of(XSD, 'attribute', 'attributeGroup', 'anyAttribute')) {
      if (child.local === 'anyAttribute') anyAttribute = true;
      else if (child.local === 'attributeGroup') {
        const name = reference(child, 'ref', schema);
        if (name !== undefined && !isSoapEncoding(name.uri)) {
          collect(types.components.get('attributeGroup', name, child), depth + 1);
        }
      } else if (child.attribute('use') !== 'prohibited') {
        const made = attributeOf({ tree: child, schema }, owner, types);
        if (made !== undefined) attributes.push(made);
      }
    }
  };
  collect(declaration, 0);
  return anyAttribute ? { attributes, anyAttribute } : { attributes };
}

/** The name that an attribute has in messages. @throws {WsdlError} when it has none. */
export function attributeName({ tree, schema }: Declaration): QName {
  const name = reference(tree, 'ref', schema);
  if (name !== undefined) return name;
  const local = tree.attribute('name');
  if (local === undefined) throw tree.unreadable('An attribute has no name.');
  const form = tree.attribute('form') ?? schema.root.attribute('attributeFormDefault');
  return { local, uri: form === 'qualified' ? schema.targetNamespace : '' };
}

function attributeOf(
  { tree, schema }: Declaration,
  owner: string,
  types: AttributeTypes,
): Attribute | undefined {
  const initial = tree.attribute('default');
  const fixed = tree.attribute('fixed');
  const use = {
    ...(tree.attribute('use') === 'required' ? { required: true as const } : {}),
    ...(initial === undefined ? {} : { default: initial }),
    ...(fixed === undefined ? {} : { fixed }),
  };
  const name = attributeName({ tree, schema });
  if (tree.attribute('ref') === undefined) {
    const type = attributeType({ tree, schema }, owner, types);
    return { name: name.local, namespace: name.uri, type, ...use };
  }
  // Encoded arrays say their own type and offset.
  if (isSoapEncoding(name.uri)) return undefined;
  if (name.uri === XML) return { name: name.local, namespace: XML, type: 'string', ...use };
  const global = types.components.get('attribute', name, tree);
  return {
    name: name.local,
    namespace: name.uri,
    type: attributeType(global, owner, types),
    ...use,
  };
}

function attributeType({ tree, schema }: Declaration, owner: string, types: AttributeTypes): Type {
  const inner = tree.first(XSD, 'simpleType');
  if (inner !== undefined) return types.anonymousType(inner, { tree, schema }, owner, tree.name);
  return tree.attribute('type') === undefined
    ? 'anySimpleType'
    : types.typeNamed({ tree, schema }, 'type');
}
