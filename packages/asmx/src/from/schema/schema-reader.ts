import { isSoapEncoding, MICROSOFT_TYPES, SOAP_ENCODING, XSD } from '../../xml/namespace-names.ts';
import { draftError, isDraft } from '../load/drafts.ts';
import type { LoadedWsdl } from '../load/load.ts';
import { clark, type QName, type XmlTree } from '../load/xml-document.ts';
import { type Element, isBuiltIn, type NamedType, type Type } from '../normal-form.ts';
import { AttachmentError, WsdlError } from '../wsdl-error.ts';
import { type ComplexTypeSource, complexType, shapeOf } from './complex-types.ts';
import { Components, type Declaration, reference } from './components.ts';
import { globalElement } from './particles.ts';
import { distinctProperties } from './properties.ts';
import { simpleType } from './simple-types.ts';
import { TypeNames } from './type-names.ts';

/** WS-I Attachments Profile 1.0: the Content-ID of a part beside the envelope. */
const ATTACHMENT_REFERENCE = '{http://ws-i.org/profiles/basic/1.1/xsd}swaRef';

/** Reads the types of a WSDL, as far as they are asked for. */
export class SchemaReader implements ComplexTypeSource {
  readonly components: Components;
  readonly #names: TypeNames;
  readonly #types = new Map<string, NamedType>();
  /** Keys of types that are read or being read: of named ones by Clark's notation, of anonymous ones by their element. */
  readonly #keys = new Map<string | XmlTree, Type>();
  /** Those of simple types that are being read. */
  readonly #simpleInProgress = new Set<string | XmlTree>();
  /** Types that others extend or restrict. */
  readonly #extended = new Set<XmlTree>();

  constructor(loaded: Pick<LoadedWsdl, 'schemas' | 'absent'>) {
    const { schemas } = loaded;
    this.components = new Components(loaded);
    this.#names = new TypeNames(this.components.typeNames);
    for (const { root, targetNamespace } of schemas)
      this.#findExtended({ tree: root, schema: { root, targetNamespace } });
  }

