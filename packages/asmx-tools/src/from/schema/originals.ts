import { isSoapEncoding, XSD } from '@ws01/asmx/internal/xml/namespace-names';
import type { QName, XmlTree } from '../load/xml-document.ts';
import { type Components, type Declaration, inSchema, reference } from './components.ts';

/** A type with a name that another one is derived from. */
export interface Original {
  readonly name: QName;
  readonly isSimple: boolean;
  /** The element that names it. */
  readonly at: XmlTree;
}

/**
 * The types with a name that a type is derived from: the base of an extension or a restriction, the
 * items of a list, the members of a union. They must be read before it.
 */
export function originalsOf({ tree, schema }: Declaration, components: Components): Original[] {
  const named: { readonly name: QName; readonly at: XmlTree }[] = [];
  const add = (at: XmlTree | undefined, attribute: string) => {
    const name = at === undefined ? undefined : reference(at, attribute, schema);
    if (name !== undefined) named.push({ name, at: at! });
  };
  const isComplex = tree.local === 'complexType';
  const derivationsOf = (parent: XmlTree | undefined) => {
    add(parent?.first(XSD, 'extension'), 'base');
    add(parent?.first(XSD, 'restriction'), 'base');
  };
  if (isComplex) {
    derivationsOf(tree.first(XSD, 'simpleContent'));
    derivationsOf(tree.first(XSD, 'complexContent'));
  } else {
    // As deep as elements lie in each other, which is a limit of the document.
    const inside = (simple: XmlTree): void => {
      for (const at of simple.of(XSD, 'restriction', 'list', 'union')) {
        if (at.local === 'restriction') add(at, 'base');
        else if (at.local === 'list') add(at, 'itemType');
        else
          for (const name of at.qnames('memberTypes'))
            named.push({ name: inSchema(name, schema), at });
        for (const inner of at.of(XSD, 'simpleType')) inside(inner);
      }
    };
    inside(tree);
  }
  return named.flatMap(({ name, at }) => {
    if (name.uri === XSD || isSoapEncoding(name.uri)) return [];
    const isSimple = components.find('type', name)?.tree.local === 'simpleType';
    // A simple type of a complex one is refused when it is served, without a look at its base.
    return isComplex || isSimple ? [{ name, at, isSimple }] : [];
  });
}
