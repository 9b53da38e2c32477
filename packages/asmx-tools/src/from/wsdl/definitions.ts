import { type LoadedWsdl, WSDL } from '../load/load.ts';
import { clark, type QName, type XmlTree } from '../load/xml-document.ts';

type Kind = 'message' | 'portType' | 'binding' | 'service';

/** The named parts of a WSDL, of all of its documents. */
export class Definitions {
  readonly #byKind: Record<Kind, Map<string, XmlTree>> = {
    message: new Map(),
    portType: new Map(),
    binding: new Map(),
    service: new Map(),
  };

  readonly #absent: LoadedWsdl['absent'];

  constructor({ definitions, absent }: LoadedWsdl) {
    this.#absent = absent;
    for (const root of definitions) {
      const uri = root.attribute('targetNamespace') ?? '';
      for (const kind of Object.keys(this.#byKind) as Kind[]) {
        for (const tree of root.of(WSDL, kind)) {
          const name = clark({ uri, local: tree.name });
          if (!this.#byKind[kind].has(name)) this.#byKind[kind].set(name, tree);
        }
      }
    }
  }

  get services(): readonly XmlTree[] {
    return [...this.#byKind.service.values()];
  }

  get bindings(): readonly XmlTree[] {
    return [...this.#byKind.binding.values()];
  }

  /** What an attribute refers to. @throws {WsdlError} `unreadable` when it is nowhere. */
  referred(kind: Kind, tree: XmlTree, attribute: string): XmlTree {
    const name = tree.qname(attribute);
    if (name === undefined) throw tree.unreadable(`It names no ${kind}.`);
    // Tools and people wrote references without a prefix, which mean the document's own namespace,
    // even where the default one is that of WSDL, which has no such thing.
    const isUnprefixed = name.uri === '' || name.uri === WSDL;
    const own: QName = { uri: rootOf(tree).attribute('targetNamespace') ?? '', local: name.local };
    const found =
      this.#byKind[kind].get(clark(name)) ??
      (isUnprefixed ? this.#byKind[kind].get(clark(own)) : undefined);
    if (found !== undefined) return found;
    const absent = this.#absent.get(name.uri);
    if (absent !== undefined) throw absent;
    throw tree.unreadable(`The ${kind} ${name.local} is nowhere.`);
  }
}

/** The target namespace of the document that an element stands in. */
export function targetNamespaceOf(tree: XmlTree): string {
  return rootOf(tree).attribute('targetNamespace') ?? '';
}

function rootOf(tree: XmlTree): XmlTree {
  return tree.parent === undefined ? tree : rootOf(tree.parent);
}