  /** The types read so far, with those that extend them; by key. @throws {WsdlError} */
  types(): Readonly<Record<string, NamedType>> {
    for (const name of this.#polymorphic()) this.#declared(name, this.components.find('type', name)!);
    return distinctProperties(Object.fromEntries(this.#types));
  }

  /** A global element, as a message or a header has it. @throws {WsdlError} */
  element(name: QName, at: XmlTree): Element {
    return globalElement(this.components.get('element', name, at), this);
  }

  typeNamed({ tree, schema }: Declaration, attribute: string): Type {
    const name = reference(tree, attribute, schema);
    if (name === undefined) throw new WsdlError('unreadable', tree.file, tree.path, `It has no ${attribute}.`);
    return this.typeOfName(name, tree);
  }

  typeOfName(name: QName, at: XmlTree): Type {
    const { uri, local } = name;
    if (uri === MICROSOFT_TYPES && (local === 'guid' || local === 'char')) return local;
    const encoded = isSoapEncoding(uri);
    if (uri === XSD || (encoded && (isBuiltIn(local) || local === 'base64'))) {
      if (isBuiltIn(local)) return local;
      if (local === 'base64') return 'base64Binary';
      throw new WsdlError('unreadable', at.file, at.path, `XML Schema has no type ${local}.`);
    }
    if (encoded && local === 'Array') return this.#anyArray();
    if (isDraft(uri)) throw draftError(uri, at);
    if (clark(name) === ATTACHMENT_REFERENCE) {
      const reason = 'Its type swaRef refers to an attachment, which is not served.';
      throw new AttachmentError('unsupported', at.file, at.path, reason);
    }
    const known = this.#keys.get(clark(name));
    if (known === undefined) return this.#declared(name, this.components.get('type', name, at));
    if (this.#simpleInProgress.has(clark(name))) {
      throw new WsdlError('unreadable', at.file, at.path, `The simple type ${local} is made of itself.`);
    }
    return known;
  }

  anonymousType(tree: XmlTree, { schema }: Declaration, ...name: readonly string[]): Type {
    const known = this.#keys.get(tree);
    if (known !== undefined) return known;
    const shape = tree.local === 'complexType' ? shapeOf(tree) : undefined;
    if (shape !== undefined) return shape;
    const key = this.#names.anonymous(...name);
    const names = { name: key, namespace: schema.targetNamespace, anonymous: true } as const;
    return this.#read(tree, { tree, schema }, key, names);
  }

  elementType(declaration: Declaration, owner: string): Type {
    const { tree, schema } = declaration;
    const inner = tree.first(XSD, 'complexType') ?? tree.first(XSD, 'simpleType');
    if (inner !== undefined) return this.anonymousType(inner, declaration, owner, tree.attribute('name') ?? '');
    if (tree.attribute('type') !== undefined) return this.typeNamed(declaration, 'type');
    const head = reference(tree, 'substitutionGroup', schema);
    return head === undefined ? 'anyType' : this.elementType(this.components.get('element', head, tree), owner);
  }

  named(key: string): NamedType {
    const made = this.#types.get(key);
    // Asked for by a type that it holds itself: what is asked then is what kind it is, and only objects hold types.
    return made ?? { kind: 'object', name: key, namespace: '', content: [], attributes: [] };
  }

  add(type: NamedType, ...name: readonly string[]): Type {
    const key = this.#names.anonymous(...name);
    this.#types.set(key, { ...type, name: key });
    return { ref: key };
  }

  isExtended(tree: XmlTree): boolean {
    return this.#extended.has(tree);
  }

  #declared(name: QName, declaration: Declaration): Type {
    const key = this.#names.named(name.local);
    return this.#read(clark(name), declaration, key, { name: name.local, namespace: name.uri });
  }

  /** @param id by which it is known from now on, unless it cannot be read. */
  #read(
    id: string | XmlTree,
    declaration: Declaration,
    key: string,
    names: { readonly name: string; readonly namespace: string; readonly anonymous?: true },
  ): Type {
    const before = { keys: this.#keys.size, types: this.#types.size };
    this.#keys.set(id, { ref: key });
    const documentation = declaration.tree.documentation(XSD);
    const facts = documentation === undefined ? names : { ...names, documentation };
    // Its place is kept, so that types are in the order in which they are met.
    this.#types.set(key, this.named(key));
    const read = declaration.tree.local === 'complexType' ? complexType : simpleType;
    if (read === simpleType) this.#simpleInProgress.add(id);
    try {
      this.#types.set(key, read(declaration, facts, key, this));
    } catch (error) {
      // Another operation may ask again for types that were read inside this one, and refer to it.
      for (const known of [...this.#keys.keys()].slice(before.keys)) this.#keys.delete(known);
      for (const made of [...this.#types.keys()].slice(before.types)) {
        this.#types.delete(made);
        this.#names.release(made);
      }
      throw error;
    } finally {
      this.#simpleInProgress.delete(id);
    }
    return { ref: key };
  }

  #anyArray(): Type {
    const key = `{${SOAP_ENCODING}}Array`;
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const item: Element = { name: 'item', namespace: '', type: 'anyType', min: 0, max: 'unbounded', nillable: true };
    const names = { name: 'Array', namespace: SOAP_ENCODING };
    const made = this.add({ ...names, kind: 'array', item, encoded: true }, 'ArrayOfAnyType');
    this.#keys.set(key, made);
    return made;
  }

  /** Types not read yet that extend one that is. */
  *#polymorphic(): Generator<QName> {
    for (const type of this.#types.values()) {
      if (type.anonymous) continue;
      for (const name of this.components.derivedOf({ uri: type.namespace, local: type.name })) {
        if (!this.#keys.has(clark(name))) yield name;
      }
    }
  }

  #findExtended({ tree, schema }: Declaration): void {
    if (tree.uri === XSD && (tree.local === 'extension' || tree.local === 'restriction')) {
      const base = tree.attribute('base') === undefined ? undefined : reference(tree, 'base', schema);
      const declaration = base === undefined ? undefined : this.components.find('type', base);
      if (declaration !== undefined) this.#extended.add(declaration.tree);
    }
    for (const child of tree.children) this.#findExtended({ tree: child, schema });
  }
}
